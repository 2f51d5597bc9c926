"""Reads a file that generated code has written. Its text is run inside a sandbox that never ran that code.

It imports nothing of karat. What is too large, or is not what its name says, ends with an error, which is the answer.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import pathlib
import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any  # Any: whatever a file holds

UNPACKED = 64 * 1024**2
CELLS = 2_000_000
SAMPLE = 64 * 1024
DELIMITERS = (",", ";", "\t", "|")


class Refused(Exception):
    """A file that is not read, and why."""


def read_file(name: str, data: bytes, sheet: str, table: str) -> dict[str, Any]:
    """What the file holds: ``content``, and ``notes`` on how it was read."""
    ending = name.lower().rpartition(".")[2]
    if ending == "gz":
        data, name = _unzipped(data), name[:-3]
        ending = name.lower().rpartition(".")[2]
    if ending in ("pkl", "pickle", "joblib", "dill") or data[:2] in (b"\x80\x03", b"\x80\x04", b"\x80\x05"):
        raise Refused("pickle files are never opened: reading one runs code")
    reader = READERS.get(ending)
    if reader is None:
        return {"content": _text(data)[0], "notes": {}}
    return reader(data, sheet, table)


def _unzipped(data: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        found = packed.read(UNPACKED + 1)
    if len(found) > UNPACKED:
        raise Refused(f"it unpacks to more than {UNPACKED:,} bytes")
    return found


def _text(data: bytes) -> tuple[str, str]:
    """The text, and the encoding it is in."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding), encoding
    if b"\0" in data:
        return _wide_text(data)
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "cp1252"


def _wide_text(data: bytes) -> tuple[str, str]:
    """Text of two bytes a letter without a mark in front: every other byte of its digits and separators is zero."""
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if 0 in data[first:SAMPLE:2] and 0 not in data[1 - first : SAMPLE : 2]:
            try:
                return data.decode(encoding), encoding
            except UnicodeDecodeError:
                break
    raise Refused("it is not a text file")


# -- tables -----------------------------------------------------------------------------------------------------------


def _csv(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    import pandas

    text, encoding = _text(data)
    delimiter = _delimiter(text)
    notes = {"encoding": encoding, "delimiter": delimiter}
    if not text.strip():
        raise Refused("it is empty")
    rows = text.count("\n") + 1
    if rows * (text[: text.find("\n") if "\n" in text else len(text)].count(delimiter) + 1) > 2 * CELLS:
        raise Refused(f"it has more than {CELLS:,} cells")
    frame = pandas.read_csv(
        io.StringIO(text), sep=delimiter, dtype=str, keep_default_na=False, na_values=[""], skip_blank_lines=True
    )
    commas = [name for name in range(frame.shape[1]) if _has_decimal_commas(frame.iloc[:, name].dropna(), delimiter)]
    if commas:
        written = {
            place: frame.iloc[:, place].str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
            if place in commas
            else frame.iloc[:, place]
            for place in range(frame.shape[1])
        }
        frame = pandas.DataFrame(written).set_axis(frame.columns, axis=1)
        notes["decimal"] = ","
    return {"content": frame, "notes": notes}


def _has_decimal_commas(column: Any, delimiter: str) -> bool:
    """Whether a column is of numbers such as ``1.234,5``. Where commas cut the columns, or all of its commas may be
    between thousands, one of its numbers must be one that can be read no other way."""
    if not len(column) or not column.str.fullmatch(r"-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?").all():
        return False
    with_comma = column[column.str.contains(",", regex=False)]
    if delimiter != ",":
        return len(with_comma) > 0
    return bool((~with_comma.str.fullmatch(r"-?[1-9]\d{0,2}(?:,\d{3})+")).any())


def _delimiter(text: str) -> str:
    """The sign that cuts the first lines into the most columns, the same number in each."""
    sample = text[:SAMPLE]
    lines = sample if len(text) <= SAMPLE else sample[: sample.rfind("\n") + 1] or sample
    best, most = ",", 1
    for sign in DELIMITERS:
        try:
            widths = {len(row) for row in csv.reader(io.StringIO(lines), delimiter=sign) if row}
        except csv.Error:
            continue
        if len(widths) == 1 and (width := widths.pop()) > most:
            best, most = sign, width
    return best


def _parquet(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(io.BytesIO(data))
    about = file.metadata
    size = sum(about.row_group(place).total_byte_size for place in range(min(about.num_row_groups, 10_000)))
    if about.num_rows * about.num_columns > CELLS or size > UNPACKED:
        raise Refused(f"it unpacks to more than {CELLS:,} cells or {UNPACKED:,} bytes")
    found = file.read()
    found.validate(full=True)
    return {"content": _without_index(found), "notes": {}}


def _feather(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    import pyarrow

    source = pyarrow.py_buffer(data)
    opened = pyarrow.ipc.open_file if data[:6] == b"ARROW1" else pyarrow.ipc.open_stream
    found = opened(source).read_all()
    if found.num_rows * found.num_columns > CELLS:
        raise Refused(f"it has more than {CELLS:,} cells")
    found.validate(full=True)
    return {"content": _without_index(found), "notes": {}}


def _without_index(table: Any) -> Any:
    return table.select([name for name in table.column_names if not name.startswith("__index_level")])


def _excel(data: bytes, sheet: str, _table: str) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if sum(part.file_size for part in parts.infolist()) > UNPACKED or len(parts.infolist()) > 2_000:
            raise Refused(f"it unpacks to more than {UNPACKED:,} bytes")
    import openpyxl
    import pandas

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    if sheet and sheet not in book.sheetnames:
        raise Refused(f'it has no sheet "{sheet}", only {", ".join(book.sheetnames[:20])}')
    chosen = book[sheet] if sheet else book.worksheets[0]
    rows: list[tuple[Any, ...]] = []
    cells = 0
    for row in chosen.iter_rows(values_only=True):
        cells += len(row)
        if cells > CELLS:
            raise Refused(f"it has more than {CELLS:,} cells")
        rows.append(row)
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise Refused(f'the sheet "{chosen.title}" is empty')
    names = [f"Unnamed: {place}" if name is None else name for place, name in enumerate(rows[0])]
    frame = pandas.DataFrame(dict(enumerate(zip(*rows[1:]))) if len(rows) > 1 else {}, dtype=object)  # noqa: B905 (Python 3.9)
    frame = frame.reindex(columns=range(len(names))).set_axis(names, axis=1)
    return {"content": frame, "notes": {"sheet": chosen.title}}


def _sqlite(data: bytes, _sheet: str, table: str) -> dict[str, Any]:
    import sqlite3

    import pandas

    if not data.startswith(b"SQLite format 3\0"):
        raise Refused("it is not a SQLite file")
    pathlib.Path("database.sqlite").write_bytes(data)
    base = sqlite3.connect("file:database.sqlite?mode=ro", uri=True)
    base.execute("PRAGMA trusted_schema = OFF")
    names = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")]
    names = [name for name in names if not name.startswith("sqlite_")]
    if not table and len(names) == 1:
        table = names[0]
    if table not in names:
        said = f'it has no table "{table}"' if table else "name one of its tables"
        raise Refused(f"{said}: {', '.join(names[:20]) or 'it has none'}")
    found = base.execute('SELECT * FROM "' + table.replace('"', '""') + '"')  # noqa: S608 (one of its own names, quoted)
    columns = [column[0] for column in found.description]
    rows = found.fetchmany(CELLS // max(1, len(columns)) + 1)
    if len(rows) * len(columns) > CELLS:
        raise Refused(f"it has more than {CELLS:,} cells")
    frame = pandas.DataFrame(rows, dtype=object).reindex(columns=range(len(columns))).set_axis(columns, axis=1)
    return {"content": frame, "notes": {"table": table}}


# -- values -----------------------------------------------------------------------------------------------------------


def _json(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    """Records, columns, split, lines, or any other value; a mapping stays one."""
    import pandas

    text, encoding = _text(data)
    try:
        value = _loaded(text)
    except json.JSONDecodeError as problem:
        if problem.msg != "Extra data" or text[: problem.pos].strip().count("\n"):
            raise
        return _json_lines(data, "", "")  # ``to_json(lines=True)`` is written under this name too
    form = "value"
    if (
        isinstance(value, dict)
        and "data" in value
        and set(value) in ({"schema", "data"}, {"columns", "data"}, {"columns", "index", "data"})
    ):
        form = "table" if "schema" in value else "split"
        rows = value["data"]
        value = _rows_of(value) if form == "table" else pandas.DataFrame(rows, columns=value["columns"])
    elif isinstance(value, dict) and len(value) > 0 and all(isinstance(part, dict) for part in value.values()):
        keys = [list(part) for part in value.values()]
        if all(own == keys[0] and own == [str(place) for place in range(len(own))] for own in keys):
            form, value = "columns", {name: list(part.values()) for name, part in value.items()}
    elif isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
        form = "records"
    return {"content": value, "notes": {"encoding": encoding, "form": form}}


def _rows_of(value: Any) -> Any:
    """The rows of the form ``table``, without an index that merely counts them."""
    rows = value["data"]
    keys = value["schema"].get("primaryKey") if isinstance(value["schema"], dict) else None
    if keys != ["index"] or [row.get("index") for row in rows] != list(range(len(rows))):
        return rows
    return [{name: cell for name, cell in row.items() if name != "index"} for row in rows]


def _json_lines(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    text, encoding = _text(data)
    rows = [_loaded(line) for line in text.split("\n") if line.strip()]
    if len(rows) == 1 and isinstance(rows[0], list):
        return {"content": rows[0], "notes": {"encoding": encoding, "form": "records"}}
    return {"content": rows, "notes": {"encoding": encoding, "form": "lines"}}


def _loaded(text: str) -> Any:
    """JSON in which no mapping has a key twice: readers take one or the other."""
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: Any) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Refused("a mapping in it has a key twice")
    return found


def _npy(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    import numpy

    return {"content": numpy.load(io.BytesIO(data), allow_pickle=False), "notes": {}}


def _plain_text(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    text, encoding = _text(data)
    return {"content": text, "notes": {"encoding": encoding}}


# -- images: only what their headers say ------------------------------------------------------------------------------


def _image(data: bytes, _sheet: str, _table: str) -> dict[str, Any]:
    found = _png(data) or _gif(data) or _bmp(data) or _jpeg(data) or _svg(data)
    if found is None:
        raise Refused("its header is not that of a PNG, JPEG, GIF, BMP or SVG image")
    return {"content": {"format": found[0], "width": found[1], "height": found[2]}, "notes": {}}


def _png(data: bytes) -> Any:
    if data[:8] != b"\x89PNG\r\n\x1a\n" or data[12:16] != b"IHDR" or len(data) < 24:
        return None
    return ("png", *struct.unpack(">II", data[16:24]))


def _gif(data: bytes) -> Any:
    return (
        ("gif", *struct.unpack("<HH", data[6:10])) if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10 else None
    )


def _bmp(data: bytes) -> Any:
    if data[:2] != b"BM" or len(data) < 26:
        return None
    width, height = struct.unpack("<ii", data[18:26])
    return "bmp", width, abs(height)


def _jpeg(data: bytes) -> Any:
    if data[:3] != b"\xff\xd8\xff":
        return None
    place = 2
    while place + 9 < len(data) and data[place] == 0xFF:
        mark, length = data[place + 1], struct.unpack(">H", data[place + 2 : place + 4])[0]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return "jpeg", width, height
        place += 2 + length
    return None


def _svg(data: bytes) -> Any:
    head = re.search(rb"<svg\b[^>]{0,2000}>", data[:10_000])
    if head is None:
        return None
    sizes = {key: re.search(rb"\b" + key + rb'="([\d.]{1,12})', head[0]) for key in (b"width", b"height")}
    if any(size is None for size in sizes.values()):
        return None
    width, height = (round(float(size[1])) for size in sizes.values() if size is not None)
    return "svg", width, height


READERS: dict[str, Callable[[bytes, str, str], dict[str, Any]]] = {
    **dict.fromkeys(("csv", "tsv", "tab"), _csv),
    **dict.fromkeys(("parquet", "pq"), _parquet),
    **dict.fromkeys(("feather", "arrow", "ipc"), _feather),
    **dict.fromkeys(("xlsx", "xlsm"), _excel),
    **dict.fromkeys(("sqlite", "sqlite3", "db"), _sqlite),
    **dict.fromkeys(("jsonl", "ndjson"), _json_lines),
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "bmp", "svg"), _image),
    **dict.fromkeys(("txt", "md", "log", "html"), _plain_text),
    "json": _json,
    "npy": _npy,
}
