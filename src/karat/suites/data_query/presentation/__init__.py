"""How a selection is shown: the opened case, and what each reason means."""
