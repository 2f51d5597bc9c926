"""What is counted over a whole run."""
