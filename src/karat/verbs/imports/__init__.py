"""``karat import``: cases, and answers to cases that exist, from files of other tools."""
