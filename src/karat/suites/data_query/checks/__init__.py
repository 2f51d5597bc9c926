"""What ``karat check`` finds in cases: codes, names, datasets, dimensions and what is allowed."""
