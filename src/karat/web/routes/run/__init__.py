"""Pages of one run."""
