"""Codes as CSV: ``codelist,id,name`` or ``id,name``, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from karat.suites.data_query.structures.records import Codelist, Contents, Unusable, clean, parse_ref

SEPARATORS = (",", ";", "\t")
NAME_COLUMNS = ("name", "label", "title")


def read_csv(text: str, stem: str, contents: Contents) -> None:
    """Columns ``id`` and a name, and ``codelist`` where the file holds several; without it the file's name is the
    codelist's."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text))
    lists: dict[str, dict[str, str]] = {}
    try:
        header = [cell.strip().casefold() for cell in next(rows, [])]
        id_column, name_column, list_column = _columns(header)
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            cells = [*row, *[""] * (len(header) - len(row))]
            code, name = cells[id_column].strip(), clean(cells[name_column])
            if not code:
                raise Unusable("a row without an id", line=rows.line_num)
            codes = lists.setdefault(cells[list_column].strip() if list_column is not None else stem, {})
            if codes.setdefault(code, name) != name:
                raise Unusable(
                    f'the id "{code}" appears twice, with two names', line=rows.line_num, hint="Keep one of them."
                )
    except csv.Error as error:
        raise Unusable(f"not valid CSV: {error}", line=rows.line_num) from error
    contents.codelists.extend(Codelist(parse_ref(name), codes) for name, codes in lists.items())


def _separator(text: str) -> str:
    """The sign that splits the header into the columns that are needed."""
    header = text.lstrip().partition("\n")[0]
    for sign in SEPARATORS:
        columns = [cell.strip().strip('"').casefold() for cell in header.split(sign)]
        if "id" in columns and any(name in columns for name in NAME_COLUMNS):
            return sign
    return ","


def _columns(header: Sequence[str]) -> tuple[int, int, int | None]:
    name = next((column for column in NAME_COLUMNS if column in header), None)
    if "id" not in header or name is None:
        raise Unusable(
            f'expected a header with "id,name" or "codelist,id,name", found "{",".join(header)[:80]}"',
            line=1,
            hint=f"The name may also be called {' or '.join(NAME_COLUMNS[1:])}; other columns are ignored.",
        )
    return header.index("id"), header.index(name), header.index("codelist") if "codelist" in header else None
