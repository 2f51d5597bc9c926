"""The cases of a run as arrays, without an object for each."""
