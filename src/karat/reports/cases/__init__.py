"""One case of a run, for any writer."""
