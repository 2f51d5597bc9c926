"""Writing tasks: from accepted answers, from rows of other tools, from stored cases."""
