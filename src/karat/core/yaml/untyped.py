"""YAML nodes whose type no struct says: as texts, or with the types that plain scalars look like."""

from __future__ import annotations

import re
from collections.abc import Callable

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.json_types import JsonObject
from karat.core.secrets.quoting import hidden_value
from karat.core.yaml.nodes import Findings, is_empty

_PLAIN = {"true": True, "false": False, "null": None, "~": None, "": None}
_WHOLE = re.compile(r"[-+]?(?:0|[1-9]\d{0,300})")
_DECIMAL = re.compile(r"[-+]?(?:(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?|\.\d{1,300})(?:[eE][-+]?\d{1,3})?")
"""With a digit before the exponent: ``E10`` is a code."""


def described(node: Node) -> str:
    """What a value is, for a message; a text without what may be secret in it."""
    if isinstance(node, MappingNode):
        return "an object"
    if isinstance(node, SequenceNode):
        return "a list"
    text = hidden_value(str(node.value))
    return f'"{text}"' if len(text) <= 40 else f'"{text[:40]}…"'


def finite(text: str) -> float:
    """The number that a text is; ValueError for none, and for one that is not finite."""
    value = float(text.replace("_", ""))
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError
    return value


def read_any(node: Node, findings: Findings) -> object:
    """A value whose scalars are all texts."""
    return _walked(node, findings, lambda scalar, _: scalar.value)


def read_typed_object(node: Node, findings: Findings) -> object:
    """An object whose values have the types that they look like."""
    if isinstance(node, MappingNode):
        return _walked(node, findings, _typed)
    return {} if is_empty(node) else findings.add(node, f"expected an object here, found {described(node)}")


def _walked(node: Node, findings: Findings, of_scalar: Callable[[ScalarNode, Findings], object]) -> object:
    if isinstance(node, ScalarNode):
        return of_scalar(node, findings)
    if isinstance(node, SequenceNode):
        return [_walked(item, findings, of_scalar) for item in node.value]
    found: JsonObject = {}
    for key, value in node.value:
        name = str(key.value)
        if name in found:
            findings.add(key, f'the key "{name}" appears twice', "Keep one of the two.")
        found[name] = _walked(value, findings, of_scalar)
    return found


def _typed(node: ScalarNode, findings: Findings) -> object:
    """What a plain scalar looks like. What begins with 0, such as a code, stays a text."""
    text: str = node.value
    if node.style:
        return text
    if text in _PLAIN:
        return _PLAIN[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if not text[-1:].isdigit() or not _DECIMAL.fullmatch(text):
        return text
    try:
        return finite(text)
    except ValueError:
        findings.add(node, f"{described(node)} is beyond all numbers", "Quote it if it is a text.")
        return text
