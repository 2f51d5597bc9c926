"""The terminal: consoles, progress, results, and files that can also be printed."""
