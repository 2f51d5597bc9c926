"""What is wrong with the cases of a run, and the groups that share it."""
