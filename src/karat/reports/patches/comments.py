"""A comment line above a case in its file, where the format has comments: YAML and sheets.

The line of a case comes from where it was loaded. The comment is put there when the file still says the same with it;
else at the top of the file, with the name of the case. A file without comments (JSON, JSON lines, CSV, judgements) gets
none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from yaml.nodes import MappingNode, Node, SequenceNode

from karat.core.yaml.structs import Findings, documents
from karat.reports.patches.unified_diff import lines_of

YAML = (".yaml", ".yml")
SHEET = (".sheet",)
BOM = b"\xef\xbb\xbf"


class Comment(msgspec.Struct, frozen=True):
    """What to say above the case that begins on this line; 0: it is not known where."""

    line: int
    case: str
    text: str


def has_comments(file: str) -> bool:
    """Whether a file of this name may hold comments."""
    return file.lower().endswith(YAML + SHEET)


def standing(data: bytes, comments: Sequence[Comment]) -> list[Comment]:
    """Those of the comments that are in the file already."""
    lines = {line.strip() for line in data.removeprefix(BOM).split(b"\n")}
    return [one for one in comments if not {_written(one), _written(one, named=True)}.isdisjoint(lines)]


def with_comments(data: bytes, file: str, comments: Sequence[Comment]) -> tuple[bytes, list[Comment]]:
    """(the file with the comments, those that cannot be put there)."""
    # From the last line to the first, so that the lines above stay where they were.
    wanted = sorted(comments, key=lambda one: -one.line)
    together: bytes | None = data
    for one in wanted:
        together = _at_line(together, one) if together is not None else None
    if together is not None and _says_the_same(data, together, file):
        return together, []
    at_top: list[Comment] = []
    for one in wanted:
        new = _at_line(data, one)
        if new is not None and _says_the_same(data, new, file):
            data = new
        else:
            at_top.append(one)
    refused: list[Comment] = []
    for one in at_top:
        new = _at_top(data, one)
        if _says_the_same(data, new, file):
            data = new
        else:
            refused.append(one)
    return data, refused


def _written(comment: Comment, *, named: bool = False) -> bytes:
    about = f"{comment.case}: " if named else ""
    return f"# {about}{comment.text}".encode("utf-8", "replace").strip()


def _at_line(data: bytes, comment: Comment) -> bytes | None:
    lines = lines_of(data)
    if not 0 < comment.line <= len(lines) or b"\r" in data.replace(b"\r\n", b""):
        return None  # the line number may count a lone \r as a line end
    own = lines[comment.line - 1]
    start = BOM if comment.line == 1 and own.startswith(BOM) else b""
    indent = re.match(rb"[ \t]*", own.removeprefix(start))
    lines[comment.line - 1] = start + (indent[0] if indent else b"") + _written(comment) + _line_end(data)
    return b"".join([*lines[: comment.line], own.removeprefix(start), *lines[comment.line :]])


def _at_top(data: bytes, comment: Comment) -> bytes:
    start = BOM if data.startswith(BOM) else b""
    return start + _written(comment, named=True) + _line_end(data) + data.removeprefix(start)


def _line_end(data: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in data else b"\n"


def _says_the_same(old: bytes, new: bytes, file: str) -> bool:
    """Whether the YAML is still the same. In a sheet, the loader has said where a row begins, and above it a comment is
    one."""
    if file.lower().endswith(SHEET):
        return True
    before, after = _trees(old), _trees(new)
    return before is not None and before == after


def _trees(data: bytes) -> list[object] | None:
    findings = Findings("")
    roots = [_tree(root) for root in documents(data, findings)]
    return None if findings.problems else roots


def _tree(node: Node) -> object:
    if isinstance(node, MappingNode):
        return [(_tree(key), _tree(value)) for key, value in node.value]
    if isinstance(node, SequenceNode):
        return [_tree(item) for item in node.value]
    return node.tag, node.value
