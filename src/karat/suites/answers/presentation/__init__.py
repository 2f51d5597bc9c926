"""How an answer is shown: the opened case, what the terminal says of a run, and what each reason means."""
