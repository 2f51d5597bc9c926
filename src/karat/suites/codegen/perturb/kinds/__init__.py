"""How tables are changed: values at limits, beyond the range, missing, and easily confused."""
