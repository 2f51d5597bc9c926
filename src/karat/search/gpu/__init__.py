"""The same ranks on a GPU."""
