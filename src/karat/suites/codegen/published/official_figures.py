"""The mean of the official figure of a published set over a run, beside the strict one of the same answers."""

from __future__ import annotations

import msgspec

from karat.core.results.result import RunResult
from karat.suites.codegen.details import tries
from karat.suites.codegen.published.judging import OFFICIAL


class OfficialFigure(msgspec.Struct, frozen=True):
    """Both over the answers that have an official figure."""

    answers: int
    official: float
    strict: float


def official_figure(result: RunResult) -> OfficialFigure | None:
    """None where no answer has one. One that needs review has no strict figure to be beside."""
    found = [
        (float(details.correctness.evidence[OFFICIAL]), float(details.correctness.passed))
        for _, details in tries(result)
        if isinstance(details.correctness.evidence.get(OFFICIAL), int | float) and details.correctness.score is not None
    ]
    if not found:
        return None
    return OfficialFigure(
        len(found), sum(one for one, _ in found) / len(found), sum(two for _, two in found) / len(found)
    )
