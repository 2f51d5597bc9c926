"""Two tables as one, from the evidence that a comparison of tables leaves: the rows that differ, what is equal folded,
and the columns that were compared with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from karat.core.case_form import CellColumn, CellLine, CellTable, ComparedColumn, EqualRows
from karat.core.explanation import Cell, Mark
from karat.core.problems import count_of, percent
from karat.tables.explain.alignment import SHOWN_LETTERS
from karat.tables.explain.cells import cell_text, listed, mappings

IN_SIGHT = 5
"""Columns of a table that a page shows without scrolling."""
NAMING = 2
"""Columns of a wide table that come first in any case."""


def table_view(evidence: Mapping[str, object], title: str = "Cells") -> CellTable | None:
    """None where the evidence has no rows and no columns."""
    rows, near = mappings(evidence.get("rows")), mappings(evidence.get("columns"))
    if not rows and not near:
        return None
    names = [cell_text(name) for name in listed(evidence.get("shown_columns"))]
    width = max((len(listed(row.get(side))) for row in rows for side in ("gold", "pred")), default=0)
    names = [*names[:width], *(f"column {place + 1}" for place in range(len(names), width))] if rows else []
    pairs = [(cell_text(one[0]), one[1]) for one in map(listed, listed(evidence.get("compared"))) if len(one) == 2]
    given = {expected: None if other is None else cell_text(other) for expected, other in pairs}
    lines = [_line(row, [given.get(name, "") is None for name in names]) for row in rows]
    lines = [_with_origin(line, lines) for line in lines]
    equal = [_equal_line(row) for row in mappings(evidence.get("equal_rows"))]
    columns = tuple(_column(place, name, given.get(name) or "", lines) for place, name in enumerate(names))
    columns, lines, equal = _differing_first(columns, lines, equal)
    counts = _counts(evidence)
    moved = {column.name for column in columns if column.differs}
    compared = _compared(pairs, near, evidence, moved)
    differing = sum(counts.values()) if counts else 0
    return CellTable(
        title,
        _note(evidence, counts, columns) + (f" · cells are cut after {SHOWN_LETTERS} letters" if _cut(lines) else ""),
        columns,
        tuple(_folded(lines, equal, _equal_count(evidence, counts), more=differing > len(lines))),
        max(differing - len(lines), 0),
        compared,
        _unlisted(evidence, compared),
    )


def _cut(lines: Sequence[CellLine]) -> bool:
    texts = (text for line in lines for cell in line.cells for text in (cell.expected, cell.given))
    return any((len(text) == SHOWN_LETTERS and text.endswith("…")) or text.startswith("…") for text in texts)


def _differing_first(
    columns: tuple[CellColumn, ...], lines: Sequence[CellLine], equal: Sequence[CellLine]
) -> tuple[tuple[CellColumn, ...], list[CellLine], list[CellLine]]:
    """A wide table begins with its first columns, which name the rows, and those that differ: nobody has to scroll to
    find what is wrong. A narrow one keeps its order."""
    differing = [place for place, column in enumerate(columns) if column.differs]
    if not differing or differing[-1] < IN_SIGHT:
        return columns, list(lines), list(equal)
    first = [*range(NAMING), *(place for place in differing if place >= NAMING)]
    order = [*first, *(place for place in range(len(columns)) if place not in set(first))]

    def moved(line: CellLine) -> CellLine:
        cells = tuple(line.cells[place] for place in order if place < len(line.cells))
        return CellLine(line.label, cells, line.mark, line.note)

    return tuple(columns[place] for place in order), list(map(moved, lines)), list(map(moved, equal))


# -- rows -------------------------------------------------------------------------------------------------------------


def _line(row: Mapping[str, object], unmapped: Sequence[bool]) -> CellLine:
    gold, given = listed(row.get("gold")), listed(row.get("pred"))
    if "pred" not in row:
        cells = tuple(Cell(cell_text(cell), "", "missing") for cell in gold)
        return CellLine(cell_text(row.get("gold_row", "")), cells, "missing")
    if "gold" not in row:
        cells = tuple(Cell("", cell_text(cell), "extra") for cell in given)
        return CellLine(f"given {cell_text(row.get('pred_row', ''))}", cells, "extra")
    differs = listed(row["differs"]) if "differs" in row else None
    found = []
    for place in range(max(len(gold), len(given))):
        left = cell_text(gold[place]) if place < len(gold) else ""
        right = cell_text(given[place]) if place < len(given) else ""
        same = left == right if differs is None else place not in differs
        mark: Mark = "same" if same else "changed"
        if not same and (place >= len(given) or (place < len(unmapped) and unmapped[place])):
            mark, right = "missing", ""
        elif place >= len(gold):
            mark = "extra"
        found.append(Cell(left, right, mark))
    return CellLine(cell_text(row.get("gold_row", "")), tuple(found), "changed")


def _equal_line(row: Mapping[str, object]) -> CellLine:
    cells = tuple(Cell(cell_text(cell), cell_text(cell), "same") for cell in listed(row.get("gold")))
    return CellLine(cell_text(row.get("gold_row", "")), cells, "same")


def _with_origin(line: CellLine, lines: Sequence[CellLine]) -> CellLine:
    """A row whose one wrong cell is that of another row says which."""
    wrong = [place for place, cell in enumerate(line.cells) if cell.mark == "changed"]
    if line.mark != "changed" or len(wrong) != 1:
        return line
    place = wrong[0]
    homes = [
        other.label
        for other in lines
        if other is not line and len(other.cells) > place and other.cells[place].expected == line.cells[place].given
    ]
    return CellLine(line.label, line.cells, line.mark, f"given value belongs to row {homes[0]}") if homes else line


def _folded(
    lines: Sequence[CellLine], equal: Sequence[CellLine], count: int | None, *, more: bool
) -> Iterator[CellLine | EqualRows]:
    """The rows that differ in gold's order, with the equal rows between them counted. Rows of the answer alone come
    last."""
    last = told = 0
    for line in lines:
        number = int(line.label) if line.label.isdecimal() else None
        if number is not None and line.mark != "extra":
            between = number - last - 1
            if between > 0 and count is not None:
                yield EqualRows(between, _between(equal, last, number))
                told += between
            last = number
        elif count is not None and not more and count > told:
            yield EqualRows(count - told, _between(equal, last, None))
            told = count
        yield line
    if count is not None and count > told:
        yield EqualRows(count - told, () if more else _between(equal, last, None))


def _between(equal: Sequence[CellLine], after: int, before: int | None) -> tuple[CellLine, ...]:
    return tuple(
        line
        for line in equal
        if line.label.isdecimal() and after < int(line.label) and (before is None or int(line.label) < before)
    )


def _counts(evidence: Mapping[str, object]) -> dict[str, int] | None:
    found = evidence.get("differing_rows")
    if not isinstance(found, Mapping):
        return None
    return {str(key): value for key, value in found.items() if isinstance(value, int)}


def _equal_count(evidence: Mapping[str, object], counts: Mapping[str, int] | None) -> int | None:
    size = listed(evidence.get("gold_size"))
    if counts is None or len(size) != 2 or not isinstance(size[0], int):
        return None
    return max(size[0] - counts.get("changed", 0) - counts.get("missing", 0), 0)


# -- columns ----------------------------------------------------------------------------------------------------------


def _column(place: int, name: str, given: str, lines: Sequence[CellLine]) -> CellColumn:
    cells = [line.cells[place] for line in lines if place < len(line.cells)]
    differs = any(
        cell.mark in ("changed", "missing")
        for line in lines
        if line.mark == "changed"
        for cell in line.cells[place : place + 1]
    )
    texts = [text for cell in cells for text in (cell.expected, cell.given) if text not in ("", "null")]
    return CellColumn(name, "" if given == name else given, differs, bool(texts) and all(map(_is_number, texts)))


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "").removesuffix("%"))
    except ValueError:
        return False
    return True


def _unlisted(evidence: Mapping[str, object], compared: Sequence[ComparedColumn]) -> int:
    size = listed(evidence.get("gold_size"))
    expected = sum(bool(one.expected) for one in compared)
    return max(size[1] - expected, 0) if expected and len(size) == 2 and isinstance(size[1], int) else 0


def _compared(
    pairs: Sequence[tuple[str, object]],
    near: Sequence[Mapping[str, object]],
    evidence: Mapping[str, object],
    moved: Set[str],
) -> tuple[ComparedColumn, ...]:
    """``moved``: columns whose cells differ in their rows though they are the same as a whole."""
    wrong = {cell_text(column.get("gold")): column for column in near}
    if not pairs:
        return tuple(_differing(name, column) for name, column in wrong.items())
    found = []
    for name, other in pairs:
        if name in wrong:
            found.append(_differing(name, wrong[name]))
        else:
            given = "" if other is None else cell_text(other)
            note = "the same cells, in other rows" if name in moved else "equal"
            found.append(ComparedColumn(name, given, note if given == name else f"{note}, under another name"))
    listed_names = {name for name, _ in pairs}  # the first ones of a wide table: those that differ are always listed
    found += [_differing(name, column) for name, column in wrong.items() if name not in listed_names]
    unused = [cell_text(name) for name in listed(evidence.get("not_compared"))]
    return (*found, *(ComparedColumn("", name, "not expected") for name in unused))


def _differing(name: str, column: Mapping[str, object]) -> ComparedColumn:
    nearest, share = column.get("nearest"), column.get("share")
    if nearest is None:
        return ComparedColumn(name, "", "no column like it was given", right=False)
    if column.get("taken_by") is not None:
        note = f"no column of its own: {cell_text(nearest)} is compared with {cell_text(column['taken_by'])}"
        return ComparedColumn(name, "", note, right=False)
    note = f"{percent(share)} of cells equal in their rows" if isinstance(share, int | float) else ""
    if column.get("change"):
        note = f"{note} · {cell_text(column['change'])}"
    return ComparedColumn(name, cell_text(nearest), note, right=False)


def _note(evidence: Mapping[str, object], counts: Mapping[str, int] | None, columns: Sequence[CellColumn]) -> str:
    """``3 of 24 rows differ, in 1 of 4 columns``; the sizes of both where these are not alike."""
    gold, given = listed(evidence.get("gold_size")), listed(evidence.get("pred_size"))
    said = []
    if counts is not None and len(gold) == 2 and isinstance(gold[0], int):
        differ = counts.get("changed", 0) + counts.get("missing", 0)
        said.append(
            f"{differ:,} of {count_of(gold[0], 'row')} {'differs' if differ == 1 else 'differ'}"
            if differ
            else "no expected row is missing"
        )
        wrong = sum(column.differs for column in columns)
        if counts.get("changed") and wrong:
            said[-1] += f", in {wrong} of {count_of(_number(gold[1]), 'column')}"
        if counts.get("extra"):
            said.append(f"{count_of(counts['extra'], 'row')} not expected")
    elif isinstance(looked := evidence.get("looked_at_rows"), int):
        said.append(f"seen in a sample of {count_of(looked, 'row')}")
    if len(gold) == len(given) == 2 and gold != given:
        sizes = [f"{_number(one[0]):,} × {_number(one[1])}" for one in (gold, given)]
        said.append(f"expected {sizes[0]}, given {sizes[1]}")
    where = evidence.get("where")
    return " · ".join([*([where] if isinstance(where, str) else []), *said])


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
