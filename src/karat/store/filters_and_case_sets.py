"""What the people of a suite share in the viewer: filters under a name, and sets of cases.

Both belong to the suite, so that they work for every run of it, and to nobody: who saves under a name that is there
replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from karat.core.problems import UserError
from karat.store.schema import saved_filters, set_cases

LONGEST_NAME = 100


class SavedFilter(msgspec.Struct, frozen=True):
    """A list of cases as an address has it, under a name."""

    name: str
    query: str


class CaseSet(msgspec.Struct, frozen=True):
    """A set of cases under a name, and how many it holds."""

    name: str
    cases: int


def read_filters(connection: Connection, suite: str) -> list[SavedFilter]:
    """The saved filters of a suite, by name."""
    query = select(saved_filters.c.name, saved_filters.c.query).where(saved_filters.c.suite == suite)
    return [SavedFilter(*row) for row in connection.execute(query.order_by(saved_filters.c.name))]


def save_filter(connection: Connection, suite: str, name: str, query: str, now: str) -> None:
    """Keep a filter; one of the same name gives way."""
    name = _name(name)
    drop_filter(connection, suite, name)
    connection.execute(insert(saved_filters), {"suite": suite, "name": name, "query": query, "created": now})


def drop_filter(connection: Connection, suite: str, name: str) -> None:
    """Forget a filter. One that is not there is forgotten already."""
    connection.execute(delete(saved_filters).where(saved_filters.c.suite == suite, saved_filters.c.name == name))


def read_sets(connection: Connection, suite: str, case_id: str | None = None) -> list[CaseSet]:
    """The sets of a suite by name; those alone that hold a case, when one is named."""
    query = select(set_cases.c.name, func.count()).where(set_cases.c.suite == suite)
    if case_id is not None:
        own = select(set_cases.c.name).where(set_cases.c.suite == suite, set_cases.c.case_id == case_id)
        query = query.where(set_cases.c.name.in_(own))
    return [CaseSet(*row) for row in connection.execute(query.group_by(set_cases.c.name).order_by(set_cases.c.name))]


def read_members(connection: Connection, suite: str, name: str) -> list[str]:
    """The ids of a set's cases, as they were added."""
    query = select(set_cases.c.case_id).where(set_cases.c.suite == suite, set_cases.c.name == name)
    return list(connection.execute(query.order_by(set_cases.c.created, set_cases.c.case_id)).scalars())


def add_to_set(connection: Connection, suite: str, name: str, case_ids: Sequence[str], now: str) -> None:
    """Put cases into a set; those that are in it stay as they are."""
    name = _name(name)
    there = set(read_members(connection, suite, name))
    new = [case for case in dict.fromkeys(case_ids) if case not in there]
    if new:
        rows = [{"suite": suite, "name": name, "case_id": case, "created": now} for case in new]
        connection.execute(insert(set_cases), rows)


def take_from_set(connection: Connection, suite: str, name: str, case_id: str) -> None:
    """Take a case out. A set without cases is no more."""
    own = (set_cases.c.suite == suite, set_cases.c.name == name, set_cases.c.case_id == case_id)
    connection.execute(delete(set_cases).where(*own))


def _name(text: str) -> str:
    name = " ".join(text.split())[:LONGEST_NAME]
    if not name:
        raise UserError("a name is needed", hint="Choose a name that others will recognise.")
    return name
