"""Files that code writes: read apart from it, and compared."""
