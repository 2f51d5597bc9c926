"""What the commands wrote, as a list of (place, text) for every file: what two runs never have in common is taken
out."""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec

from karat.store.blocks.block import Block
from karat.store.predictions.answer_blocks import KEYS, Keys

Lines = list[tuple[str, str]]
"""(place, text). A place is a cell, a key, a column of a row; it is "" where the order alone says where a line is."""

VARYING = {
    "started", "finished", "created", "karat", "seconds", "peak_memory", "host", "machine", "pid", "born", "holder",
    "taken", "renewed",
}  # fmt: skip
"""Keys and columns whose values are times, durations, memory, processes and versions."""
PATTERNS = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"), "TIME"),
    (re.compile(r"\bproven in \d+(\.\d+)? (ms|s)\b"), "proven in DURATION"),
    (re.compile(r"\b(seconds|peak_memory): \d[\d.e+-]*"), r"\1: VARIES"),
    (re.compile(r"karat \d+\.\d+\.\d+\S*"), "karat VERSION"),
)

PROGRESS = re.compile(r"\d+/\d+  \d+(\.\d+)?/s ")
"""A line of progress: printed only where a run takes a while."""


def read_folder(folder: Path) -> dict[str, Lines]:
    """Every file below the folder by its relative path; files of no known kind must not appear."""
    found = {}
    for file in sorted(folder.rglob("*")):
        place = file.relative_to(folder)
        if file.is_dir() or place.parts[0] == ".metadata" or file.name.endswith(("-wal", "-shm", ".lock")):
            continue
        found[place.as_posix()] = [(where, _plain(text, folder)) for where, text in _read(file)]
    return found


def _plain(text: str, folder: Path) -> str:
    text = text.replace(str(folder), "FOLDER")
    for pattern, name in PATTERNS:
        text = pattern.sub(name, text)
    return text


def _read(file: Path) -> Iterator[tuple[str, str]]:
    match file.suffix:
        case ".xlsx":
            return _excel(file)
        case ".html":
            return _html(file)
        case ".json":
            return _flat("", json.loads(file.read_text(encoding="utf-8")))
        case ".db" if ".karat" in file.parts:
            return _store(file)
        case ".jsonl":
            lines = file.read_text(encoding="utf-8").split("\n")
            return (found for number, line in enumerate(lines, 1) for found in _json_or_text(f"line {number}", line))
        case ".md":
            return (("", unescape(line)) for line in file.read_text(encoding="utf-8").splitlines())
        case ".txt" | ".xml" | ".csv" | ".yaml" | ".sheet" | ".sql" | ".toml":
            lines = file.read_text(encoding="utf-8").splitlines()
            return (("", line.rstrip()) for line in lines if not PROGRESS.match(line))
        case _:
            return iter([("", f"{file.stat().st_size} bytes")])


def _flat(place: str, value: Any) -> Iterator[tuple[str, str]]:
    """A JSON value as its leaves. A key that varies keeps its place, so that it cannot go missing."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            where = f"{place}.{key}" if place else key
            if key in VARYING and not isinstance(item, dict | list):
                yield where, "VARIES" if item else repr(item)
            else:
                yield from _flat(where, item)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _flat(f"{place}[{number}]", item)
    else:
        yield place, json.dumps(value, ensure_ascii=False)


# -- Excel
# --------------------------------------------------------------------------------------------------------------


def _excel(file: Path) -> Iterator[tuple[str, str]]:
    from openpyxl import load_workbook

    for sheet in load_workbook(file):
        yield (
            sheet.title,
            f"{sheet.dimensions}, frozen at {sheet.freeze_panes}, merged {sorted(map(str, sheet.merged_cells.ranges))}",
        )
        yield f"{sheet.title} filter", str(sheet.auto_filter.ref)
        for column, shape in sorted(sheet.column_dimensions.items()):
            yield f"{sheet.title} column {column}", f"width {shape.width}, hidden {shape.hidden}"
        yield f"{sheet.title} pictures", _pictures(sheet)
        for rules in sheet.conditional_formatting:
            yield f"{sheet.title} rules {rules.sqref}", "; ".join(f"{rule.type} {rule.formula}" for rule in rules.rules)
        for row in sheet.iter_rows():
            for cell in row:
                if cell.value is None and not cell.has_style:
                    continue
                link = cell.hyperlink.target or cell.hyperlink.location if cell.hyperlink else ""
                yield (
                    f"{sheet.title}!{cell.coordinate}",
                    f"{cell.value!r} [{cell.number_format}] {_style(cell)} {link}".rstrip(),
                )


def _pictures(sheet: Any) -> str:
    return f"{len(sheet._charts)} charts, {len(sheet._images)} images"


def _style(cell: Any) -> str:
    font, fill, align, border = cell.font, cell.fill, cell.alignment, cell.border
    said = [
        f"{font.name} {font.sz}{' bold' if font.b else ''}{' italic' if font.i else ''}",
        f"colour {_colour(font.color)} on {_colour(fill.fgColor) if fill.fill_type else 'none'}",
        f"align {align.horizontal} {align.vertical}{' wrapped' if align.wrap_text else ''} indent {align.indent:g}",
        "border " + " ".join(str(getattr(border, side).style) for side in ("left", "right", "top", "bottom")),
    ]
    return ", ".join(said)


def _colour(colour: Any) -> str:
    return "default" if colour is None else f"{colour.type} {colour.value}"


# -- HTML
# ---------------------------------------------------------------------------------------------------------------


class _Texts(HTMLParser):
    """The texts of a page in their order, each under the elements that hold it, and its embedded data as JSON."""

    VOID = frozenset(
        ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
    )

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.data = False
        self.found: Lines = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.data = tag == "script" and dict(attrs).get("type") == "application/json"
        for name, value in attrs:
            if name in ("title", "alt", "href", "aria-label", "placeholder") and value:
                self.found.append(("", f"{tag} {name}: {value}"))

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        inside = self.open[-1] if self.open else ""
        if inside == "script" and self.data:
            self.found += [(f"data {place}", text) for place, text in _flat("", json.loads(data))]
        elif inside not in ("script", "style") and data.strip():
            self.found.append(("", f"{inside}: {' '.join(data.split())}"))


def _html(file: Path) -> Iterator[tuple[str, str]]:
    parser = _Texts()
    parser.feed(file.read_text(encoding="utf-8"))
    parser.close()
    return iter(parser.found)


# -- the store
# ----------------------------------------------------------------------------------------------------------


def _store(file: Path) -> Iterator[tuple[str, str]]:
    connection = sqlite3.connect(file)
    connection.row_factory = lambda cursor, row: dict(zip((one[0] for one in cursor.description), row, strict=True))
    try:
        tables = [
            row["name"]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        for table in tables:
            keys = [row["name"] for row in connection.execute(f'PRAGMA table_info("{table}")') if row["pk"]]
            rows = connection.execute(f'SELECT * FROM "{table}"').fetchall()
            # Answers are stored in the order in which they arrive, so a row is known by its contents, not by its
            # number.
            for row in sorted(rows, key=_order):
                named = [name for name in keys if name != "id"] or [
                    name for name in ("case_id", "turn", "repeat") if name in row
                ]
                where = f"{table}({', '.join(str(row[name]) for name in named)})"
                for column in row:
                    yield from _column(f"{where}.{column}", column, row, table)
    finally:
        connection.close()


def _order(row: dict[str, Any]) -> tuple[str, ...]:
    first = ("run_id", "case_id", "turn", "repeat", "attempt", "scoring_id", "position")
    names = [name for name in first if name in row]
    return tuple(f"{row[name]!s:>12}" for name in names) or tuple(map(str, row.values()))


def _column(place: str, column: str, row: dict[str, Any], table: str) -> Iterator[tuple[str, str]]:
    value = row[column]
    if column in VARYING or (table == "predictions" and column == "id"):
        yield place, "VARIES" if value else repr(value)
    elif "kind" in row and column == "data":
        yield from _block(place, row)
    elif isinstance(value, bytes):
        raw = zlib.decompress(value) if row["codec"] == "zlib" else value
        yield from _json_or_text(place, raw.decode("utf-8", errors="backslashreplace"))
    elif column in ("codec", "checksum"):
        return  # what was compressed depends on lengths, which durations change
    elif isinstance(value, str) and value[:1] in "{[":
        yield from _json_or_text(place, value)
    else:
        yield place, repr(value)


def _block(place: str, row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What a block of the store holds, item by item."""
    for number, item in enumerate(Block(row["rows"], row["checksum"], row["data"]).items()):
        here = f"{place}[{number}]"
        if row["kind"] in ("columns", "lines", "words", KEYS):
            found = msgspec.msgpack.decode(item)
            if row["kind"] == KEYS:
                found = [
                    "VARIES" if name in ("latencies", "created") else value
                    for name, value in zip(Keys.__struct_fields__, found, strict=True)
                ]
            yield here, repr(found)
        else:
            yield from _json_or_text(here, item.decode("utf-8", errors="backslashreplace"))


def _json_or_text(place: str, text: str) -> Iterator[tuple[str, str]]:
    try:
        yield from _flat(place, json.loads(text))
    except json.JSONDecodeError:
        yield place, text
