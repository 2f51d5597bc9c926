"""Several tries at one case, grouped: "18 right, 2 wrong"."""

from __future__ import annotations

from karat.core.results.result import CaseResult
from karat.web.formatting import figure
from karat.web.run_page.figures import Figure


def tries_text(case: CaseResult, main: Figure | None) -> str:
    """How often each outcome came, the best first; empty for a case that was tried once."""
    if not case.repeats:
        return ""
    counts: dict[str, int] = {}
    for one in case.repeats:
        score = one.scores.get(main.name) if main is not None else None
        word = _word(None if score is None else score.value, one.status, main)
        counts[word] = counts.get(word, 0) + 1
    order = {"right": 0, "wrong": 2, "no value": 3, "missing": 4, "failed": 5}
    return ", ".join(f"{counts[word]} {word}" for word in sorted(counts, key=lambda word: (order.get(word, 1), word)))


def _word(value: float | None, status: str, main: Figure | None) -> str:
    if status in ("error", "missing"):
        return "failed" if status == "error" else "missing"
    if value is None or main is None:
        return "no value"
    if main.kind == "rate":
        return "right" if value >= 1 else "wrong" if value <= 0 else "partly right"
    return f"at {figure(value, main.kind)}"
