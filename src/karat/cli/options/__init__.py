"""Words of the command line: the options that commands share, and what their values mean."""
