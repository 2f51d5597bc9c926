"""From a sheet to its plan: the nodes to compute, each once."""
