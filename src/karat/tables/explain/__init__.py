"""Why two tables do not match: reasons, nearest columns, the rows and cells that differ."""
