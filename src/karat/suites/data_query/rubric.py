"""What is right, for a judge that is asked where no rule decides; ``judge.rubric`` takes its place."""

from __future__ import annotations

RUBRIC = """\
The answer is right when it selects what the expected answer selects: the same dataset, and for every dimension codes
that mean the same, over the same period. Other names for the same code, another order, and a selection that is written
in another way but returns the same series are fine. It is wrong when a dimension that was asked for is missing, when a
code or period is broader, narrower or different, or when it answers where a refusal or a question back was expected,
and the other way round."""
