"""Reading tables and comparing them: whole rows, columns in any order and under any name, numbers within a
tolerance."""
