"""Scorings of runs and their results: as cases, as columns of figures, as failures."""
