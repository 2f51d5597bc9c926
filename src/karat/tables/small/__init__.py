"""Small tables, compared cell by cell in plain Python."""
