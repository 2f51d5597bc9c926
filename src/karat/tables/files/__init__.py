"""Tables read from CSV and DuckDB files."""
