"""What belongs to a run as a whole, and the scores of cases that follow from it."""
