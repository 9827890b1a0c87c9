"""`python -m showthrough` is the command line."""

from showthrough.cli import main

if __name__ == "__main__":
    main()
