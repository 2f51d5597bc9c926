"""Reviews of a run as changes to its case files."""
