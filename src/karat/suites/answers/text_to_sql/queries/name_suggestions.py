"""The table or column that a failed query may have meant, by what the database said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.problems import nearest

if TYPE_CHECKING:
    from karat.engines.table_names import TableColumns

_UNKNOWN = re.compile(
    r"""(?:no such|unknown) (?P<kind>column|table)[ :'"`]{1,3}(?P<name>\w[\w.]*)"""
    r"""|(?P<kind_after>column|relation|table)[ '"`]{1,3}(?P<name_after>\w[\w.]*)[ '"`]{1,3}(?:does not|doesn't)"""
    r" exist",
    re.IGNORECASE,
)
"""As SQLite, PostgreSQL and MySQL say it. DuckDB names candidates itself."""


def name_meant(said: str, tables: Sequence[TableColumns]) -> str:
    """``Did you mean "name" (of doctor)?``; empty where the database complains of something else, or nothing is
    near."""
    found = _UNKNOWN.search(said)
    if found is None:
        return ""
    if not tables:
        return "The database has no tables."
    word = (found["name"] or found["name_after"]).rpartition(".")[2]
    if (found["kind"] or found["kind_after"]).lower() != "column":
        close = nearest(word, [table.name for table in tables])
        return f'Did you mean "{close[0]}"?' if close else ""
    owners: dict[str, list[str]] = {}
    for table in tables:
        for name, _ in table.columns:
            owners.setdefault(name, []).append(table.name)
    close = nearest(word, owners)
    if not close:
        return ""
    places = ", ".join(owners[close[0]][:3])
    if close[0].casefold() == word.casefold():
        return f'"{close[0]}" is a column of {places}, which the query does not read from at that point.'
    return f'Did you mean "{close[0]}" (of {places})?'
