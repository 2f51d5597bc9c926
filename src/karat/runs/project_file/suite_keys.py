"""Short keys of a suite in karat.yaml: an entry may have ``cases`` under a name of the suite's own, and some of the
suite's options beside them (``Suite.short_keys``).

The nodes of the file are moved, so that a mistake in one of them still has its line.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.plugins import load_suite
from karat.core.problems import UserError


def expand_short_keys(root: Node, known: Collection[str]) -> None:
    """Put the short keys of every entry where the long ones are. What is there twice stays, and is said to be so.
    ``known``: the keys of an entry whatever its suite. A suite is looked at only where an entry has another one."""
    for key, suites in root.value if isinstance(root, MappingNode) else ():
        if key.value == "suites" and isinstance(suites, SequenceNode):
            for entry in suites.value:
                if isinstance(entry, MappingNode) and any(one.value not in known for one, _ in entry.value):
                    _expand(entry, _short_keys(_named(entry).get("suite", "")))


def _short_keys(suite: str) -> Mapping[str, str]:
    try:
        return load_suite(suite).short_keys if suite else {}
    except UserError:  # said where the entry itself is looked at
        return {}


def _expand(entry: MappingNode, short: Mapping[str, str]) -> None:
    names = {key.value for key, _ in entry.value}
    for key, _ in entry.value:
        if short.get(key.value) == "cases" and "cases" not in names:
            key.value = "cases"
    moved = [(key, node) for key, node in entry.value if short.get(key.value) == "options"]
    if not moved:
        return
    rest = [(key, node) for key, node in entry.value if short.get(key.value) != "options"]
    options = next((node for key, node in rest if key.value == "options"), None)
    if options is None:
        first = moved[0][0]
        place = (first.start_mark, first.end_mark)
        options = MappingNode("tag:yaml.org,2002:map", [], *place)
        rest.append((ScalarNode("tag:yaml.org,2002:str", "options", *place), options))
    if isinstance(options, MappingNode):
        twice = {key.value for key, _ in options.value}
        options.value += [(key, node) for key, node in moved if key.value not in twice]
        entry.value = [*rest, *((key, node) for key, node in moved if key.value in twice)]


def _named(entry: MappingNode) -> dict[str, str]:
    return {key.value: node.value for key, node in entry.value if isinstance(node, ScalarNode)}
