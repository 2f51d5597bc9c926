"""Putting a key that is missing into a mapping of a YAML file, and nothing else.

The key comes right behind the first plain value of its mapping, in the same style: on a line of its own, or inside
``{…}``. The result is parsed again and must be the old tree with just these keys added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any  # Any: a tree of plain tuples and texts

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from karat.core.case_files.case_checks import Fix
from karat.core.yaml.edit import BOM, Spot, find, flow_scalar, roots_of, trees
from karat.core.yaml.structs import Findings, documents


def with_keys(data: bytes, fixes: Sequence[Fix]) -> bytes:
    """The file with every missing key. Raises ValueError where that would change something else."""
    start = BOM if data.startswith(BOM) else b""
    text = data[len(start) :].decode("utf-8")
    newline = "\r\n" if "\r\n" in text else "\n"
    roots = roots_of(data)
    wanted = trees(roots)
    pieces: dict[int, str] = {}
    done: set[int] = set()
    for fix in fixes:
        key = str(fix.path[-1])
        spot = find(roots[fix.document], fix.path[:-1]) if fix.document < len(roots) else None
        place = _place(spot, key)
        if spot is None or place is None:
            raise ValueError(f'"{key}" cannot be added there: the file has changed since it was checked')
        _add(wanted[fix.document], fix, place)
        if id(spot.node) in done:
            continue
        done.add(id(spot.node))
        at, piece = _piece(text, spot, place, fix, newline)
        pieces[at] = pieces.get(at, "") + piece
    for at in sorted(pieces, reverse=True):
        text = text[:at] + pieces[at] + text[at:]
    result = start + text.encode("utf-8")
    findings = Findings("")
    if trees(list(documents(result, findings))) != wanted or findings.problems:
        raise ValueError("the name cannot be added without changing something else")
    return result


def _place(spot: Spot | None, key: str) -> int | None:
    """Behind which pair of the mapping the key comes."""
    node: Node | None = spot.node if spot else None
    if not isinstance(node, MappingNode) or any(held.value == key for held, _ in node.value):
        return None
    plain = (
        number
        for number, (_, value) in enumerate(node.value)
        if isinstance(value, ScalarNode) and value.style not in ("|", ">")
    )
    return next(plain, None)


def _piece(text: str, spot: Spot, place: int, fix: Fix, newline: str) -> tuple[int, str]:
    key, value = spot.node.value[place]
    in_flow = spot.in_flow or (isinstance(spot.node, CollectionNode) and bool(spot.node.flow_style))
    quote = '"' if key.style == '"' else ""
    name = f"{quote}{fix.path[-1]}{quote}: {flow_scalar(fix.new, value.style, in_flow=in_flow)}"
    end = value.end_mark.index
    if in_flow:
        return end, f", {name}"
    line_end = min((found for sign in "\r\n" if (found := text.find(sign, end)) >= 0), default=len(text))
    return line_end, f"{newline}{' ' * key.start_mark.column}{name}"


def _add(tree: Any, fix: Fix, place: int) -> None:
    """The same in the tree of plain tuples."""
    for step in fix.path[:-1]:
        if isinstance(step, int):
            tree = tree[1][step]
        else:
            tree = next(value for key, value in tree[2] if key[1] == step)
    tree[2].insert(place + 1, (("", str(fix.path[-1])), ("", fix.new)))
