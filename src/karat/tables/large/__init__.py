"""Large tables, compared column by column in Polars and NumPy."""
