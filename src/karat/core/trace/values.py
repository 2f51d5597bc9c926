"""Parts of somebody's JSON, whatever is in their place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from karat.core.files import json
from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Source

_LINK = re.compile(r"https?://[^\s<>\"'`\]\[{}|\\^]+", re.IGNORECASE)
_AFTER_LINK = ".,;:!?*_"
MOST_TOKENS = 10**15
MOST_PYTHON = 20_000
"""Characters of arguments that are read as Python's text."""
TOTALS = ("total_tokens", "total", "totalTokens", "totalTokenCount")
PAIRS = (
    ("prompt_tokens", "completion_tokens"),
    ("input_tokens", "output_tokens"),
    ("inputTokens", "outputTokens"),
    ("promptTokens", "completionTokens"),
    ("promptTokenCount", "candidatesTokenCount"),
)
"""Under which names endpoints tell how many tokens were used."""
CACHED = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""Input that Anthropic counts apart from ``input_tokens``; where there is a total, it holds them."""
SOURCE_KEYS = ("url", "uri", "reference_url", "link", "href", "source", "id", "document_id", "filename", "file_id")
"""Where an object that is a source says which one, the best name first."""


def mapping(value: Json) -> JsonMapping:
    """The object that is there; an empty one where something else is."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: Json) -> list[JsonMapping]:
    """The objects of the list that is there."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def opened(value: Json) -> Json:
    """A value that was written as JSON in a text; any other text as it is."""
    for _ in range(3):
        if not isinstance(value, str) or value.strip()[:1] not in ("{", "[", '"'):
            return value
        try:
            value = json.decode(value.encode())
        except (json.BadJson, UnicodeEncodeError):
            return value
    return value


def arguments(value: Json) -> Json:
    """The arguments of a call: an object where they are one, also one in a text; nothing is an empty object."""
    value = opened(value)
    return {} if value is None or value == "" else value


def python_or_json(value: Json) -> Json:
    """The arguments of a call, also where they are Python's text of a dictionary, as LangChain traces them."""
    found = arguments(value)
    if not isinstance(found, str) or found[:1] != "{" or len(found) > MOST_PYTHON:
        return found
    try:
        read = ast.literal_eval(found)
        return msgspec.json.decode(msgspec.json.encode(read)) if isinstance(read, dict) else found
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, msgspec.MsgspecError):
        return found


def as_text(value: Json) -> str:
    """A value as JSON; as Python writes it where JSON cannot."""
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):  # half a character is a ValueError too
        return str(value)


def words(content: Json) -> str:
    """The text of a message: its content, or its parts of text."""
    if isinstance(content, str):
        return content
    found = []
    for part in content if isinstance(content, list) else ():
        text = part if isinstance(part, str) else mapping(part).get("text", mapping(part).get("content"))
        found.append(text if isinstance(text, str) else str(mapping(text).get("value") or ""))
    return "\n".join(found)


def links(text: str) -> Iterator[Source]:
    """The addresses in a text, without the punctuation after them."""
    for found in _LINK.finditer(text):
        link = found[0].rstrip(_AFTER_LINK)
        while link.endswith(")") and link.count(")") > link.count("("):
            link = link[:-1].rstrip(_AFTER_LINK)
        yield Source(link)


def source(value: Json) -> Source | None:
    """A source that is written as a text, or as an object with its address or id."""
    if isinstance(value, str):
        return Source(value) if value.strip() else None
    one = mapping(value)
    one = {**mapping(one.get("metadata")), **one}
    names = [str(one[key]) for key in SOURCE_KEYS if isinstance(one.get(key), str | int) and str(one[key]).strip()]
    return Source(names[0], tuple(names[1:])) if names else None


def sources(value: Json) -> Iterator[Source]:
    """Those of a list, or the one that is there instead."""
    value = opened(value)
    for one in value if isinstance(value, list) else [value]:
        if (found := source(one)) is not None:
            yield found


def usage(value: Json) -> int | None:
    """The tokens that an endpoint says were used: the total, or input and output together."""
    if isinstance(value, int | float):
        return count(value)
    one = mapping(value)
    total = count(next((one[key] for key in TOTALS if one.get(key) is not None), None))
    if total is not None:
        return total
    for pair in PAIRS:
        both = [count(one.get(name)) for name in pair]
        if None not in both:
            cached = [count(one.get(name)) for name in CACHED]
            return sum(number for number in (*both, *cached) if number is not None)
    return None


def total(tokens: Sequence[int | None]) -> int | None:
    """The tokens of all steps; None where one of them does not say."""
    known = [one for one in tokens if one is not None]
    return sum(known) if known and len(known) == len(tokens) else None


def count(value: Json) -> int | None:
    """A number of tokens."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value)


def seconds(value: Json) -> float | None:
    """A time that a call took."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        return None
    return float(value)


def moment(value: Json) -> float | None:
    """A time of day in seconds: a number, or text in ISO 8601."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def fault(value: Json) -> str:
    """Why a call failed: a text, or an object with a message; true says only that it did."""
    if value is None or value is False or value == "":
        return ""
    if value is True:
        return "the call failed"
    return str(mapping(value).get("message") or value)
