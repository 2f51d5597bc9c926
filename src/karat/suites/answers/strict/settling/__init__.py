"""Whether words around what was found leave open what the answer is: doubts, bounds, ranges and calculations."""
