"""The same tables under other texts: the categories of each column swapped, the first in the alphabet for the last.

Code that finds the category with the largest total gives the same one under its new name, unless two are equally large:
then the first in the alphabet was taken by chance. So ties show that no other order of rows would.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from karat.sandbox import Plain, Unordered
from karat.suites.codegen.perturb.profile import profiles_of
from karat.suites.codegen.records import Columns

MOST = 400
"""Texts of one column that are swapped at most."""


def relabelling(tables: Mapping[str, Columns], kept: Collection[object]) -> dict[str, str]:
    """Each text and the one that takes its place. Columns that share a text are swapped as one; texts that are ``kept``
    stay, and so do texts that hold one of them: a comment with the word that is looked for stays one."""
    parts = [one.lower() for one in kept if isinstance(one, str) and one.strip()]
    groups: list[set[str]] = []
    profiles = profiles_of(tables)
    for name, columns in tables.items():
        for label, values in columns.items():
            if profiles[name].columns[label].kind != "text":
                continue
            texts = {
                value for value in values if value is not None and not any(part in value.lower() for part in parts)
            }
            shared = [group for group in groups if group & texts]
            groups = [group for group in groups if not group & texts]
            groups.append(texts.union(*shared))
    found: dict[str, str] = {}
    for group in groups:
        if len(group) <= MOST:
            in_order = sorted(group)
            found.update(zip(in_order, reversed(in_order), strict=True))
    return found


def relabelled_tables(tables: Mapping[str, Columns], labels: Mapping[str, str]) -> dict[str, Columns]:
    return {
        name: {label: [_swapped(value, labels) for value in values] for label, values in columns.items()}
        for name, columns in tables.items()
    }


def relabelled(value: Plain, labels: Mapping[str, str]) -> Plain:
    """A result under the new texts."""
    if isinstance(value, dict):
        return {relabelled(key, labels): relabelled(one, labels) for key, one in value.items()}
    if isinstance(value, Unordered):
        return Unordered(relabelled(one, labels) for one in value)
    if isinstance(value, list | tuple):
        return type(value)(relabelled(one, labels) for one in value)
    if isinstance(value, msgspec.Struct):
        parts = {name: relabelled(getattr(value, name), labels) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **parts)
    return _swapped(value, labels)


def _swapped(value: object, labels: Mapping[str, str]) -> object:
    return labels.get(value, value) if isinstance(value, str) else value
