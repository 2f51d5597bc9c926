"""Python values as YAML nodes, so that what is given as values is read, and complained about, by the reader of
files."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from yaml.error import Mark
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode


def node_of(value: object, file: str, line: int) -> Node:
    """A value of JSON as nodes, all in one line of a file."""
    mark = Mark(file, 0, line - 1, 0, None, 0)
    if isinstance(value, Mapping):
        pairs = [(ScalarNode("", str(key), mark, mark, '"'), node_of(item, file, line)) for key, item in value.items()]
        return MappingNode("", pairs, mark, mark, flow_style=False)
    if isinstance(value, list | tuple):
        return SequenceNode("", [node_of(item, file, line) for item in value], mark, mark)
    if isinstance(value, str):
        return ScalarNode("", value, mark, mark, '"')
    return ScalarNode("", msgspec.json.encode(value).decode(), mark, mark)
