"""Short keys of a suite in karat.yaml: what ``karat answers`` takes on the command line may stand in the entry itself.

``questions: team.yaml`` is ``cases: team.yaml``; ``databases`` and ``test_suite`` are options of the suite ``answers``.
The nodes of the file are moved, so that a mistake in one of them still has its line.
"""

from __future__ import annotations

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

RENAMED = {"questions": "cases"}
OPTIONS = ("databases", "test_suite")
SUITE = "answers"


def expand_short_keys(root: Node) -> None:
    """Put the short keys of every entry where the long ones are. What is there twice stays, and is said to be so."""
    for key, suites in root.value if isinstance(root, MappingNode) else ():
        if key.value == "suites" and isinstance(suites, SequenceNode):
            for entry in suites.value:
                if isinstance(entry, MappingNode) and _named(entry).get("suite") == SUITE:
                    _expand(entry)


def _expand(entry: MappingNode) -> None:
    names = {key.value for key, _ in entry.value}
    for key, _ in entry.value:
        if key.value in RENAMED and RENAMED[key.value] not in names:
            key.value = RENAMED[key.value]
    moved = [(key, node) for key, node in entry.value if key.value in OPTIONS]
    if not moved:
        return
    rest = [(key, node) for key, node in entry.value if key.value not in OPTIONS]
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
