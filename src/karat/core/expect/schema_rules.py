"""What the structs of ``expect`` demand beyond the types of their fields, as keywords of JSON Schema for editors."""

from __future__ import annotations

from karat.core.json_types import JsonObject

_COUNT: JsonObject = {"minimum": 0, "not": {"type": "string", "pattern": r"^\s*-\s*[0-9.]*[1-9]"}}
_TEXT: JsonObject = {"type": ["string", "number", "boolean"], "not": {"type": "string", "pattern": r"^\s*$"}}
_MATCHERS: dict[str, JsonObject] = {
    "matches": {"type": "string", "format": "regex"},
    "one_of": {"type": "array", "minItems": 1},
    "between": {"type": "array", "minItems": 2, "maxItems": 2},
    "any": {"enum": [True, "true"]},
    "exactly": {},
    "sql_tables": {"type": "array", "minItems": 1},
}


def _something(*names: str) -> JsonObject:
    """That one of these is given."""
    return {"anyOf": [{"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in names]}


def _lists(*names: str, empty: str) -> JsonObject:
    """That one of these lists has an item, or that ``empty`` is given, which may be empty."""
    full: list[JsonObject] = [
        {"required": [one], "properties": {one: {"type": "array", "minItems": 1}}} for one in names
    ]
    return {"anyOf": [*full, {"required": [empty], "properties": {empty: {"type": "array"}}}]}


def _all(*rules: JsonObject) -> JsonObject:
    return {"allOf": list(rules)}


def _counts(*names: str) -> JsonObject:
    return {"properties": dict.fromkeys(names, _COUNT)}


_ARGUMENT: JsonObject = {
    "if": {"type": "object", "anyOf": [{"required": [name]} for name in _MATCHERS]},
    "then": {"maxProperties": 1, "properties": _MATCHERS},
}
CALL = _all(
    {"properties": {"tool": _TEXT, "arguments": {"additionalProperties": _ARGUMENT}}},
    _counts("at_least", "at_most", "exactly"),
    {"not": {"required": ["exactly", "at_least"]}},
    {"not": {"required": ["exactly", "at_most"]}},
)
_NAMED: JsonObject = {"items": {"if": {"type": "string"}, "then": _TEXT}}
TOOLS = _all(
    _lists("called", "order", "never", empty="only"),
    {"properties": dict.fromkeys(("called", "order", "never"), _NAMED)},
)
NAMES = _lists("used", "never", empty="only")
SOURCES = _all(
    {
        "anyOf": [
            {"required": ["cited"], "properties": {"cited": {"type": "array", "minItems": 1}}},
            _something("at_least"),
        ]
    },
    _counts("at_least"),
)
LIMITS = _all(_something("seconds", "tokens", "cost", "calls"), _counts("seconds", "tokens", "cost", "calls"))
EXPECT = _something("tools", "tables", "datasets", "metrics", "sources", "limits", "answer")
