"""The suites, each with the same rooms: cases, predictions, metrics, report. They never import each other."""
