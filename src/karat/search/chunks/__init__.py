"""Documents cut into chunks, and truths that are spans of them."""
