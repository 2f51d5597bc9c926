"""Evidence in words: what a person needs to see why an answer is not right, in a few lines or in one."""

from __future__ import annotations

from typing import Any  # Any: stored evidence, whose form depends on the rule that wrote it

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import count_of, percent

LONGEST = 300
TABLE_KEYS = ("gold_size", "pred_size", "labels", "columns", "shown_columns", "rows")
DRAWN_KEYS = ("compared", "not_compared", "differing_rows", "equal_rows")
"""What is drawn where the case is opened, and not said in words."""


def evidence_lines(evidence: JsonMapping) -> list[str]:
    """A line a fact: for tables their sizes, the nearest columns, and the first differing rows side by side."""
    known = (*TABLE_KEYS, *DRAWN_KEYS, "problem", "unmatched", *(("kind",) if "problem" in evidence else ()))
    lines = [_text(evidence["problem"])] if evidence.get("problem") else []
    lines += [f"{key.replace('_', ' ')}: {_text(value)}" for key, value in evidence.items() if key not in known]
    lost = [_text(column.get("name")) for column in _objects(evidence.get("unmatched"))]
    lines += [f"gold columns that no column equals: {', '.join(lost)}"] if lost else []
    gold, given = evidence.get("gold_size"), evidence.get("pred_size")
    if gold and given:
        lines.append(f"gold {count_of(gold[0], 'row')} × {gold[1]:,}, answer {given[0]:,} × {given[1]:,}")
    lines += [_label(label) for label in _objects(evidence.get("labels"))]
    lines += [_column(column) for column in _objects(evidence.get("columns"))]
    rows = [_row(row) for row in _objects(evidence.get("rows"))]
    if rows and evidence.get("shown_columns"):
        lines.append(f"rows of {' | '.join(map(_text, evidence['shown_columns']))}:")
    return lines + rows


def evidence_in_short(evidence: JsonMapping) -> str:
    """One line: the column that fits least, the first row that differs; or all there is, where that is little."""
    columns = sorted(_objects(evidence.get("columns")), key=lambda column: float(column.get("share", 0)))
    rows = _objects(evidence.get("rows"))
    if not columns and not rows:
        return "; ".join(evidence_lines(evidence))
    gold, given = evidence.get("gold_size", (0, 0)), evidence.get("pred_size", (0, 0))
    parts = [f"{count_of(given[0], 'row')} for {gold[0]:,}"] if gold[0] != given[0] else []
    parts += [_column(column) for column in columns[:1] if column.get("share", 0) < 1]
    parts += [_row(row) for row in rows[:1]]
    return "; ".join(parts)


def _objects(value: Any) -> list[JsonObject]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _column(column: JsonMapping) -> str:
    change = f", {column['change']}" if column.get("change") else ""
    gold = f'gold "{_text(column.get("gold"))}"'
    if column.get("nearest") is None:
        return f"{gold} ~ nothing"
    nearest = f'"{_text(column["nearest"])}"'
    if column.get("taken_by") is not None:
        return f'{gold} ~ no column of its own: {nearest} is gold "{_text(column["taken_by"])}"'
    return f"{gold} ~ {nearest} {percent(float(column.get('share', 0)))} of cells equal{change}"


def _label(label: JsonMapping) -> str:
    return f'the header "{_text(label.get("header"))}" is on the cells of gold "{_text(label.get("holds"))}"'


def _row(row: JsonMapping) -> str:
    if "gold" not in row:
        return f"answer row {row.get('pred_row')}: {_cells(row.get('pred'))} is not expected"
    if "pred" not in row:
        return f"row {row.get('gold_row')}: {_cells(row['gold'])} is missing"
    return f"row {row.get('gold_row')}: {_cells(row['gold'])} ≠ {_cells(row['pred'])}"


def _cells(cells: Any) -> str:
    return " | ".join("null" if cell is None else str(cell) for cell in cells or ())


def _text(value: Any) -> str:
    if isinstance(value, list) and value and not any(isinstance(item, dict | list) for item in value):
        listed = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
        text = _text(value[0]) if len(value) == 1 else listed[1:-1]
    else:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return clipped(text, LONGEST)


def clipped(text: str, longest: int) -> str:
    """The text, or its beginning with a mark that there is more."""
    return text if len(text) <= longest else f"{text[:longest]}…"
