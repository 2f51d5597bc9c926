"""``python -m karat``: the same as ``karat``."""

from karat.cli.main import main

main()
