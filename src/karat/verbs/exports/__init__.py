"""What a stored run looks like in files for other tools."""
