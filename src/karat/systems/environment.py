"""Values that come from the environment and from nowhere else: ``${NAME}`` in headers, addresses and what is sent."""

from __future__ import annotations

import os
import re
from collections.abc import Collection

from karat.core.json_types import Json
from karat.core.problems import UserError, nearest

_VARIABLE = re.compile(r"\$\{([^}]*)\}")


def variable(name: str, place: str) -> str:
    """The value of an environment variable, without white space around it. Missing: the user's mistake."""
    value = os.environ.get(name, "").strip()
    if not value:
        state = "is empty" if name in os.environ else "is not set"
        close = nearest(name, os.environ, cutoff=75.0)
        hint = f"Set it: export {name}=…" + (f' Did you mean "{close[0]}"?' if close else "")
        raise UserError(f"the environment variable {name}, which {place} needs, {state}", hint=hint)
    if not value.isascii() or not value.isprintable():
        # The value itself is not shown: it may be a key.
        raise UserError(
            f"the environment variable {name}, which {place} needs, contains characters that are not allowed in a "
            "header",
            hint="A key must be plain ASCII on one line.",
        )
    return value


def expand(text: str, place: str) -> tuple[str, list[str]]:
    """The text with every ``${NAME}`` filled in, and the values that were filled in (they are secret)."""
    values: list[str] = []

    def fill(match: re.Match[str]) -> str:
        values.append(variable(match[1].strip(), place))
        return values[-1]

    return _VARIABLE.sub(fill, text), values


def expand_all(value: object, place: str, keep: Collection[str] = ()) -> tuple[Json, list[str]]:
    """A structure with every ``${NAME}`` in its texts filled in, and the values that were filled in. Names to keep are
    left as they are."""
    if isinstance(value, str):
        if any(match[1].strip() in keep for match in _VARIABLE.finditer(value)):
            return value, []
        return expand(value, place)
    if isinstance(value, dict):
        parts = {key: expand_all(item, place, keep) for key, item in value.items()}
        return {key: part for key, (part, _) in parts.items()}, [used for _, found in parts.values() for used in found]
    if isinstance(value, list):
        items = [expand_all(item, place, keep) for item in value]
        return [item for item, _ in items], [used for _, found in items for used in found]
    return value, []


def expand_headers(headers: dict[str, str], place: str) -> tuple[dict[str, str], list[str]]:
    """Headers with their variables filled in, and the secrets among their values."""
    from karat.systems.redaction import is_secret_name

    filled: dict[str, str] = {}
    secrets: list[str] = []
    for name, text in headers.items():
        where = f'the header "{name}" of {place}'
        value, used = expand(text, where)
        if not (name.isascii() and name.isprintable() and value.isascii() and value.isprintable()):
            raise UserError(
                f"{where} contains characters that are not allowed in a header",
                hint="A header must be plain ASCII on one line.",
            )
        filled[name] = value
        secrets.extend(used)
        if is_secret_name(name):
            # "Bearer abc": the whole and the part after the scheme.
            secrets.extend({value, value.rpartition(" ")[2]})
    return filled, secrets
