"""One file a change of the tables, numbered in four digits."""
