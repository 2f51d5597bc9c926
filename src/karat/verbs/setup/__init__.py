"""What starts and accompanies a project: its files, the schemas for editors, watching it."""
