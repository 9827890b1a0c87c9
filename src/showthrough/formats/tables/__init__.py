"""Tables: CSV, TSV, Parquet and Excel, and what their columns mean."""
