"""``response_format``: the form of answer that is requested from an OpenAI-compatible endpoint.

``json_object``; ``suite``, the JSON schema of an answer that the suite reads; a JSON schema, written out or as the path
of a ``.json`` file; or the whole object as the endpoint takes it (``{type: json_schema, json_schema: {…}}``).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core.json_types import JsonObject
from karat.core.problems import UserError, did_you_mean
from karat.core.records import AnyCase
from karat.core.suite import Suite
from karat.systems.prompts.template import file_of, read_file
from karat.systems.request_template import typed

WORDS = ("json_object", "suite")
KINDS = ("json_object", "json_schema", "text")
_LIMITS = frozenset(
    [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
        "additionalProperties",
        "unevaluatedProperties",
        "additionalItems",
        "unevaluatedItems",
        "uniqueItems",
        "strict",
        "nullable",
    ]
)
_VALUES = frozenset({"enum", "const", "default", "examples"})


def whole_format(
    given: object, suite: Suite, options: object, folder: Path | None = None, cases: Sequence[AnyCase] = ()
) -> JsonObject | None:
    """The entry of the request; None when nothing is asked for. What is whole already stays as it is."""
    if given is None or given in ("", {}):
        return None
    if isinstance(given, str) and (file := file_of(given, folder or Path.cwd(), (".json",))) is not None:
        given = read_file(file)
    if given == "json_object":
        return {"type": "json_object"}
    if given == "suite":
        return _suite_format(suite, options, cases)
    if isinstance(given, str) and given.strip()[:1] != "{":
        hint = did_you_mean(given, WORDS)
        raise UserError(
            f'unknown response_format "{given[:60]}"', hint=f"{hint} Or give a JSON schema, or a .json file.".strip()
        )
    found = _decoded(given) if isinstance(given, str) else _typed(given)
    if not isinstance(found, dict):
        raise UserError("response_format must be a string or an object", hint=f"Words: {', '.join(WORDS)}.")
    if found.get("type") in KINDS:
        return found
    return _wrapped("answer", found)


def as_text_format(whole: JsonObject) -> JsonObject:
    """The same as the Responses API takes it, under ``text.format``: the schema is not wrapped once more."""
    inner = whole.get("json_schema")
    return {"type": "json_schema", **inner} if isinstance(inner, dict) else whole


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UserError(
            f"response_format is not valid JSON: {error}", hint="Write it as YAML, or fix the JSON."
        ) from None


def _typed(schema: object) -> object:
    """A schema from YAML, whose scalars are all texts, with its limits and switches as numbers and booleans.

    Only what JSON Schema wants so is changed: ``type: [string, "null"]`` stays as it is, and so do values of a text.
    """
    if isinstance(schema, list | tuple):
        return [_typed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kinds = schema.get("type")
    plain = {kinds} if isinstance(kinds, str) else set(kinds or ()) if isinstance(kinds, list | tuple) else set()
    found = {}
    for key, value in schema.items():
        typing = key in _LIMITS or (key in _VALUES and plain and "string" not in plain)
        found[key] = typed(value, "response_format") if typing and not isinstance(value, dict) else _typed(value)
    return found


def _suite_format(suite: Suite, options: object, cases: Sequence[AnyCase]) -> JsonObject:
    schema = suite.prompting.answer_schema
    if schema is None:
        raise UserError(
            f"the suite {suite.name} has no answer schema of its own", hint="Give response_format a JSON schema."
        )
    found: JsonObject = msgspec.to_builtins(schema(cases, options))
    return _wrapped(f"karat_{suite.name}", found)


def _wrapped(name: str, schema: JsonObject) -> JsonObject:
    # Endpoints take "strict" only for schemas that name every property as required and allow no others.
    strict = {"strict": True} if _is_strict(schema) else {}
    return {"type": "json_schema", "json_schema": {"name": name, **strict, "schema": schema}}


def _is_strict(schema: object) -> bool:
    if isinstance(schema, list):
        return all(_is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if schema.get("type") == "object" and not isinstance(properties, dict):
        return False
    if isinstance(properties, dict) and (
        schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != set(properties)
    ):
        return False
    return all(_is_strict(value) for value in schema.values())
