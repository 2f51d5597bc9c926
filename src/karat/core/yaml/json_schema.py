"""JSON Schema of what a person writes: YAML files that ``core.yaml.structs`` reads, and lines of JSON.

The reader takes every scalar as text and converts it to the type of its field, so ``id: 12`` is a text and ``"5"`` is a
number. The schema allows the same: a file that Karat reads without a mistake is valid. What the schema cannot say
(limits between fields, names that must exist) is left to ``karat check``.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import (
    Annotated,
    Any,  # Any: hints of any form are looked into, and one of them is Any itself
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from karat.core.case_files.file_schemas import Holds
from karat.core.json_types import JsonObject
from karat.core.yaml.class_sources import classes_of
from karat.core.yaml.structs import Raw, filled

DIALECT = "http://json-schema.org/draft-07/schema#"
"""The newest dialect that editors support in full."""
RULES = "schema_rules"
"""A class variable of a struct: what its ``__post_init__`` demands, as keywords of JSON Schema."""
TEXT: JsonObject = {"type": ["string", "number", "boolean", "null"]}
INTEGER = {"type": "string", "pattern": r"^\s*[+-]?[0-9][0-9_]*\s*$"}
NUMBER = {"type": "string", "pattern": r"^\s*[+-]?([0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)([eE][+-]?[0-9]+)?\s*$"}
BOOLEAN = {
    "type": "string",
    "pattern": "^([Tt][Rr][Uu][Ee]|[Yy][Ee][Ss]|[Oo][Nn]|[Ff][Aa][Ll][Ss][Ee]|[Nn][Oo]|[Oo][Ff][Ff])$",
}
SCALARS: dict[object, JsonObject] = {
    str: TEXT,
    int: {"anyOf": [{"type": "integer"}, INTEGER]},
    float: {"anyOf": [{"type": "number"}, NUMBER]},
    bool: {"anyOf": [{"type": "boolean"}, BOOLEAN]},
}
EXACT: dict[object, JsonObject] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
}
"""The same for lines of JSON, which are decoded by their types."""


class Schemas:
    """Schemas of types, with the structs among ``definitions`` by name. ``exact``: for JSON, where text is no
    number."""

    def __init__(self, *, exact: bool = False) -> None:
        self.definitions: dict[str, JsonObject] = {}
        self._names: dict[object, str] = {}
        self._exact = exact

    def of(self, kind: object, *, open_: bool = False) -> JsonObject:
        """The schema of a type. ``open_``: further keys are allowed in the struct."""
        origin, args = get_origin(kind), get_args(kind)
        if origin is Annotated:
            held = [one.kind for one in args[1:] if isinstance(one, Holds)]
            return self.of(_with(args[0], held[0]) if held else args[0])
        if kind is Any or kind is Raw or isinstance(kind, TypeVar):
            return {}
        scalars = EXACT if self._exact else SCALARS
        if kind in scalars:
            return scalars[kind]
        if origin in (Union, types.UnionType):
            return self._union(args)
        if origin is Literal:
            return self._literal(args)
        if origin in (list, tuple):
            return self._or_nothing({"type": "array", "items": self.of(args[0])})
        if origin in (dict, Mapping) or kind is dict:
            return self._or_nothing({"type": "object", "additionalProperties": self.of(args[1]) if args else {}})
        struct = origin or kind
        if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
            return {"$ref": f"#/definitions/{self._struct(kind, struct, open_)}"}
        return {}

    def _or_nothing(self, schema: JsonObject) -> JsonObject:
        """``key:`` with nothing after it is an empty list or object in YAML."""
        return schema if self._exact else {**schema, "type": [schema["type"], "null"]}

    def _union(self, args: tuple[object, ...]) -> JsonObject:
        parts = [{"type": "null"} if arg is type(None) else self.of(arg) for arg in args]
        return {} if {} in parts else {"anyOf": parts}

    def _literal(self, choices: tuple[object, ...]) -> JsonObject:
        if self._exact:
            return {"enum": list(choices)}
        texts = [str(choice) for choice in choices]
        others = [choice for choice in choices if not isinstance(choice, str)]
        return {"enum": [*texts, *others]}

    def _struct(self, kind: object, struct: type[msgspec.Struct], open_: bool) -> str:
        if kind in self._names:
            return self._names[kind]
        name = struct.__name__.lstrip("_")
        while name in self.definitions:
            name += "_"
        self._names[kind] = name
        self.definitions[name] = {}  # a struct may hold itself
        self.definitions[name] = self._definition(kind, struct, open_)
        return name

    def _definition(self, kind: object, struct: type[msgspec.Struct], open_: bool) -> JsonObject:
        hints = _hints(kind, struct)
        texts = field_docs(struct)
        properties: dict[str, JsonObject] = {}
        for field in msgspec.structs.fields(struct):
            part = dict(self.of(hints[field.name]))
            if text := texts.get(field.name):
                part = {"allOf": [part], "description": text} if "$ref" in part else {**part, "description": text}
            default = field.default if field.default is not msgspec.NODEFAULT else None
            if isinstance(default, str | int | float) and default != "":
                part["default"] = default
            properties[field.encode_name] = part
        found: JsonObject = {"type": "object", "description": unwrapped(inspect.getdoc(struct) or "")}
        found["properties"] = properties
        required = [field.encode_name for field in msgspec.structs.fields(struct) if field.required]
        if required:
            found["required"] = required
        found |= getattr(struct, RULES, {})
        return found if open_ else {**found, "additionalProperties": False}


def _with(hint: Any, held: object) -> object:
    """The annotation with what its ``Raw`` stands for."""
    if hint is Raw:
        return held
    args = tuple(_with(arg, held) for arg in get_args(hint))
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return Union[args]  # noqa: UP007 (made at run time)
    return origin[args] if origin is not None else hint


def _hints(kind: object, struct: type[msgspec.Struct]) -> Mapping[str, object]:
    hints = get_type_hints(struct, include_extras=True)
    given = dict(zip(getattr(struct, "__parameters__", ()), get_args(kind), strict=False))
    return {name: filled(hint, given) for name, hint in hints.items()} if given else hints


@cache
def field_docs(struct: type[msgspec.Struct]) -> dict[str, str]:
    """What the text below each field of a struct says, those of its parents included."""
    found: dict[str, str] = {}
    for each in reversed(struct.__mro__):
        if not issubclass(each, msgspec.Struct) or each is msgspec.Struct:
            continue
        defined = classes_of(each.__module__).get(each.__qualname__)
        for line, after in pairwise(defined.body if defined is not None else ()):
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and isinstance(after, ast.Expr):
                value = after.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    found[line.target.id] = unwrapped(value.value)
    return found


def unwrapped(docstring: str) -> str:
    """The paragraphs of a docstring, each on one line: how the source is wrapped does not change the schema."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in docstring.replace("``", "`").split("\n\n")).strip()
