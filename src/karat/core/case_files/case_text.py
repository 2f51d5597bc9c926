"""The text of one case in its file: cut out to be edited, put back with everything around it as it was.

YAML and JSON files hold a case as a document, or as an item of a list; JSONL files as a line. A file of another form is
edited as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.problems import UserError
from karat.core.records import Where
from karat.core.yaml.edit import BOM, roots_of

Form = Literal["yaml", "flow", "line", "file"]
YAML_ENDINGS = (".yaml", ".yml", ".json")
LINE_ENDINGS = (".jsonl", ".ndjson")


class CaseText(msgspec.Struct, frozen=True):
    """A piece of a file: what is before it, the piece as a person edits it, what is after it."""

    form: Form
    before: str
    text: str
    after: str
    indent: str = ""
    """What every line of the piece but the first begins with in the file."""
    first: str = ""
    """What the first line begins with in the file, such as ``- ``."""
    newline: str = "\n"
    original: str = ""
    """A line of JSON as it is in the file."""

    @property
    def ending(self) -> str:
        """The ending of a file that holds just the piece; empty: that of the whole file."""
        return {"yaml": ".yaml", "flow": ".yaml", "line": ".json", "file": ""}[self.form]

    def with_text(self, text: str) -> bytes:
        """The whole file with another piece in place of this one. UserError where a line would not be JSON."""
        return (self.before + self._put_back(text) + self.after).encode()

    def _put_back(self, text: str) -> str:
        if self.form == "line":
            return self._as_line(text)
        if self.form in ("file", "flow"):
            return text
        lines = text.rstrip().split("\n")
        placed = [self.first + lines[0], *(self.indent + line if line.strip() else "" for line in lines[1:])]
        return self.newline.join(placed)

    def _as_line(self, text: str) -> str:
        try:
            value = json.loads(text)
        except ValueError as error:
            raise UserError(
                f"the case is not JSON: {error}", hint="A JSONL file has one JSON object per line."
            ) from None
        if value == json.loads(self.original):
            return self.original
        separators = (", ", ": ") if re.match(r'\{\s*"[^"]*":\s', self.original) else (",", ":")
        return json.dumps(value, ensure_ascii=self.original.isascii() and "\\u" in self.original, separators=separators)


def case_text(data: bytes, where: Where) -> CaseText:
    """The piece of a file that holds the case; the whole file where it cannot be cut out. ValueError for a file that is
    not UTF-8 or cannot be parsed."""
    text = data.removeprefix(BOM).decode()
    mark = "\ufeff" if data.startswith(BOM) else ""
    name = Path(where.file).name.lower()
    if name.endswith(LINE_ENDINGS):
        found = _line(text, where.line)
    elif name.endswith(YAML_ENDINGS):
        found = _item(text, roots_of(data), where)
    else:
        found = None
    found = found or CaseText("file", "", text, "")
    return msgspec.structs.replace(found, before=mark + found.before)


def _line(text: str, number: int) -> CaseText | None:
    lines = text.split("\n")
    if not 0 < number <= len(lines):
        return None
    original = lines[number - 1].rstrip("\r")
    try:
        shown = json.dumps(json.loads(original), indent=2, ensure_ascii=False)
    except ValueError:
        return None
    before = "".join(line + "\n" for line in lines[: number - 1])
    return CaseText("line", before, shown + "\n", text[len(before) + len(original) :], original=original)


def _item(text: str, roots: list[Node], where: Where) -> CaseText | None:
    node = node_of_case(roots, where)
    if node is None:
        return None
    begin, end = node.start_mark.index, node.end_mark.index
    if node.flow_style:
        return CaseText("flow", text[:begin], text[begin:end], text[end:])
    line_start = text.rfind("\n", 0, begin) + 1
    first = text[line_start:begin]
    end = max(begin + len(_without_tail(text[begin:end])), _end_of_block(text, node))
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = " " * len(first)
    lines = text[begin:end].replace("\r\n", "\n").split("\n")
    shown = "\n".join(line.removeprefix(indent) for line in lines) + "\n"
    if any(line.strip() and not line.startswith(indent) for line in lines[1:]):
        return None  # a block scalar or a comment further out: the piece cannot be moved
    return CaseText("yaml", text[:line_start], shown, text[end:], indent, first, newline)


def _end_of_block(text: str, node: Node) -> int:
    """Where a block of text that ends the piece ends: what looks like a comment inside it is not one."""
    last = node
    while isinstance(last, MappingNode | SequenceNode) and last.value and not last.flow_style:
        last = last.value[-1][1] if isinstance(last, MappingNode) else last.value[-1]
    if not isinstance(last, ScalarNode) or last.style not in ("|", ">"):
        return 0
    return last.start_mark.index + len(text[last.start_mark.index : last.end_mark.index].rstrip())


def _without_tail(piece: str) -> str:
    """Without blank lines and comments at the end: they belong to what follows."""
    lines = piece.split("\n")
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        lines.pop()
    return "\n".join(lines).rstrip()


def node_of_case(roots: list[Node], where: Where) -> MappingNode | None:
    """The mapping of a case: its document, or the item of a list in it that begins in the same line."""
    if not 0 <= where.document < len(roots):
        return None
    root = roots[where.document]
    if where.item is None:
        return root if isinstance(root, MappingNode) else None
    for items in _lists(root):
        if where.item < len(items.value):
            node: Node = items.value[where.item]
            if isinstance(node, MappingNode) and node.start_mark.line + 1 == where.line:
                return node
    return None


def path_of_case(roots: list[Node], where: Where) -> tuple[str | int, ...] | None:
    """The keys and indices that lead to the mapping of a case."""
    node = node_of_case(roots, where)
    if node is None or where.item is None:
        return None if node is None else ()
    root = roots[where.document]
    if isinstance(root, SequenceNode):
        return (where.item,)
    lists = ((key, value) for key, value in root.value if isinstance(value, SequenceNode))
    return next((str(key.value), where.item) for key, value in lists if node in value.value)


def _lists(root: Node) -> Iterator[SequenceNode]:
    if isinstance(root, SequenceNode):
        yield root
    elif isinstance(root, MappingNode):
        yield from (value for _, value in root.value if isinstance(value, SequenceNode))
