"""Writing cases: from accepted answers, from rows of other tools, from stored cases."""
