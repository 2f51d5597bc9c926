"""BIRD's figures: execution match (``bird_ex``) and Mini-Dev's soft F1 (``bird_f1``).

Both compare Python values: 1 equals 1.0, None equals None, texts are compared as they are.

- Execution match: the sets of rows are equal. The order of columns counts; the order of rows and repeats do not.
- Soft F1: repeats are dropped and the order is kept; row i of gold is compared with row i of the prediction, by which
  cells of one are found anywhere in the other, as a share of gold's columns. Two empty results: 1.
- A text that is not UTF-8 ends that code with an error: 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.answers.text_to_sql.running.result_row import Row

_BROKEN = re.compile("[\udc80-\udcff]")


def figures(gold: Sequence[Row], given: Sequence[Row]) -> tuple[float, float]:
    """(execution match, soft F1) of two results in UTF-8."""
    if gold == given:
        return 1.0, 1.0
    return execution_match(gold, given), soft_f1(gold, given)


def execution_match(gold: Sequence[Row], given: Sequence[Row]) -> float:
    """1 when both have the same rows."""
    return float(tuple(gold) == tuple(given) or set(gold) == set(given))


def soft_f1(gold: Sequence[Row], given: Sequence[Row]) -> float:
    """F1 over the cells that row i of one has in common with row i of the other."""
    if tuple(gold) == tuple(given):
        return 1.0
    ours, theirs = list(dict.fromkeys(gold)), list(dict.fromkeys(given))
    found = extra = missing = 0.0
    for place, expected in enumerate(ours):
        if place >= len(theirs):
            missing += 1
            continue
        row = theirs[place]
        hits = sum(cell in expected for cell in row)
        found += hits / len(expected)
        extra += (len(row) - hits) / len(expected)
        missing += sum(cell not in row for cell in expected) / len(expected)
    extra += max(0, len(theirs) - len(ours))
    precision = found / (found + extra) if found + extra else 0.0
    recall = found / (found + missing) if found + missing else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def has_broken_text(rows: Sequence[Row]) -> bool:
    """Whether a text is not UTF-8; such bytes come as surrogates."""
    text = "".join(cell for row in rows for cell in row if type(cell) is str)
    return not text.isascii() and _BROKEN.search(text) is not None
