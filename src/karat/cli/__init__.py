"""The command line: one file a verb, thin. What is heavy is imported when a verb runs, never for ``--help``."""
