"""What a formula asks for, found by looking at it: the fields of ``$``, the current row, equalities that can be looked
up.

Which fields of a table a formula needs decides what it depends on: ``T.FILTER($[a] > 1)[b]`` needs a and b, not all of
T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from karat.sheet.text.traversal import children, nodes
from karat.sheet.text.tree import Binary, Call, Element, Expr, FieldOf, OwnField

Wanted = frozenset[str] | None
"""The fields of a table that are needed; None: all of them."""


def own_nodes(root: Expr, is_query: Callable[[str], bool]) -> Iterator[Expr]:
    """Every node in which ``$`` means the same as at the root: not the conditions of queries further in."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Call) and is_query(node.name):
            waiting.extend(node.arguments[:1])
        else:
            waiting.extend(reversed(children(node)))


def uses_element(root: Expr, is_query: Callable[[str], bool]) -> bool:
    """Whether ``$`` is meant at this level."""
    return any(isinstance(node, Element) and not node.of for node in own_nodes(root, is_query))


def element_fields(root: Expr, is_query: Callable[[str], bool], table: str = "") -> Wanted:
    """The fields of ``$`` that are used, also by the name of its table from inside other queries; None when ``$`` is
    used as a whole."""
    names: set[str] = set()
    whole = 0
    if table:
        for node in nodes(root):
            if isinstance(node, FieldOf) and isinstance(node.source, Element) and node.source.of == table:
                names.add(node.name)
    for node in own_nodes(root, is_query):
        if isinstance(node, FieldOf) and isinstance(node.source, Element) and not node.source.of:
            names.add(node.name)
            whole -= 1
        elif isinstance(node, Element) and not node.of:
            whole += 1
    return None if whole else frozenset(names)


def uses_row(root: Expr) -> bool:
    """Whether the formula looks at the current row of its own table, at any level."""
    return any(
        isinstance(node, OwnField) or (isinstance(node, Call) and node.name == "ROW" and not node.arguments)
        for node in nodes(root)
    )


def conjuncts(root: Expr) -> Iterator[Expr]:
    """The parts of ``a AND b AND c``."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Binary) and node.operator == "AND":
            waiting += [node.right, node.left]
        else:
            yield node


def lookup(condition: Expr, is_query: Callable[[str], bool]) -> tuple[Expr, Expr] | None:
    """(of the element, of the row) when the condition demands that they be equal: then elements can be looked up, not
    tried one by one."""
    for part in conjuncts(condition):
        if isinstance(part, Binary) and part.operator == "=":
            for inside, outside in ((part.left, part.right), (part.right, part.left)):
                if (
                    uses_element(inside, is_query)
                    and not uses_row(inside)
                    and not uses_element(outside, is_query)
                    and not any(isinstance(node, Element) and node.of for node in (*nodes(inside), *nodes(outside)))
                ):
                    return inside, outside
    return None


def both(first: Wanted, second: Wanted) -> Wanted:
    return None if first is None or second is None else first | second
