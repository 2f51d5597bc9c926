"""``karat cases``: one file per command or two."""
