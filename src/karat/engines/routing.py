"""Which engine answers which instance: a rule in the configuration, id prefix → settings.

::

    routes:
      bq: {engine: bigquery}
      sf_: {engine: snowflake}
      local: {engine: sqlite, path: databases/shop.sqlite}
      local003: {engine: duckdb, path: "databases/{instance_id}.duckdb"}

The longest prefix wins, so a whole id is a rule for that instance alone, and an empty prefix a rule for all the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from karat.core.problems import UserError, nearest

_PLACE = "{instance_id}"


def route(instance_id: str, rules: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The settings of the engine for this instance, ``{instance_id}`` filled in."""
    fitting = [prefix for prefix in rules if instance_id.startswith(prefix)]
    if not fitting:
        raise UserError(f'no engine is configured for the instance "{instance_id}"', hint=_hint(instance_id, rules))
    settings = rules[max(fitting, key=len)]
    return {key: _filled(value, instance_id) for key, value in settings.items()}


def _filled(value: Any, instance_id: str) -> Any:
    if not isinstance(value, str) or _PLACE not in value:
        return value
    if not re.fullmatch(r"\w[\w.-]*", instance_id):  # it becomes part of a path or of an address
        raise UserError(
            f'the id "{instance_id}" cannot stand in a path',
            hint=f"Ids of letters, digits, _, - and . can; name the database without {_PLACE}.",
        )
    return value.replace(_PLACE, instance_id)


def _hint(instance_id: str, rules: Mapping[str, Any]) -> str:
    if not rules:
        return "Add a rule: routes: {local: {engine: sqlite, path: shop.sqlite}}."
    known = f"Prefixes with a rule: {', '.join(sorted(rules))}."
    close = nearest(instance_id, rules)
    return f'{known} Did you mean "{close[0]}"?' if close else known
