"""The suites, each with the same files: cases, predictions, metrics, report. They never import each other."""
