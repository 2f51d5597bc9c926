"""What must be there before a run starts: files, another Python, environments."""
