"""Render a plan as indented text or as a Mermaid flowchart.

Each field is listed under its table, with the nodes of its formula indented below it. A node with several users is
written out once, with a number; later mentions give only the number.
"""

from __future__ import annotations

from collections import Counter

from karat.core.report import visible
from karat.sheet.evaluation_table import reference_text
from karat.sheet.plan.nodes import Node, Plan

HIDDEN = {"rows", "match", "order"}
"""They belong to the table, not to a formula."""
LONGEST = 80


def plan_text(plan: Plan) -> str:
    """The plan as an indented text."""
    uses = _uses(plan)
    numbers: dict[int, int] = {}
    lines: list[str] = []
    table = None
    for (name, _), id in plan.fields.items():
        if name != table:
            lines += ["", name] if lines else [name]
            table = name
        lines.append(f"  {_title(plan.nodes[id])}")
        for each in reversed(plan.nodes[id].inputs):
            _below(plan, each, uses, numbers, lines)
    for (name, number, field), id in plan.totals.items():
        lines += ["", f"Total {number + 1} {reference_text(name, field)}"]
        _below(plan, id, uses, numbers, lines)
    for id in plan.questions.values():
        if not uses[id]:
            lines.append("")
            _below(plan, id, uses, numbers, lines)
    return "\n".join(lines) + "\n"


def _below(plan: Plan, root: int, uses: Counter[int], numbers: dict[int, int], lines: list[str]) -> None:
    waiting = [(root, 2)]
    while waiting:
        id, depth = waiting.pop()
        node = plan.nodes[id]
        if node.op in HIDDEN:
            continue
        indent = "  " * depth
        field = _field_behind(plan, node)
        if field is not None:
            lines.append(f"{indent}{_title(field)}")
            continue
        if id in numbers:
            lines.append(f"{indent}{_title(node)} (#{numbers[id]}, above)")
            continue
        number = ""
        if uses[id] > 1 and node.op not in ("constant", "element", "element_field"):
            numbers[id] = len(numbers) + 1
            number = f" #{numbers[id]}"
        lines.append(f"{indent}{_title(node)}{number}")
        if node.op in ("element", "element_field"):
            continue
        inputs = node.inputs[1:] if node.op == "query" else node.inputs
        waiting += [(each, depth + 1) for each in reversed(inputs)]


def _field_behind(plan: Plan, node: Node) -> Node | None:
    """The field that a node is, or is the column of: it has its own lines."""
    if node.op == "column":
        return plan.nodes[node.inputs[0]]
    return node if node.op == "field" else None


def _uses(plan: Plan) -> Counter[int]:
    return Counter(id for node in plan.nodes for id in node.inputs)


def _title(node: Node) -> str:
    label = visible(node.label).replace("\n", " ")
    label = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
    end = " → Field Name, N, Model" if node.op == "evaluation" else ""
    return f"{node.kind} {label}{end}".strip()


def plan_mermaid(plan: Plan) -> str:
    """The plan as a Mermaid flowchart: an arrow goes from what is needed to what needs it."""
    lines = ["flowchart LR"]
    shown = [node for node in plan.nodes if node.op not in HIDDEN and node.op != "column"]
    homes: dict[str, list[Node]] = {}
    for node in shown:
        homes.setdefault(node.detail.table if node.op == "field" else "", []).append(node)
    for number, (table, members) in enumerate(homes.items()):
        if table:
            lines.append(f'    subgraph t{number}["{_quoted(table)}"]')
        lines += [f'    {"    " if table else ""}n{node.id}["{_quoted(_title(node))}"]' for node in members]
        if table:
            lines.append("    end")
    for node in shown:
        sources = dict.fromkeys(_source(plan, id) for id in node.inputs)
        lines += [f"    n{id} --> n{node.id}" for id in sources if plan.nodes[id].op not in HIDDEN]
    return "\n".join(lines) + "\n"


def _source(plan: Plan, id: int) -> int:
    node = plan.nodes[id]
    return node.inputs[0] if node.op == "column" else id


def _quoted(text: str) -> str:
    return (
        text.replace("&", "&amp;")
        .replace('"', "&quot;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("#", "&#35;")
    )
