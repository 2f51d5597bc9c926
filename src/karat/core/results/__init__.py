"""What scoring yields: figures, case results, and how they are shown in a few lines."""
