"""What is right, for a judge that is asked where no rule decides; ``judge.rubric`` takes its place."""

from __future__ import annotations

RUBRIC = """\
The answer is right when it states the expected value or values for the question that was asked: the same number,
name or date, in the same unit. Rounding to the digits of the expected value is fine, and so are other words, another
order where none was asked for, thousands separators, and detail that does not contradict it. It is wrong when a value
is different, missing or in another unit, when it gives several answers and does not say which one holds, or when it
does not answer."""
