"""Running the code of an answer, and of the reference."""
