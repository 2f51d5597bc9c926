"""Several runs as Markdown: a column for each run."""

from __future__ import annotations

from collections.abc import Iterable

from karat.reports.compare.several import NOTE, Matrix, case_lines
from karat.reports.markdown.text import markdown_text as text

MOST_CASES = 100


def matrix_markdown(matrix: Matrix) -> str:
    """The figures, then the cases that differ."""
    return "\n".join(_lines(matrix)) + "\n"


def _lines(matrix: Matrix) -> Iterable[str]:
    names = [text(name) for name in matrix.names]
    yield f"### {matrix.title}"
    yield ""
    yield text(NOTE.replace("below", "beside"), 1000)
    yield ""
    yield f"| figure | {' | '.join(names)} |"
    yield "|---|" + "---:|" * len(names)
    for row in matrix.headline():
        yield f"| {text(row.title)} | " + " | ".join(text(f"{cell.value} {cell.below}") for cell in row.cells) + " |"
    shown = case_lines(matrix, MOST_CASES)
    if not shown:
        return
    more = f", the first {len(shown):,} of {matrix.differing:,}" if len(shown) < matrix.differing else ""
    yield f"\n<details><summary>Cases whose verdict is not the same in all{more}</summary>\n"
    yield f"| case | {' | '.join(names)} |"
    yield "|---|" + ":-:|" * len(names)
    for case, signs in shown:
        yield f"| {text(case)} | {' | '.join(signs)} |"
    yield "\n</details>"
