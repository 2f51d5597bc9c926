"""The cells of a notebook file, with the line of the file that each begins in.

Only the text of cells and their tags are read. Of outputs only one thing is asked: whether there are
any.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonObject
from karat.core.problems import Problem

SUFFIX = ".ipynb"
STEP, SETUP, TESTS = "karat:step", "karat:setup", "karat:tests"
TAGS = (STEP, SETUP, TESTS)
MOST_CELLS = 1_000


BOM = b"\xef\xbb\xbf"
VERSION = 4


class _Metadata(msgspec.Struct, frozen=True):
    tags: tuple[str, ...] | None = ()


class _Cell(msgspec.Struct, frozen=True):
    cell_type: str
    source: str | list[str] = ""
    metadata: _Metadata | None = _Metadata()
    outputs: list[msgspec.Raw] | None = []


class _Version(msgspec.Struct, frozen=True):
    nbformat: int


class _Notebook(msgspec.Struct, frozen=True):
    cells: Annotated[list[_Cell], msgspec.Meta(max_length=MOST_CELLS)]
    metadata: JsonObject = {}


class Cell(msgspec.Struct, frozen=True):
    """One cell. ``number`` counts all cells from 1."""

    number: int
    kind: Literal["code", "markdown"]
    source: str
    tags: tuple[str, ...]
    line: int
    has_output: bool = False
    in_lines: bool = True
    """Whether the file has each line of the cell in a line of its own."""

    def line_of(self, number: int) -> int:
        """The line of the file that holds this line of the cell, or the one that holds the whole cell."""
        return self.line + number - 1 if self.in_lines else self.line


class Notebook(msgspec.Struct, frozen=True):
    """A notebook: its cells of code and text, and what it says about itself under ``karat`` in its metadata."""

    cells: tuple[Cell, ...]
    about: JsonObject


def read_notebook(file: Path) -> Notebook | Problem:
    """The notebook of a file; a problem when it is none that can be read."""
    data = read_bytes(file).removeprefix(BOM)
    try:
        version = msgspec.json.decode(data, type=_Version).nbformat
        if version != VERSION:
            hint = f"Convert it: jupyter nbconvert --to notebook --nbformat {VERSION}"
            return Problem(f"nbformat {version}; only nbformat {VERSION} is read", file=str(file), line=1, hint=hint)
        found = msgspec.json.decode(data, type=_Notebook)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = "A notebook is JSON with nbformat and cells, as Jupyter saves it."
        return Problem(f"not a notebook: {error}", file=str(file), line=1, hint=hint)
    language = _language(found.metadata)
    if language and "python" not in language.lower():
        return Problem(f"a notebook in {language}; only Python is run", file=str(file), line=1)
    about = found.metadata.get("karat")
    return Notebook(_cells(found, data.decode()), about if isinstance(about, dict) else {})


def _language(metadata: JsonObject) -> str:
    """The language that the notebook says it is in; empty: it does not say."""
    for place, key in (("kernelspec", "language"), ("language_info", "name")):
        about = metadata.get(place)
        said = about.get(key) if isinstance(about, dict) else None
        if isinstance(said, str) and said:
            return said
    return ""


def _cells(found: _Notebook, text: str) -> tuple[Cell, ...]:
    cells, place = [], 0
    for number, cell in enumerate(found.cells, start=1):
        source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        first = next((line for line in source.splitlines() if line.strip()), "")
        at = text.find(json.dumps(first, ensure_ascii=False)[1:-1], place) if first else -1
        place = at if at >= 0 else place
        if cell.cell_type in ("code", "markdown"):
            kind: Literal["code", "markdown"] = "code" if cell.cell_type == "code" else "markdown"
            line = text.count("\n", 0, place) + 1
            in_lines = isinstance(cell.source, list) and line > 1
            tags = (cell.metadata.tags if cell.metadata is not None else ()) or ()
            cells.append(Cell(number, kind, source, tags, line, bool(cell.outputs), in_lines))
    return tuple(cells)
