"""Writing gold: from accepted answers, from rows of other tools, from stored cases; and its forms for editors."""
