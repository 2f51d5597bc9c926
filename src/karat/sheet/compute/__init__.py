"""From a plan to values: every node once, in order."""
