"""All questions of a run at once, with numpy."""
