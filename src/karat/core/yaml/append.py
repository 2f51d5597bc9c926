"""New cases at the end of a file, with everything that is there left as it is.

A JSONL file gets lines; a YAML list, or the list inside a mapping, gets items in the same layout; a file of YAML
documents gets documents.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from yaml.nodes import MappingNode, Node, SequenceNode

from karat.core.case_files.case_file import as_yaml
from karat.core.case_files.case_text import LINE_ENDINGS, YAML_ENDINGS
from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.yaml.edit import roots_of


def as_lines(name: str, data: bytes) -> str:
    """How a table of cases becomes lines of JSON, which can be added to; empty for files of other forms."""
    path = Path(name)
    if path.suffix.lower() not in (".csv", ".tsv"):
        return ""
    heading = data.partition(b"\n")[0]
    sign = "\\t" if path.suffix.lower() == ".tsv" else next((one for one in ",;" if one.encode() in heading), "\\t")
    program = (
        "import csv, json, sys; file = open(sys.argv[1], encoding='utf-8-sig', newline=''); "
        f"[print(json.dumps(row)) for row in csv.DictReader(file, delimiter='{sign}')]"
    )
    lines = path.with_suffix(LINE_ENDINGS[0])
    command = f'python -c "{program}" {shlex.quote(name)} > {shlex.quote(str(lines))}'
    return f"Convert it, and use {lines.name} in its place (also in karat.yaml): {command}"


def with_entries(data: bytes, name: str, entries: Sequence[JsonObject]) -> bytes:
    """The file with these cases at its end. UserError for a file that cannot be added to."""
    lower = name.lower()
    if lower.endswith(LINE_ENDINGS):
        lines = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        return _ended(data) + lines.encode()
    if not lower.endswith(YAML_ENDINGS):
        hint = (
            as_lines(name, data)
            or f"Give a file with --to that ends in {', '.join((*YAML_ENDINGS[:2], LINE_ENDINGS[0]))}."
        )
        raise UserError(f"cases cannot be added to a file of this form: {name}", hint=hint)
    try:
        roots = roots_of(data) if data.strip() else []
    except ValueError as error:
        raise UserError(f"{name} cannot be changed: {error}") from None
    place = _last_list(roots[-1]) if roots else None
    if place is None:
        parts = [as_yaml(entry) for entry in entries]
        return _ended(data) + (("---\n" if roots else "") + "---\n".join(parts)).encode()
    text = data.decode()
    if place.flow_style:
        return _in_brackets(text, place, entries).encode()
    last = place.value[-1]
    line = text.rfind("\n", 0, last.start_mark.index) + 1
    column = text[line : last.start_mark.index].index("-")
    items = "".join(_item(entry, " " * column) for entry in entries)
    end = last.start_mark.index + len(text[last.start_mark.index : place.end_mark.index].rstrip())
    rest = text[end:]
    return (text[:end] + "\n" + items.rstrip("\n") + (rest if rest.startswith("\n") else "\n" + rest)).encode()


def _last_list(root: Node) -> SequenceNode | None:
    """The list that the cases of a document are in: the document itself, or the only list of mappings in it."""
    if isinstance(root, SequenceNode):
        return root if root.value else None
    held = [value for _, value in root.value if _is_cases(value)] if isinstance(root, MappingNode) else []
    is_case = isinstance(root, MappingNode) and any(key.value == "id" for key, _ in root.value)
    return held[0] if len(held) == 1 and not is_case else None


def _is_cases(node: Node) -> bool:
    return isinstance(node, SequenceNode) and bool(node.value) and all(isinstance(v, MappingNode) for v in node.value)


def _item(entry: JsonObject, indent: str) -> str:
    lines = as_yaml(entry).rstrip("\n").split("\n")
    return "".join(f"{indent}{'- ' if not at else '  '}{line}".rstrip() + "\n" for at, line in enumerate(lines))


def _in_brackets(text: str, place: SequenceNode, entries: Sequence[JsonObject]) -> str:
    end = place.end_mark.index - 1
    before = text[:end].rstrip()
    added = "".join(f",\n  {json.dumps(entry, ensure_ascii=False)}" for entry in entries)
    return f"{before}{added}\n{text[end:]}"


def _ended(data: bytes) -> bytes:
    return data if not data or data.endswith(b"\n") else data + b"\n"
