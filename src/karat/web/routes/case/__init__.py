"""Pages of one case."""
