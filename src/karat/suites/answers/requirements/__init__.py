"""What must be there before a run starts: optional packages, files, databases."""
