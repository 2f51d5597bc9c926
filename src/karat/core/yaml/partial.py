"""As much of a damaged YAML value as can be read, so that a check finds its other mistakes in the same run.

The mistakes themselves are reported by :mod:`karat.core.yaml.structs`. Here a value that cannot be read becomes the
default of its field, or an empty text or struct where the field is required. Lists keep their length, so that the path
of every value stays that of the file.
"""

from __future__ import annotations

import types
from typing import TypeVar, Union, cast, get_args, get_origin

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.yaml.nodes import Findings
from karat.core.yaml.structs import hints_of, reader_for

S = TypeVar("S")


def readable_part(kind: type[S], node: Node) -> S | None:
    """The value without what is wrong in it; None where nothing can be read."""
    return cast("S | None", _part(kind, node))


def _part(kind: object, node: Node) -> object:
    findings = Findings("")
    whole = reader_for(cast("type[object]", kind))(node, findings)
    if not findings.problems:
        return whole
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        fitting = [one for one in args if _fits(one, node)]
        return _part(fitting[0], node) if fitting else None
    if origin in (list, tuple):
        items = node.value if isinstance(node, SequenceNode) else ()
        parts = [_part(args[0], item) for item in items]
        return (tuple if origin is tuple else list)(_blank(args[0]) if one is None else one for one in parts)
    struct = origin or kind
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct) and isinstance(node, MappingNode):
        return _struct(kind, struct, node)
    return None


def _fits(kind: object, node: Node) -> bool:
    """Whether a node has the shape of a type."""
    origin = get_origin(kind)
    struct = origin or kind
    if origin in (list, tuple):
        return isinstance(node, SequenceNode)
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
        return isinstance(node, MappingNode)
    return kind is not type(None) and isinstance(node, ScalarNode)


def _struct(kind: object, struct: type[msgspec.Struct], node: MappingNode) -> object:
    given = {key.value: value for key, value in reversed(node.value) if isinstance(key, ScalarNode)}
    hints = hints_of(kind, struct)
    values: dict[str, object] = {}
    for field in msgspec.structs.fields(struct):
        held = given.get(field.encode_name)
        value = None if held is None else _part(hints[field.name], held)
        if value is None and field.required:
            value = _blank(hints[field.name])
        if value is not None:
            values[field.name] = value
    try:
        return struct(**values)
    except ValueError:  # the struct's own check
        return None


def _blank(kind: object) -> object:
    """The empty value of a type."""
    origin = get_origin(kind)
    struct = origin or kind
    if origin in (list, tuple):
        return origin()
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
        return _struct(kind, struct, MappingNode("", []))
    return ""
