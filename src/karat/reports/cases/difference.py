"""What was expected and what was given as a person reads them, and how they differ line by line."""

from __future__ import annotations

import msgspec


def as_text(value: object) -> str:
    """A target as a person reads it: indented JSON with its keys in order, or the text itself."""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode()


def json_or_none(text: str) -> object:
    """The value of a JSON object or array; None for anything else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
