"""What happened in each line of an answer's code: it fails, it costs points, it does what was asked, nothing comes of
it."""

from __future__ import annotations

from karat.core.presentation.code_views import LineMark
from karat.suites.codegen.details import Details

DEAD = "dead"


def line_marks(details: Details) -> dict[int, tuple[LineMark, str]]:
    """Line → its mark and why. A line that nothing comes of is that first; one that costs points may still do what was
    asked, and says both."""
    found: dict[int, tuple[LineMark, list[str]]] = {}

    def add(line: int, mark: LineMark, words: str) -> None:
        first, said = found.get(line, (mark, []))
        found[line] = (first, [*said, words])

    losses = [loss for loss in details.quality.lost if loss.line]
    for loss in sorted(losses, key=lambda loss: loss.rule != DEAD):
        points = f" (−{loss.points:g})" if loss.points else ""
        add(loss.line, "dead" if loss.rule == DEAD else "lost", f"{loss.reason}{points}")
    for one in details.met or ():
        add(one.line, "met", f"asked for: {one.words}")
    return {line: (mark, "\n".join(said)) for line, (mark, said) in found.items()}
