"""Why a gold column is not in the prediction: by what change of its cells it would be."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

import msgspec

from karat.tables.cells import Cell, folded
from karat.tables.options import CompareOptions
from karat.tables.small import Side

_LOOSE_FORMATS = (
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y%m%d",
    "%d %B %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%d-%b-%Y",
    "%Y.%m.%d",
)
_LONGEST_DATE = 40
_DATE_LIKE = re.compile(r"[0-9]{8}|[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}|(?>.*?[A-Za-z]{3})(?>.*?[0-9]{2}).*")


def why_not(gold: Side, pred: Side, options: CompareOptions) -> str:
    """The name of the one change under which the two columns would hold the same cells; empty when there is none."""
    if len(gold.numbers) == len(pred.numbers) and _same("case", _folded_cell, gold, pred, options):
        return "case_or_space"
    if _nulls(gold) != _nulls(pred) and _same("zeros", _zero_for_null, gold, pred, options):
        return "null_vs_zero"
    if any(gold.numbers) and any(_scaled(gold, pred, factor, options) for factor in (100.0, 0.01)):
        return "scale_100"
    if _rounded(gold, pred):
        return "rounding"
    if _same_dates(gold, pred):
        return "date_format"
    return ""


def _nulls(side: Side) -> int:
    return side.others["null", ""]


def _same(name: str, change: Callable[[Cell], Cell], gold: Side, pred: Side, options: CompareOptions) -> bool:
    return gold.changed(name, change).could_equal(pred.changed(name, change), options)


def _folded_cell(cell: Cell) -> Cell:
    return Cell("text", cell.text, key=folded(cell.text or "")) if cell.kind == "text" else cell


def _zero_for_null(cell: Cell) -> Cell:
    return Cell("number", cell.text) if cell.kind == "null" else cell


def _scaled(gold: Side, pred: Side, factor: float, options: CompareOptions) -> bool:
    if gold.others != pred.others or len(gold.numbers) != len(pred.numbers):
        return False
    shift = -2 if factor > 1 else 2

    def scale(cell: Cell) -> Cell:
        if not cell.numeric:
            return cell
        decimals = max(0, cell.decimals + shift)
        return msgspec.structs.replace(cell, number=cell.number * factor, decimals=decimals, exact=False)

    return gold.could_equal(pred.changed(f"times {factor}", scale), options)


def _rounded(gold: Side, pred: Side) -> bool:
    """Whether one is the other rounded to the decimals it shows, however few."""
    if gold.others != pred.others or len(gold.numbers) != len(pred.numbers) or not gold.numbers:
        return False
    unit = 0.5 * 10.0 ** -min(_most_decimals(gold), _most_decimals(pred))
    pairs = zip(gold.numbers, pred.numbers, strict=True)
    return all(abs(a - b) <= unit * (1 + 1e-9) + 4e-16 * abs(a) for a, b in pairs)


def _most_decimals(side: Side) -> int:
    """The decimals of a column: of its most precise cell, since writers drop zeros at the end."""
    return max(cell.decimals for cell in side.cells if cell.numeric)


def _same_dates(gold: Side, pred: Side) -> bool:
    """Whether there is one loose format for each column in which both give the same days."""
    gold_readings = _day_readings(gold)
    return bool(gold_readings) and any(days in gold_readings for days in _day_readings(pred))


def _day_readings(side: Side) -> list[list[str]]:
    texts = [cell.text or "" for cell in side.cells]
    if any(len(text) > _LONGEST_DATE for text in texts):
        return []
    if not any(texts) or any(text and not _DATE_LIKE.fullmatch(text) for text in texts):
        return []
    if all(cell.kind in ("moment", "null") for cell in side.cells):
        return [sorted(cell.key[:10] for cell in side.cells)]
    readings = []
    for form in _LOOSE_FORMATS:
        try:
            readings.append(sorted(f"{datetime.strptime(text, form):%Y-%m-%d}" if text else "" for text in texts))
        except ValueError:
            continue
    return readings
