"""Why cells differ: the change under which two columns, or the cells of two rows side by side, would be the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import msgspec

from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import Unsettled
from karat.tables.small.compare import Side, same_cells, signed_beside_percent
from karat.tables.small.rows import row_pairing
from karat.tables.values.cells import Cell, equal, folded
from karat.tables.values.numbers import NOISE, SLACK, half_unit, why_equal

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
_ORDER = ("case_or_space", "null_vs_zero", "scale_100", "rounding", "date_format")

Rewrite = Callable[[Cell], Cell]


class Change(msgspec.Struct, frozen=True):
    """What was done to a column, and how the cells of both sides are written for it to be undone."""

    name: str
    gold: Rewrite
    pred: Rewrite


def hold_the_same(gold: Side, pred: Side, options: CompareOptions) -> bool:
    """Whether two columns hold the same cells in any order, each with the tolerance of its own pair."""
    if not same_cells(gold, pred, options):
        return False
    if signed_beside_percent(gold, pred) and not gold.could_equal(pred, options):
        gold, pred = gold.shown(), pred.shown()
    try:
        return not gold.cells or row_pairing([(gold.cells, pred.cells)], options) is not None
    except Unsettled:
        return True


def change_of_column(gold: Side, pred: Side, options: CompareOptions) -> Change | None:
    """The one change under which two columns would hold the same cells; None when there is none."""
    if len(gold.numbers) == len(pred.numbers) and _same("case", _folded_cell, gold, pred, options):
        return Change("case_or_space", _folded_cell, _folded_cell)
    if _nulls(gold) != _nulls(pred) and _same("zeros", _zero_for_null, gold, pred, options):
        return Change("null_vs_zero", _zero_for_null, _zero_for_null)
    for factor in (100.0, 0.01):
        scale = _scaling(factor)
        if any(gold.numbers) and hold_the_same(gold, pred.changed(f"times {factor}", scale), options):
            return Change("scale_100", _as_it_is, scale)
    if _rounded(gold, pred):
        rewrite = _rounding(min(_most_decimals(gold), _most_decimals(pred)))
        return Change("rounding", rewrite, rewrite)
    return _change_of_dates(gold, pred)


def _same(name: str, change: Rewrite, gold: Side, pred: Side, options: CompareOptions) -> bool:
    return hold_the_same(gold.changed(name, change), pred.changed(name, change), options)


def _nulls(side: Side) -> int:
    return side.others["null", ""]


def _as_it_is(cell: Cell) -> Cell:
    return cell


def _folded_cell(cell: Cell) -> Cell:
    return Cell("text", cell.text, key=folded(cell.text or "")) if cell.kind == "text" else cell


def _zero_for_null(cell: Cell) -> Cell:
    return Cell("number", cell.text, whole=0) if cell.kind == "null" else cell


def _scaling(factor: float) -> Rewrite:
    shift = -2 if factor > 1 else 2

    def scale(cell: Cell) -> Cell:
        if cell.kind != "number":
            return cell
        whole = None
        if cell.whole is not None and (factor > 1 or cell.whole % 100 == 0):
            whole = cell.whole * 100 if factor > 1 else cell.whole // 100
        return msgspec.structs.replace(cell, number=cell.number * factor, decimals=cell.decimals + shift, whole=whole)

    return scale


def _rounding(decimals: int) -> Rewrite:
    return lambda cell: msgspec.structs.replace(cell, number=round(cell.number, decimals)) if cell.numeric else cell


def _rounded(gold: Side, pred: Side) -> bool:
    """Whether one is the other rounded to the decimals it shows, however few."""
    if gold.others != pred.others or len(gold.numbers) != len(pred.numbers) or not gold.numbers:
        return False
    if gold.wholes is not None and pred.wholes is not None:
        return False  # rounding moves no whole number, and floats do not hold the largest ones
    decimals = _most_decimals(gold), _most_decimals(pred)
    pairs = zip(gold.numbers, pred.numbers, strict=True)
    return decimals[0] != decimals[1] and all(_within_half(a, b, min(decimals)) for a, b in pairs)


def _within_half(a: float, b: float, decimals: int) -> bool:
    """Whether rounding to this many decimals may make one of the other."""
    return abs(a - b) <= half_unit(decimals) * SLACK + NOISE * abs(a)


def _most_decimals(side: Side) -> int:
    """The decimals of a column: of its most precise cell, since writers drop zeros at the end."""
    return max(cell.decimals for cell in side.cells if cell.numeric)


def _change_of_dates(gold: Side, pred: Side) -> Change | None:
    """One loose format for each column in which both give the same days."""
    for gold_form in _forms_of(gold):
        for pred_form in _forms_of(pred):
            days = [
                sorted(_day(cell, form) or "" for cell in side.cells)
                for side, form in ((gold, gold_form), (pred, pred_form))
            ]
            if days[0] == days[1]:
                return Change("date_format", _dating(gold_form), _dating(pred_form))
    return None


def _dating(form: str) -> Rewrite:
    return lambda cell: Cell("moment", cell.text, key=_day(cell, form) or "")


def _forms_of(side: Side) -> list[str]:
    """The formats in which every cell of a column is a day or null; the empty one is the usual format."""
    cells = [cell for cell in side.cells if cell.kind != "null"]
    if not cells:
        return []
    return [form for form in ("", *_LOOSE_FORMATS) if all(_day(cell, form) is not None for cell in cells)]


def _day(cell: Cell, form: str) -> str | None:
    """The day that a cell means in this format, with the time of day where it has one; None when it means none."""
    text = cell.text or ""
    if not form:
        return cell.key.removesuffix(" 00:00:00") if cell.kind == "moment" else None
    if len(text) > _LONGEST_DATE or not _DATE_LIKE.fullmatch(text):
        return None
    try:
        return f"{datetime.strptime(text, form):%Y-%m-%d}"
    except ValueError:
        return None


def change_of_cells(pairs: Iterable[tuple[Cell, Cell]], options: CompareOptions) -> str:
    """The one change that explains every pair of cells that differ side by side; empty when none does."""
    common: set[tuple[str, str]] | None = None
    for gold, pred in pairs:
        found = set(_changes_of_cell(gold, pred, options))
        common = found if common is None else common & found
        if not common:
            return ""
    return next((name for name in _ORDER if any(name == found for found, _ in common or ())), "")


def _changes_of_cell(gold: Cell, pred: Cell, options: CompareOptions) -> Iterable[tuple[str, str]]:
    """Each change that makes one cell of the other, with what must be the same in a whole column: the factor, the
    format."""
    if gold.kind == pred.kind == "text" and folded(gold.text or "") == folded(pred.text or ""):
        yield "case_or_space", ""
    if {gold.kind, pred.kind} == {"null", "number"} and gold.number == pred.number == 0:
        yield "null_vs_zero", ""
    if gold.kind == pred.kind == "number":
        for factor in (100.0, 0.01):
            if gold.number and why_equal(gold, _scaling(factor)(pred), options, 0.0) is not None:
                yield "scale_100", str(factor)
        least = min(gold.decimals, pred.decimals)
        whole = gold.whole is not None and pred.whole is not None
        if not whole and gold.decimals != pred.decimals and _within_half(gold.number, pred.number, least):
            yield "rounding", ""
    if "null" not in (gold.kind, pred.kind):
        yield from _changes_of_date(gold, pred)


def _changes_of_date(gold: Cell, pred: Cell) -> Iterable[tuple[str, str]]:
    if not ({gold.kind, pred.kind} & {"moment", "text"}):
        return
    forms = ("", *_LOOSE_FORMATS)
    days = {form: day for form in forms if (day := _day(gold, form)) is not None}
    if days:
        for form in forms:
            day = _day(pred, form)
            for gold_form, gold_day in days.items():
                if day == gold_day:
                    yield "date_format", f"{gold_form} {form}"


def differing(
    gold: Sequence[Cell], pred: Sequence[Cell], rows: Iterable[tuple[int, int]], options: CompareOptions
) -> list[tuple[Cell, Cell]]:
    """The cells that differ in these pairs of rows."""
    return [(gold[g], pred[p]) for g, p in rows if not equal(gold[g], pred[p], options)]
