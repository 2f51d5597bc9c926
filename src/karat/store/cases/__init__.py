"""Cases of runs, and lists of cases that are filtered and sorted without opening any."""
