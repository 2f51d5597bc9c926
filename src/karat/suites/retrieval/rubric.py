"""What is right, for a judge that is asked where no rule decides; ``judge.rubric`` takes its place."""

from __future__ import annotations

RUBRIC = """\
The answer is right when it names what the expected answer names: the same documents or values, or ones that plainly
mean the same, and enough of them to answer the question. It is wrong when something that was asked for is missing, when
what it names is about something else, or when it names so much that the expected item does not stand out."""
