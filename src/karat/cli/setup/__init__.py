"""Commands that start and check a project."""
