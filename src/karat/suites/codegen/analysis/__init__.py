"""The code's side: what generated pandas code does on the way to its result, read from its syntax tree without running
it."""

from karat.suites.codegen.analysis.facts import analyse

__all__ = ["analyse"]
