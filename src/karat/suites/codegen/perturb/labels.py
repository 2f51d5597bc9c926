"""The same tables under other texts: the categories of each column swapped, the first in the alphabet for the last.

Code that finds the category with the largest total gives the same one under its new name, unless two are equally large:
then the first in the alphabet was taken by chance. So ties show that no other order of rows would.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import date, timedelta

import msgspec

from karat.sandbox import Plain, Unordered
from karat.suites.codegen.perturb.profile import parsed, profiles_of, written
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
    return _each_cell(value, lambda cell: _swapped(cell, labels))


def _each_cell(value: Plain, change: Callable[[object], object]) -> Plain:
    if isinstance(value, dict):
        return {_each_cell(key, change): _each_cell(one, change) for key, one in value.items()}
    if isinstance(value, Unordered):
        return Unordered(_each_cell(one, change) for one in value)
    if isinstance(value, list | tuple):
        return type(value)(_each_cell(one, change) for one in value)
    if isinstance(value, msgspec.Struct):
        parts = {name: _each_cell(getattr(value, name), change) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **parts)
    return change(value)


class Mirror:
    """The same tables with their days in reverse, the first for the last, each at its time of day. Code that finds the
    day with the most rows finds the same one, unless two have as many."""

    def __init__(self, tables: Mapping[str, Columns]) -> None:
        profiles = profiles_of(tables)
        self.columns = {
            (name, label): about.form
            for name, profile in profiles.items()
            for label, about in profile.columns.items()
            if about.kind in ("date", "dated")
        }
        self.forms = {form for form in self.columns.values() if form}
        self.dated = tables
        days = [
            moment.toordinal()
            for (name, label), form in self.columns.items()
            for value in tables[name][label]
            if (moment := _moment(value, form)) is not None
        ]
        self.ends = min(days) + max(days) if days else 0

    def tables(self) -> dict[str, Columns]:
        return {
            name: {
                label: [self._turned(value, self.columns[name, label]) for value in values]
                if (name, label) in self.columns
                else values
                for label, values in columns.items()
            }
            for name, columns in self.dated.items()
        }

    def result(self, value: Plain) -> Plain:
        """A result on the mirrored tables, where it was this one on the others."""
        return _each_cell(value, self._cell)

    def _cell(self, cell: object) -> object:
        forms = self.forms if isinstance(cell, str) else {""}
        return next((turned for form in forms if (turned := self._turned(cell, form)) != cell), cell)

    def _turned(self, value: object, form: str) -> object:
        moment = _moment(value, form)
        if moment is None:
            return value
        turned = moment + timedelta(days=self.ends - 2 * moment.toordinal())
        return written(turned, form) if form else turned


def _moment(value: object, form: str) -> date | None:
    if form:
        return parsed(value, form) if isinstance(value, str) else None
    return value if isinstance(value, date) else None


def _swapped(value: object, labels: Mapping[str, str]) -> object:
    return labels.get(value, value) if isinstance(value, str) else value
