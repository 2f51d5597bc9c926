"""How a question is shown: the opened case, what the terminal says of a run, and how n and model were chosen."""
