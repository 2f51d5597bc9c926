"""The cell `indicator selection details`: every dimension in the contract's form.

A cell that would not fit is cut list by list, so that every heading, with its count, stays; each cut says how many
terms it left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from karat.core.problems import count_of
from karat.core.report import CELL_LIMIT, utf16_length, visible
from karat.suites.data_query.details import Details, DimensionDetails
from karat.suites.data_query.selection.selection import Term

LONG_TERM = 400
"""In a cell that is too long, no term takes more than this many characters."""

EVERYTHING_EXPECTED = "everything expected"
EVERYTHING_SELECTED = "everything selected: its terms are not counted"
"""What is said of a dimension where no codelist gives the terms."""


class _Block(msgspec.Struct, frozen=True):
    """A heading, and the terms under it."""

    heading: str
    terms: Sequence[str] = ()


def details_cell(details: Details) -> str:
    """Every dimension in the contract's form, then those that are not in the target; under turns when there are
    several."""
    if not details.datasets and not details.dimensions:
        return ""
    blocks = _blocks(details)
    text = _joined(blocks)
    return text if len(text) <= CELL_LIMIT // 2 or utf16_length(text) <= CELL_LIMIT else _cut(blocks)


def _blocks(details: Details) -> list[_Block]:
    dimensions = details.dimensions
    turns = list(dict.fromkeys([d.turn for d in details.datasets] + [d.turn for d in dimensions]))
    blocks: list[_Block] = []
    for turn in turns:
        here = [d for d in dimensions if d.turn == turn]
        if len(turns) > 1:
            blocks.append(_Block(f"{_gap(blocks)}Turn {turn + 1}"))
        if not here:
            blocks.append(_Block("nothing was expected and nothing selected"))
        for dimension in here:
            if dimension.in_target:
                blocks.extend(_dimension_blocks(dimension, _gap(blocks)))
        others = [d for d in here if not d.in_target]
        if others:
            blocks.append(_Block(f"{_gap(blocks)}dimensions not in target"))
        for dimension in others:
            blocks.extend(_dimension_blocks(dimension, _gap(blocks)))
    return blocks


def _gap(blocks: Sequence[_Block]) -> str:
    """An empty line before what follows, unless it follows the heading of its group."""
    last = blocks[-1].heading.lstrip("\n") if blocks else ""
    return "" if not blocks or last.startswith("Turn ") or last == "dimensions not in target" else "\n"


def _dimension_blocks(dimension: DimensionDetails, gap: str) -> list[_Block]:
    note = " (filled in by the system)" if dimension.is_default else ""
    rates = f"[recall: {_rate(dimension.recall)}, precision: {_rate(dimension.precision)}]"
    head = f"{gap}{_one_line(dimension.dimension)}{note}\n{rates}"
    notes = [EVERYTHING_EXPECTED] if dimension.everything_expected else []
    notes += [EVERYTHING_SELECTED] if dimension.everything_selected else []
    lists = (
        ("True Positives", dimension.true_positives),
        ("False Negatives", dimension.false_negatives),
        ("False Positives", dimension.false_positives),
    )
    if notes and not any(terms for _, terms in lists):
        return [_Block("\n".join((head, *notes)))]
    head = "\n".join((head, *notes))
    return [
        _Block(head),
        *(_Block(f"{title} [{len(terms)}]", [_term(term) for term in terms]) for title, terms in lists),
    ]


def _rate(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.2f}"


def _term(term: Term) -> str:
    return _one_line(f"  * {term.id}: {term.name}" if term.name else f"  * {term.id}")


def _one_line(text: str) -> str:
    """A term stays on its line, so that no name can look like a heading."""
    return text if text.isprintable() else visible(text).replace("\n", "\\n")


def _joined(blocks: Iterable[_Block]) -> str:
    return "\n".join(line for block in blocks for line in (block.heading, *block.terms))


def _cut(blocks: Sequence[_Block]) -> str:
    """As many terms of every list as fit; when not even the headings fit, as many of those."""
    short = [msgspec.structs.replace(block, terms=[_shortened(term) for term in block.terms]) for block in blocks]
    fits, too_many = 0, max(len(block.terms) for block in short) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if utf16_length(_joined(_first(short, middle))) <= CELL_LIMIT:
            fits = middle
        else:
            too_many = middle
    text = _joined(_first(short, fits))
    return text if utf16_length(text) <= CELL_LIMIT else _cut_lines(text.split("\n"))


def _first(blocks: Iterable[_Block], count: int) -> Iterable[_Block]:
    for block in blocks:
        more = len(block.terms) - count
        terms = [*block.terms[:count], f"  … and {more} more, see the HTML report"] if more > 0 else block.terms
        yield _Block(block.heading, terms)


def _shortened(term: str) -> str:
    more = len(term) - LONG_TERM
    return f"{term[:LONG_TERM]}… ({count_of(more, 'more character')})" if more > 0 else term


def _cut_lines(lines: Sequence[str]) -> str:
    room = CELL_LIMIT - len("… and 99999999 more, see the HTML report") - 1
    kept: list[str] = []
    for line in lines:
        room -= utf16_length(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"… and {len(lines) - len(kept)} more, see the HTML report"])
