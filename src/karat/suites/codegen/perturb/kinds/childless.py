"""Rows that no other table points to: customers without an order, stations where no trip ended.

Only where the tables show such rows already. Else nobody knows whether a question about all customers is also about
those who never ordered.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from karat.suites.codegen.perturb.profile import Profile
from karat.suites.codegen.records import Columns

SHARE = 3
"""One row in SHARE loses its children."""


def childless(
    tables: Mapping[str, Columns], profiles: Mapping[str, Profile], pick: random.Random
) -> dict[str, Columns]:
    """The tables with some rows that nothing points to any more."""
    made = {name: dict(columns) for name, columns in tables.items()}
    links: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for name, profile in profiles.items():
        for label, about in profile.columns.items():
            if about.parent is not None and about.parent[0] != name and (label,) in profile.blocks:
                links.setdefault(about.parent, []).append((name, label))
    for (table, key), children in links.items():
        keys = list(tables[table][key])
        if all(set(keys) <= set(tables[name][label]) for name, label in children):
            continue
        for name, label in children:
            there = sorted(set(tables[name][label]) & set(keys))
            alone = set(pick.sample(there, max(1, len(there) // SHARE))) if len(there) > 1 else set()
            free = [one for one in there if one not in alone]
            made[name][label] = [pick.choice(free) if value in alone else value for value in made[name][label]]
    return made
