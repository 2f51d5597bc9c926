"""What is right, for a judge that is asked where no rule decides; ``judge.rubric`` takes its place."""

from __future__ import annotations

RUBRIC = """\
The answer is right when its code, or the result that it reports, gives what the expected result gives: the same rows
and values, whatever the names of variables, the style, and the order of rows or columns where none was asked for. It is
wrong when a value differs by more than rounding, when rows or columns that were asked for are missing, when it computes
something else, or when it does not answer."""
