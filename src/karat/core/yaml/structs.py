"""YAML nodes into typed structs. The struct's annotations say what each value must be.

All mistakes of a file are collected, each with its line and column; unknown and repeated keys are mistakes.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import (
    Any,  # Any: as an annotation of a struct it takes every value; as a hint it is some form of typing's
    Literal,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.files.limits import YAML_MB
from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonObject, TypedObject
from karat.core.problems import Problem, did_you_mean
from karat.core.secrets.quoting import SHOWN, hidden_value
from karat.core.secrets.settings import is_secret_setting
from karat.core.yaml.nodes import BAD, Bad, Findings, Path_, documents, is_empty
from karat.core.yaml.untyped import described, finite, read_any, read_typed_object

__all__ = [
    "EMPTY",
    "Findings",
    "Path_",
    "Raw",
    "documents",
    "filled",
    "hints_of",
    "is_empty",
    "load",
    "read",
    "reader_for",
]

EMPTY = "the file is empty"
"""The one problem of a file without a document."""

S = TypeVar("S")
Read = Callable[[Node, Findings], object]


class Raw(msgspec.Struct, frozen=True):
    """A part of a file kept as it is, to be read later, when its type is known (options of a suite or system)."""

    node: Node


def reader_for(kind: type[S]) -> Callable[[Node, Findings], S | Bad]:
    """A function that reads nodes into this type. Compiled once from the annotations, then called for every node."""
    return cast("Callable[[Node, Findings], S | Bad]", _read(kind))


def read(kind: type[S], node: Node, findings: Findings) -> S | None:
    """One value of this type; None when there was a mistake (noted in the findings)."""
    value = reader_for(kind)(node, findings)
    return None if isinstance(value, Bad) else value


def load(
    kind: type[S], path: Path, prepare: Callable[[Node], None] = lambda _: None
) -> tuple[S | None, Findings, Node | None]:
    """The only document of a file as this type; its findings; its node. ``prepare`` may move parts of it before."""
    findings = Findings(str(path))
    for node in documents(read_bytes(path, YAML_MB), findings):
        prepare(node)
        return read(kind, node, findings), findings, node
    if not findings.problems:
        findings.problems.append(Problem(EMPTY, file=str(path)))
    return None, findings, None


_readers: dict[object, Read] = {}


def _read(kind: object) -> Read:
    if kind not in _readers:
        _readers[kind] = _compile(kind)
    return _readers[kind]


def _compile(kind: object) -> Read:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return read_any
    if kind is TypedObject:
        return read_typed_object
    if kind is Raw:
        return lambda node, findings: Raw(node)  # noqa: ARG005 (a Reader)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if origin in (Union, types.UnionType):
        return _union_reader([arg for arg in args if arg is not type(None)], optional=type(None) in args)
    if origin is Literal:
        return _literal_reader(args)
    if origin in (list, tuple):
        return _sequence_reader(_read(args[0]), tuple if origin is tuple else list)
    if origin is dict:
        return _dict_reader(_read(args[1]))
    struct = origin or kind
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
        return _struct_reader(kind, struct)
    raise TypeError(f"no YAML reader for {kind!r}")


def _read_str(node: Node, findings: Findings) -> object:
    if node.__class__ is ScalarNode:
        return node.value
    hint = 'Quote the string if it contains "[", "{" or ": ".'
    return findings.add(node, f"expected a string here, found {described(node)}", hint)


def _scalar_reader(convert: Callable[[str], object], expected: str) -> Read:
    def read_scalar(node: Node, findings: Findings) -> object:
        if node.__class__ is ScalarNode:
            try:
                return convert(node.value)
            except ValueError:
                pass
        return findings.add(node, f"expected {expected} here, found {described(node)}")

    return read_scalar


def _boolean(text: str) -> bool:
    word = text.lower()
    if word in ("true", "yes", "on"):
        return True
    if word in ("false", "no", "off"):
        return False
    raise ValueError


def _integer(text: str) -> int:
    return int(text.replace("_", ""))


_SCALARS: dict[object, Read] = {
    str: _read_str,
    bool: _scalar_reader(_boolean, "true or false"),
    int: _scalar_reader(_integer, "a whole number"),
    float: _scalar_reader(finite, "a number"),
}


def _union_reader(kinds: Sequence[object], *, optional: bool) -> Read:
    readers = [_read(kind) for kind in kinds]
    others = [kind for kind in kinds if kind not in _SCALARS]
    structs = [_read(kind) for kind in others if _is_struct(kind)] if len(others) == 1 else []

    def read_union(node: Node, findings: Findings) -> object:
        if optional and is_empty(node):
            return None
        if len(readers) == 1:
            return readers[0](node, findings)
        if len(structs) == 1 and node.__class__ is MappingNode:  # its own mistakes say more than the choice
            return structs[0](node, findings)
        for reader in readers:
            attempt = Findings(findings.file)
            value = reader(node, attempt)
            if not attempt.problems:
                return value
        names = " or ".join(_called(kind) for kind in kinds)
        return findings.add(node, f"expected {names} here, found {described(node)}")

    return read_union


def _is_struct(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _called(kind: object) -> str:
    """A type in words: a choice by its choices."""
    if get_origin(kind) is Literal:
        return ", ".join(str(choice) for choice in get_args(kind))
    return str(getattr(kind, "__name__", kind))


def _literal_reader(choices: tuple[object, ...]) -> Read:
    by_text = {str(choice): choice for choice in choices}

    def read_literal(node: Node, findings: Findings) -> object:
        if isinstance(node, ScalarNode) and node.value in by_text:
            return by_text[node.value]
        known = ", ".join(by_text)
        hint = did_you_mean(str(node.value), by_text) if isinstance(node, ScalarNode) else ""
        return findings.add(node, f"expected one of {known}; found {described(node)}", hint)

    return read_literal


def _sequence_reader(reader: Read, build: Callable[[list[object]], object]) -> Read:
    def read_sequence(node: Node, findings: Findings) -> object:
        if node.__class__ is SequenceNode:
            values = [reader(item, findings) for item in node.value]
            return BAD if BAD in values else build(values)
        if is_empty(node):
            return build([])
        return findings.add(
            node, f"expected a list here, found {described(node)}", 'Begin each item with "- ", or write [a, b].'
        )

    return read_sequence


def _dict_reader(reader: Read) -> Read:
    def read_dict(node: Node, findings: Findings) -> object:
        if is_empty(node):
            return {}
        if not isinstance(node, MappingNode):
            return findings.add(node, f"expected an object here, found {described(node)}")
        found: JsonObject = {}
        bad = False
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                findings.add(key_node, "a key must be a plain string")
                bad = True
                continue
            if key_node.value in found:
                findings.add(key_node, f'the key "{key_node.value}" appears twice')
                bad = True
            found[key_node.value] = value = reader(value_node, findings)
            bad = bad or value is BAD
        return BAD if bad else found

    return read_dict


def _struct_reader(kind: object, struct: type[msgspec.Struct]) -> Read:
    hints = hints_of(kind, struct)
    fields = {field.encode_name: field for field in msgspec.structs.fields(struct)}
    names = {key: field.name for key, field in fields.items()}
    required = [key for key, field in fields.items() if field.required]
    readers: dict[str, Read] = {}
    noun = _noun(struct)

    def read_struct(node: Node, findings: Findings) -> object:
        if node.__class__ is not MappingNode:
            return findings.add(
                node, f"expected {noun} here, found {described(node)}", f"Its keys: {', '.join(fields)}."
            )
        if not readers:  # compiled on first use, so that a struct may hold itself
            readers.update({key: _read(hints[name]) for key, name in names.items()})
        values: JsonObject = {}
        bad = False
        for key_node, value_node in node.value:
            key = key_node.value
            reader = readers.get(key) if key_node.__class__ is ScalarNode else None
            if reader is None:
                findings.add(key_node, *_unknown_key(key_node, value_node, node, noun, readers))
                bad = True
                continue
            name = names[key]
            if name in values:
                findings.add(key_node, f'the key "{key}" appears twice in {noun}', "Keep one of the two.")
                bad = True
            value = reader(value_node, findings)
            values[name] = value
            if value is BAD:
                bad = True
        for key in required:
            if names[key] not in values:
                findings.add(node, f'{noun} without "{key}"', f"Required: {', '.join(required)}.")
                bad = True
        if bad:
            return BAD
        try:
            return struct(**values)
        except ValueError as error:  # the struct's own check (__post_init__)
            return findings.add(node, str(error))

    return read_struct


def hints_of(kind: object, struct: type[msgspec.Struct]) -> Mapping[str, object]:
    """The annotations of a struct, with its type variables filled in for ``Case[Target]``."""
    hints = get_type_hints(struct)
    given = dict(zip(getattr(struct, "__parameters__", ()), get_args(kind), strict=False))
    return {name: filled(hint, given) for name, hint in hints.items()} if given else hints


def filled(hint: Any, given: Mapping[object, object]) -> object:
    """An annotation with the types that its type variables stand for."""
    if hint in given:
        return given[hint]
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(given.get(p, p) for p in parameters)] if parameters else hint


def _noun(struct: type) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", struct.__name__).lower().removeprefix("given ")
    if words == "options":
        return "the options"
    if words.endswith(" config"):  # the settings of a system or engine
        return f"the settings of {words.removesuffix(' config').replace(' ', '')}"
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def _unknown_key(
    key_node: Node, value_node: Node, holder: MappingNode, noun: str, known: JsonObject
) -> tuple[str, str]:
    """What to say about a key that a struct does not have, and the hint."""
    key = key_node.value
    if not isinstance(key, str):
        return f'unknown key "…" in {noun}', "A key must be a plain text."
    if key == "<<":
        return f'unknown key "{key}" in {noun}', "Merge keys are not supported: write the keys out."
    if variable := env_setting(key, known):
        return secret_message(key, variable), ""
    before = [pair for pair in holder.value if pair[0].start_mark.index < key_node.start_mark.index]
    if holder.flow_style and is_empty(value_node) and before and isinstance(before[-1][1].value, str):
        name, text = str(before[-1][0].value), before[-1][1].value
        if is_secret_setting(name):  # the key is the rest of the secret
            return (
                f'unknown key "{SHOWN}" in {noun}',
                f"The comma ended the value of {name} before it. Quote the whole value.",
            )
        whole = hidden_value(f"{text}, {key}")
        return (
            f'unknown key "{key}" in {noun}',
            f'The comma ended the string before it. Quote the whole value: "{whole}".',
        )
    return f'unknown key "{hidden_value(key)}" in {noun}', did_you_mean(key, known)


def env_setting(key: str, known: Iterable[str]) -> str:
    """The setting that names the variable for this secret (``api_key_env`` for ``api_key``); empty when there is
    none."""
    variables = [name for name in known if name.endswith("_env")] if is_secret_setting(key) else []
    return f"{key}_env" if f"{key}_env" in variables else next(iter(variables), "")


def secret_message(key: str, variable: str) -> str:
    """What to do with a secret that is written where only the name of its variable belongs."""
    return f'"{key}" is a secret: put it in an environment variable and name it with {variable}'
