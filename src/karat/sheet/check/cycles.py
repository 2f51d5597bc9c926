"""Fields that depend on themselves: found in the graph of ``dependencies``, and shown as the shortest cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from karat.sheet.check.dependencies import ALL, APPLIED, ROWS, Graph, Node, dependencies, is_dim
from karat.sheet.check.findings import Findings
from karat.sheet.check.names import Names
from karat.sheet.text.escapes import field_literal, table_literal
from karat.sheet.text.tree import At, Sheet

LONGEST_WAY = 12
"""Longer ways round are shown by their ends."""


def check_cycles(sheet: Sheet, names: Names, is_query: Callable[[str], bool], findings: Findings) -> None:
    """One problem for each knot of fields that need each other."""
    places = _places(names)
    graph = dependencies(sheet, names, is_query)
    for knot in _knots(graph):
        first = min(
            (node for node in knot if node in places), key=lambda node: (places[node].line, places[node].column)
        )
        path = _shortest_cycle(graph, first, set(knot))
        shown = [_shown(node) for node in path if node[1] != ALL]
        itself = "depend on themselves" if first[1] == ROWS else "depends on itself"
        way = shown if len(shown) <= LONGEST_WAY else [*shown[:5], f"… {len(shown) - 8} more …", *shown[-3:]]
        message = f"{shown[0]} {itself}" + (f": {' → '.join(way)}" if len(way) > 2 else "")
        whole = "A table as a whole needs all of its fields. Name the one that is meant: T[field]."
        hint = "Break the cycle: one of these must be computed without the others."
        findings.add(places[first], message, whole if any(field == ALL for _, field in path) else hint)


def _places(names: Names) -> dict[Node, At]:
    """Where each thing that can depend on itself is declared."""
    places: dict[Node, At] = {}
    for table in names.tables.values():
        for line in table.fields:
            for field in line.fields:
                places.setdefault((table.name, field.name), field.at)
            if is_dim(line):
                places.setdefault((table.name, ROWS), line.fields[0].at)
        if table.apply is not None:
            places[table.name, APPLIED] = table.apply.at
    return places


def _knots(graph: Graph) -> Iterator[list[Node]]:
    """The strongly connected parts with a cycle in them (Tarjan's algorithm, with its own stack)."""
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    unfinished: list[Node] = []
    is_unfinished: set[Node] = set()

    def enter(node: Node) -> tuple[Node, Iterator[Node]]:
        number[node] = lowest[node] = len(number)
        unfinished.append(node)
        is_unfinished.add(node)
        return node, iter(graph[node])

    for start in graph:
        path = [] if start in number else [enter(start)]
        while path:
            node, others = path[-1]
            for other in others:
                if other not in number:
                    path.append(enter(other))
                    break
                if other in is_unfinished:
                    lowest[node] = min(lowest[node], number[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number[node]:
                    knot: list[Node] = []
                    while not knot or knot[-1] != node:
                        knot.append(unfinished.pop())
                    is_unfinished.difference_update(knot)
                    if len(knot) > 1 or node in graph[node]:
                        yield knot


def _shortest_cycle(graph: Graph, start: Node, knot: set[Node]) -> list[Node]:
    """From a node of a knot back to itself, by the fewest steps."""
    came_from: dict[Node, Node] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for other in graph[node]:
            if other == start:
                path = [start]
                while node != start:
                    path.append(node)
                    node = came_from[node]
                return [start, *reversed(path)]
            if other in knot and other not in came_from:
                came_from[other] = node
                waiting.append(other)
    return [start, start]


def _shown(node: Node) -> str:
    table, field = table_literal(node[0]), node[1]
    if field in (ROWS, APPLIED):
        return f"the rows of {table}" if field == ROWS else f"what is applied to {table}"
    return table + field_literal(field)
