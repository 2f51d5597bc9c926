"""Gold files: checked, extended, rewritten."""
