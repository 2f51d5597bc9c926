"""YAML files into nodes, with a position for everything and no tag resolved: every scalar is the text that stands in the file.

``NO`` is not False, ``001`` is not 1, ``1:30`` is not 90. Hostile files are bounded: nesting before the parser sees it (libyaml's
composer recurses in C, and a deep file would end the process), aliases by counting what they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.problems import Problem

Path_ = tuple[str | int, ...]
"""Keys and indices from the root of a document to a value."""

MAX_BYTES = 256 * 1024 * 1024
MAX_DEPTH = 200
MAX_ALIASED = 100_000
"""How many nodes all the aliases of one document may stand for."""


class Bad:
    """Stands for a value that could not be read; its problem is already noted."""


BAD = Bad()


class Findings:
    """The mistakes found in one file so far."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, node: Node, message: str, hint: str = "") -> Bad:
        """Note a mistake at a node; returns the value that stands for "could not be read"."""
        mark, end = node.start_mark, node.end_mark
        width = end.column - mark.column if end.line == mark.line else 1
        self.problems.append(
            Problem(message, file=self.file, line=mark.line + 1, column=mark.column + 1, width=max(width, 1), hint=hint)
        )
        return BAD


class _Composer(yaml.CBaseLoader):
    """libyaml's composer with no tag resolution: all scalars are text."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> str:  # noqa: ARG002
        return ""

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def documents(data: bytes, findings: Findings) -> Iterator[Node]:
    """The root node of each document of a file. A syntax error is noted, and ends the file, not the caller."""
    refusal = _refusal(data)
    if refusal:
        findings.problems.append(Problem(refusal, file=findings.file))
        return
    composer = _Composer(data)
    try:
        while composer.check_node():
            node = composer.get_node()
            if node is None:
                continue
            if b"*" in data and _aliased(node) > MAX_ALIASED:
                findings.add(
                    node, f"the aliases of this document stand for more than {MAX_ALIASED:,} values", "Write them out."
                )
                continue
            yield node
    except yaml.MarkedYAMLError as error:
        findings.problems.append(_syntax_problem(error, findings.file))
    except yaml.YAMLError as error:  # bytes that are no text, control characters
        findings.problems.append(_encoding_problem(error, data, findings.file))
    finally:
        composer.dispose()


def _syntax_problem(error: yaml.MarkedYAMLError, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    what = (error.problem or "cannot be read").strip()
    context = f" ({error.context.strip()})" if error.context else ""
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    hint = ""
    if "mapping values are not allowed" in what:
        hint = 'A text that holds ": " needs quotes.'
    elif "found character that cannot start any token" in what:
        hint = "Indent with spaces, not tabs; quote a text that begins with @, ` or %."
    return Problem(f"not valid YAML: {what}{context}", file=file, line=line, column=column, hint=hint)


def _encoding_problem(error: yaml.YAMLError, data: bytes, file: str) -> Problem:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        column = bad.start - (data.rfind(b"\n", 0, bad.start) + 1) + 1
        return Problem(
            f"not UTF-8 text: {bad.reason}", file=file, line=line, column=column, hint="Save the file as UTF-8."
        )
    found = re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - (text.rfind("\n", 0, found.start()) + 1) + 1
        message = f"a control character (\\x{ord(found[0]):02x}) that YAML does not allow"
        return Problem(
            message, file=file, line=line, column=column, hint=f'Write it as "\\x{ord(found[0]):02x}" in double quotes.'
        )
    return Problem(f"not valid YAML: {error}", file=file)


_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_DEEP_BLOCK = re.compile(rb"(?:[-?:][ \t]+){%d}|(?:^|\n)[ ]{%d}" % (MAX_DEPTH, 4 * MAX_DEPTH))


def _refusal(data: bytes) -> str:
    """Why a file may not be parsed at all; empty when it may. Cheap: the parser itself costs a hundred times more."""
    if len(data) > MAX_BYTES:
        return f"the file is larger than {MAX_BYTES // 2**20} MiB"
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        steps = (1 if byte in b"[{" else -1 for byte in data.translate(None, _BRACKETS))
        if max(accumulate(steps), default=0) > MAX_DEPTH:
            return f"brackets are nested more than {MAX_DEPTH} deep (or many stand unclosed in texts)"
    if _DEEP_BLOCK.search(data):
        return f"blocks are nested more than {MAX_DEPTH} deep"
    return ""


def _aliased(root: Node) -> int:
    """How many nodes the tree would have with its aliases written out, beyond those it has. Stops counting when too many."""
    sizes: dict[int, int] = {}

    def size(node: Node) -> int:
        key = id(node)
        if key in sizes:
            return sizes[key]
        sizes[key] = MAX_ALIASED * 2  # an alias to a parent: endless
        if isinstance(node, MappingNode):
            total = 1 + sum(size(key_node) + size(value) for key_node, value in node.value)
        elif isinstance(node, SequenceNode):
            total = 1 + sum(size(item) for item in node.value)
        else:
            total = 1
        sizes[key] = total
        return total

    return size(root) - len(sizes)


def is_empty(node: Node) -> bool:
    """``key:`` with nothing after it, ``~`` or ``null``: where a list or object belongs, it means there is none."""
    return isinstance(node, ScalarNode) and not node.style and node.value in ("", "~", "null")
