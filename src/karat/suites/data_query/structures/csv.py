"""Codes as CSV: ``codelist,id,name`` or ``id,name``, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from karat.core.problems import count_of
from karat.suites.data_query.structures.records import Codelist, Contents, DataMessage, Unusable, clean, parse_ref

SEPARATORS = (",", ";", "\t")
ID_COLUMNS = ("id", "code")
NAME_COLUMNS = ("name", "label", "title", "description")
_DECLARED = re.compile(r"\ufeff?sep=[,;\t|]\r?\n", re.IGNORECASE)
"""The line that tells Excel the separator."""


def read_csv(text: str, stem: str, contents: Contents) -> None:
    """Columns ``id`` and a name, and ``codelist`` where the file holds several; without it the file's name is the
    codelist's. A row that does not fit the header is refused: a name would lose what follows its comma, and a quote
    that nobody closes would take all further rows into one name."""
    text = _DECLARED.sub("", text, count=1) if _DECLARED.match(text) else text
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    lists: dict[str, dict[str, str]] = {}
    begun = 1
    try:
        header = [cell.strip().casefold() for cell in next(rows, [])]
        if "obs_value" in header:
            raise DataMessage("the file contains data (it has a column OBS_VALUE), not codes")
        id_column, name_column, list_column = _columns(header)
        begun = rows.line_num + 1
        for row in rows:
            line, begun = begun, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if any(cell.strip() for cell in row[len(header) :]):
                raise Unusable(
                    f"expected {count_of(len(header), 'cell')} as in the header, found {len(row)}",
                    line=line,
                    hint='A name that contains the separator is written in quotes: "Korea, Republic of".',
                )
            cells = [*row, *[""] * (len(header) - len(row))]
            code, name = cells[id_column].strip(), clean(cells[name_column])
            if not code:
                raise Unusable("a row without an id", line=line)
            codes = lists.setdefault(cells[list_column].strip() if list_column is not None else stem, {})
            if codes.setdefault(code, name) != name:
                raise Unusable(f'the id "{code}" appears twice, with two names', line=line, hint="Keep one of them.")
    except csv.Error as error:
        hint = "A quote at the start of a cell needs one at its end; quotes inside are doubled."
        raise Unusable(f"not valid CSV: {error}", line=begun, hint=hint) from error
    contents.codelists.extend(Codelist(parse_ref(name), codes) for name, codes in lists.items())


def _separator(text: str) -> str:
    """The sign that splits the header into the columns that are needed."""
    header = text.lstrip().partition("\n")[0]
    for sign in SEPARATORS:
        columns = [cell.strip().strip('"').casefold() for cell in header.split(sign)]
        if any(name in columns for name in ID_COLUMNS) and any(name in columns for name in NAME_COLUMNS):
            return sign
    return max(SEPARATORS, key=header.count)


def _columns(header: Sequence[str]) -> tuple[int, int, int | None]:
    code = next((column for column in ID_COLUMNS if column in header), None)
    name = next((column for column in NAME_COLUMNS if column in header), None)
    if code is None or name is None:
        raise Unusable(
            f'expected a header with "id,name" or "codelist,id,name", found "{",".join(header)[:80]}"',
            line=1,
            hint=f"The id may also be called code, the name {', '.join(NAME_COLUMNS[1:-1])} or {NAME_COLUMNS[-1]}; "
            "other columns are ignored.",
        )
    return header.index(code), header.index(name), header.index("codelist") if "codelist" in header else None
