"""Tables in a reply: Markdown tables, blocks of CSV, and lists of records in JSON.

What is only nearly a table is an error that says why, never a guess: rows of another length than the heading, records
with other keys or with values that are no single values.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator, Mapping

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.problems import count_of
from karat.core.replies.fences import Block, split
from karat.core.replies.json_texts import json_in
from karat.core.replies.reply import Reply
from karat.core.suite import Unreadable

SEPARATORS = {"csv": ",", "tsv": "\t", "tab-separated-values": "\t"}
"""Languages of blocks, and media types of attachments, by what is between their cells."""
MARKDOWN = frozenset({"", "markdown", "md", "text", "txt", "plaintext", "plain", "table"})
HOLDERS = ("answer", "table", "rows", "data", "result", "results", "records")
"""Keys under which an object may hold the records of a table."""
_OTHERS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_BETWEEN = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\s*:?-+:?\s*")
_WRAPPED = re.compile(r"(\*{1,3}|`)(?P<inside>(?:(?!\1).)+)\1")
_LINK = re.compile(r"\[(?P<inside>[^\[\]]+)\]\([^()\s]*\)")
_ENTITY = re.compile(r"&#?\w{1,31};")
_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.IGNORECASE)


class Table(msgspec.Struct, frozen=True):
    """A table as it was given: its heading, and its rows as texts, ``None`` for a cell that is empty or null."""

    names: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]


def tables_in(reply: Reply) -> list[tuple[Table, str]]:
    """The different tables of a reply, each with the place where it is. Raises Unreadable for what is only nearly
    one.

    Of a reply that was cut off only JSON counts, and only where it is whole.
    """
    found: dict[Table, str] = {}
    for table, where in _all(reply):
        found.setdefault(table, where)
    return list(found.items())


def _all(reply: Reply) -> Iterator[tuple[Table, str]]:
    for value, where in reply.json_values():
        yield from ((table, where) for table in _in_json(value))
    if reply.cut:
        return
    yield from _in_words(reply.text)
    for block in reply.attached:
        if block.language in SEPARATORS:
            yield _from_csv(block), "an attachment"
        elif block.language in MARKDOWN:
            yield from ((table, "an attachment") for table, _ in _in_words(block.text))


def _in_words(text: str) -> Iterator[tuple[Table, str]]:
    blocks, outside = split(text)
    yield from ((table, "the text") for table in _in_markdown(outside))
    for block in blocks:
        if block.language in SEPARATORS:
            if not block.closed:
                raise Unreadable("the block of CSV in the response has no end")
            yield _from_csv(block), "a fenced block"
        elif block.language in MARKDOWN:
            yield from ((table, "a fenced block") for table in _in_markdown(block.text))


def _table(names: list[str], rows: list[list[str | None]], what: str) -> Table:
    """The table, where every row is as long as the heading."""
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            cells = f"row {number} has {count_of(len(row), 'cell')}, and the heading {len(names)}"
            raise Unreadable(f"{what} in the response cannot be read: {cells}")
    return Table(tuple(names), tuple(tuple(row) for row in rows))


# -- Markdown ---------------------------------------------------------------------------------------------------------


def _in_markdown(text: str) -> Iterator[Table]:
    """A line of cells, a line of dashes with as many, and the lines of cells that follow. Between bars, as many cells
    after a gap are rows that belong to the table or not: the table is then not whole."""
    lines = text.split("\n")
    at = width = 0
    while at < len(lines):
        heading, rule = _cells(lines[at]), _cells(lines[at + 1]) if at + 1 < len(lines) else None
        if heading is None or rule is None or len(heading) != len(rule) or not all(map(_RULE.fullmatch, rule)):
            line = lines[at].strip()
            if heading and width == len(heading) and line.startswith("|") and line.endswith("|"):
                raise Unreadable(
                    "the Markdown table in the response cannot be read: more rows follow after a gap, without a heading"
                )
            at += 1
            continue
        rows: list[list[str | None]] = []
        at += 2
        while at < len(lines) and (cells := _cells(lines[at])) is not None:
            rows.append([_plain(cell) or None for cell in cells])
            at += 1
        width = len(heading)
        yield _table([_plain(cell) for cell in heading], rows, "the Markdown table")


def _cells(line: str) -> list[str] | None:
    """The cells of a line, without the bars around it; None for a line without a bar."""
    line = line.strip()
    if "|" not in line:
        return None
    cells = _BETWEEN.split(line)
    if line.startswith("|"):
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1].strip() and line.endswith("|"):
        cells = cells[:-1]
    return cells


def _plain(cell: str) -> str:
    """The text of a cell as it is read: without a mark-up or link around the whole of it, without breaks, and with the
    bars and entities that stand for signs."""
    cell = _BREAK.sub(" ", cell).strip()
    while (wrapped := _WRAPPED.fullmatch(cell) or _LINK.fullmatch(cell)) is not None:
        cell = wrapped["inside"].strip()
    return _ENTITY.sub(lambda found: html.unescape(found[0]), cell.replace("\\|", "|")).strip()


# -- CSV --------------------------------------------------------------------------------------------------------------


def _from_csv(block: Block) -> Table:
    separator = SEPARATORS[block.language]
    text = block.text.strip("\r\n")
    first = text.partition("\n")[0]
    other = next((name for sign, name in _OTHERS.items() if sign != separator and sign in first), "")
    if other and separator not in first:
        what = f"its heading is separated by {other}, and {_OTHERS[separator]} were expected"
        raise Unreadable(f"the block of {block.language} in the response cannot be read: {what}")
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise Unreadable(f"the block of {block.language} in the response cannot be read: {error}") from error
    filled = [line for line in lines if line]
    if not filled:
        raise Unreadable(f"the block of {block.language} in the response is empty")
    names, *rows = filled
    return _table(names, [[cell or None for cell in row] for row in rows], f"the block of {block.language}")


# -- JSON -------------------------------------------------------------------------------------------------------------


def _in_json(value: Json) -> Iterator[Table]:
    """A list of records; an object that holds one, or ``columns`` beside lists of cells; the same as text."""
    if isinstance(value, list):
        if value and all(isinstance(item, Mapping) for item in value):
            yield _from_records(value)
        return
    if not isinstance(value, Mapping):
        return
    if isinstance(value.get("response"), Mapping | list) and not set(HOLDERS) & set(value):
        yield from _in_json(value["response"])
    names = _names(value.get("columns"))
    for key in HOLDERS:
        held = value.get(key)
        if isinstance(held, str):
            yield from (table for table, _ in _in_words(held))
            yield from (table for inner, _ in json_in(held) for table in _in_json(inner))
        elif isinstance(held, Mapping):
            yield from _in_json(held)
        elif names and isinstance(held, list) and all(isinstance(row, list) for row in held):
            rows = [[_text(cell) for cell in row] for row in held]
            yield _table(names, rows, "the table in JSON")
        elif held:
            yield from _in_json(held)


def _names(value: Json) -> list[str]:
    """The heading that ``columns`` gives; none where it is not a list of texts."""
    return value if isinstance(value, list) and all(isinstance(name, str) for name in value) else []


def _from_records(records: list[JsonMapping]) -> Table:
    names = list(records[0])
    for number, record in enumerate(records, start=1):
        if set(record) != set(names):
            odd = next(iter(sorted(set(record) ^ set(names))))
            raise Unreadable(
                f"the list of records in the response cannot be read: record {number} and the first differ in the key "
                f'"{odd[:60]}"'
            )
    return _table(names, [[_text(record[name]) for name in names] for record in records], "the list of records")


def _text(value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    if isinstance(value, Mapping | list):
        shown = msgspec.json.encode(value)[:60].decode(errors="replace")
        raise Unreadable(f"a cell of the table in the response is not a single value: {shown}")
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
