"""More records than should be held as objects: kept as bytes, read a chunk at a time."""
