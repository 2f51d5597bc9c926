"""Gates: rules that a run must pass."""
