"""karat.yaml: read, checked, and turned into what a run needs."""
