"""What can be said about a sheet without evaluating it: mistakes, names, dependencies."""
