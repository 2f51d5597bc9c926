"""Which engine answers which instance: a rule in the configuration, id prefix → settings.

::

    routes:
      bq: {engine: bigquery}
      sf_: {engine: snowflake}
      local: {engine: sqlite, path: databases/shop.sqlite}
      local003: {engine: duckdb, path: "databases/{id}.duckdb"}
      bird: {engine: sqlite, path: "databases/{database}/{database}.sqlite"}

The longest prefix wins, so a whole id is a rule for that instance alone, and an empty prefix a rule for all the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from karat.core.problems import UserError, nearest


def route(instance_id: str, rules: Mapping[str, Mapping[str, object]], database: str = "") -> dict[str, object]:
    """The settings of the engine for this instance, ``{id}`` (or ``{instance_id}``) and ``{db}`` (or
    ``{database}``) filled in."""
    fitting = [prefix for prefix in rules if instance_id.startswith(prefix)]
    if not fitting:
        raise UserError(f'no engine is configured for the instance "{instance_id}"', hint=_hint(instance_id, rules))
    settings = rules[max(fitting, key=len)]
    names = {"{instance_id}": instance_id, "{id}": instance_id, "{database}": database, "{db}": database}
    return {key: _filled(value, names, instance_id) for key, value in settings.items()}


def _filled(value: object, names: Mapping[str, str], instance_id: str) -> object:
    if not isinstance(value, str):
        return value
    for place, name in names.items():
        if place not in value:
            continue
        if not name:
            raise UserError(
                f'the instance "{instance_id}" does not say which database it is about',
                hint=f'Put it into the gold row as "db_id", or name the database without {place}.',
            )
        if not re.fullmatch(r"\w[\w.-]*", name):  # it becomes part of a path or of an address
            what = "database" if place in ("{database}", "{db}") else "id"
            raise UserError(
                f'the {what} "{name}" cannot be used in a path',
                hint=f"Use only letters, digits, _, - and . in it, or name the database without {place}.",
            )
        value = value.replace(place, name)
    return value


def _hint(instance_id: str, rules: Mapping[str, object]) -> str:
    if not rules:
        return "Add a rule: routes: {local: {engine: sqlite, path: shop.sqlite}}."
    known = f"Prefixes with a rule: {', '.join(sorted(rules))}."
    close = nearest(instance_id, rules)
    return f'{known} Did you mean "{close[0]}"?' if close else known
