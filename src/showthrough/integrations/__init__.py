"""Where other programs call Showthrough: pytest and Inspect. Each module needs the package that it is for."""
