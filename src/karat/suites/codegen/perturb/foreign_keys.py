"""Which columns are foreign keys, by their names and values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from karat.suites.codegen.perturb.hierarchies import names_own_rows
from karat.suites.codegen.records import Columns

if TYPE_CHECKING:
    from karat.suites.codegen.perturb.profile import Column


def parent_of(
    table: str,
    label: str,
    values: Sequence[object],
    tables: Mapping[str, Columns],
    found: Mapping[str, Mapping[str, Column]],
) -> tuple[str, str] | None:
    """The table and its key that the values of a column point to; None where they are no foreign key."""
    known = {value for value in values if value is not None}
    if len(known) < 2 or found[table][label].kind not in ("whole", "text", "number"):
        return None
    keys = [(other, key, about) for other, columns in found.items() for key, about in columns.items() if about.key]
    for other, key, about in sorted(keys, key=lambda one: one[1] != label):  # a key of the same name is likeliest
        if (other, key) == (table, label):
            continue
        own = other == table and names_own_rows(label, values, tables[other][key])
        if other == table and not (own or (_akin(label, key, "") and _words(label) & _words(key) - {"id"})):
            continue
        named = about.kind == "text" or own or _akin(label, key, other)
        if named and known <= set(tables[other][key]):
            return other, key
    return None


def _akin(label: str, key: str, table: str) -> bool:
    """Whether one name speaks of the other: ``customer_id`` and ``customers.id``. Small whole numbers lie in many keys
    by chance."""
    return label == key or ("id" in _words(label) and bool(_words(label) & (_words(key) | _words(table))))


def _words(name: str) -> set[str]:
    return set(re.findall(r"[a-z]+", name.lower().removesuffix("s")))
