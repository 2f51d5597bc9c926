"""Jupyter notebooks (nbformat 4): as cases, as predictions, and as an export. Their outputs are never trusted."""
