"""The verbs: what ``karat`` on the command line and ``import karat`` in Python do, each written once.

A verb is a plain function. It takes typed arguments, returns typed data, raises ``UserError`` for a mistake, and
neither prints nor ends the program. The command line parses words, calls a verb and prints what it returns.
"""
