"""CSV files too large for memory, compared by DuckDB."""
