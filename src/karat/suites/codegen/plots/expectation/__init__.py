"""What a task expects of a plot: written out, from a table, or from a published set."""
