"""YAML files into nodes, with a position for everything and no tag resolved: every scalar is the text that is in
the file.

``NO`` is not False, ``001`` is not 1, ``1:30`` is not 90. Hostile files are bounded: nesting before the parser sees it
(libyaml's composer recurses in C, and a deep file would end the process), aliases by counting what they stand for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.files.limits import ALIASED, DEPTH, MIB, YAML_MB
from karat.core.problems import Problem

Path_ = tuple[str | int, ...]
"""Keys and indices from the root of a document to a value."""


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

    def resolve(self, kind: object, value: object, implicit: object) -> str:  # noqa: ARG002 (PyYAML's signature)
        return ""

    def descend_resolver(self, current_node: object, current_index: object) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def documents(data: bytes, findings: Findings) -> Iterator[Node]:
    """The root node of each document of a file. A syntax error is noted, and ends the file, not the caller."""
    refusal, hint = _refusal(data)
    if refusal:
        findings.problems.append(Problem(refusal, file=findings.file, hint=hint))
        return
    composer = _Composer(data)
    suspicious = b"*" in data or _MAYBE_DEEP.search(data) is not None
    try:
        while composer.check_node():
            node = composer.get_node()
            if node is None:
                continue
            if suspicious and (refused := _refused_tree(node)):
                findings.add(node, *refused)
                continue
            yield node
    except yaml.MarkedYAMLError as error:
        findings.problems.append(_syntax_problem(error, findings.file))
    except yaml.YAMLError as error:  # bytes that are not text, control characters
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
        hint = 'A string that contains ": " needs quotes.'
    elif "tab character" in what:
        hint = "Indent with spaces, not tabs."
    elif "found character that cannot start any token" in what:
        hint = "Indent with spaces, not tabs; quote a string that starts with @, ` or %."
    elif error.context_mark is not None and (expected := _expected(what, error.context or "")):
        hint = f"{expected} {error.context_mark.line + 1}, column {error.context_mark.column + 1}."
    return Problem(f"not valid YAML: {what}{context}", file=file, line=line, column=column, hint=hint)


def _expected(what: str, context: str) -> str:
    """What the parser waited for when it gave up, up to the place where that begins."""
    for part, sign in (("flow mapping", "{"), ("flow sequence", "[")):
        if part in context and "did not find expected ',' or" in what:
            return f'Write a comma, or close the "{sign}" of line'
    if "quoted scalar" in context:
        return "Close the quotes that open in line"
    for part, entry in (("block mapping", "key: value"), ("block collection", "- item")):
        if part in context:
            return f'Expected a further "{entry}", indented as the block that begins in line'
    if "simple key" in context:
        return 'Expected ": " after the key in line'
    return ""


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
_MAYBE_DEEP = re.compile(rb"(?:[-?:][ \t]+){20}|(?:^|\n) {40}|(?:[\[{][^\[\]{}]*+){20}")
"""What any document must hold to nest deeper than twenty and some levels."""
_MARKS_IN_A_ROW = re.compile(rb"(?:[-?:][ \t]++){20,}+")
_DEEP_INDENT = re.compile(rb"(?:^|\n) {4000}")
MOST_BRACKETS = 1_000
MOST_MARKS = 1_000
"""Levels that libyaml's composer, which recurses in C, may see."""


def _refusal(data: bytes) -> tuple[str, str]:
    """Why a file may not be parsed at all, and what to do; empty when it may. Cheap: the parser itself costs a hundred
    times more."""
    if len(data) > YAML_MB.value * MIB:
        return f"the file is larger than {YAML_MB.value:,} MiB", YAML_MB.hint
    deepest = min(DEPTH.value, MOST_BRACKETS)
    if data.count(b"[") + data.count(b"{") > deepest:
        steps = (1 if byte in b"[{" else -1 for byte in data.translate(None, _BRACKETS))
        if max(accumulate(steps), default=0) > deepest:
            return f"brackets are nested more than {deepest} levels deep (or many are unclosed inside strings)", ""
    if _DEEP_INDENT.search(data) or _most_marks(data) >= MOST_MARKS:
        return f"blocks are nested more than {deepest} levels deep", ""
    return "", ""


def _most_marks(data: bytes) -> int:
    """How many levels are opened in a row, as in ``- - - x``. Each run is looked at once, however many there are."""
    runs = _MARKS_IN_A_ROW.finditer(data)
    return max((len(run[0].translate(None, b" \t")) for run in runs), default=0)


def _refused_tree(root: Node) -> tuple[str, str] | None:
    """Why a document is not taken, and what to do."""
    aliased, depth = _measured(root)
    if aliased > (most := ALIASED.value):
        counted = f"{TEXT_AS_ONE} characters of a text count as one"
        message = f"the aliases of this document expand to more than {most:,} values ({counted})"
        return message, f"Write them out, or set {ALIASED.variable}."
    if depth > (deepest := DEPTH.value) + 1:  # a scalar is no level
        return f"nested more than {deepest:,} levels deep", f"To allow more, set {DEPTH.variable}."
    return None


ENDLESS = 10**12
TEXT_AS_ONE = 64
"""Characters of a text that count as one value: few aliases of a long text fill the memory too."""


def _measured(root: Node) -> tuple[int, int]:
    """(how many nodes the tree has with its aliases written out, beyond those it has; how deep it nests then)."""
    sizes: dict[int, int] = {}
    weights: dict[int, int] = {}
    depths: dict[int, int] = {}
    work: list[tuple[Node, bool]] = [(root, False)]
    while work:  # no recursion: that is what deep trees are refused for
        node, parts_done = work.pop()
        key = id(node)
        if parts_done:
            parts = _parts(node)
            weights[key] = 1 + len(node.value) // TEXT_AS_ONE if isinstance(node, ScalarNode) else 1
            sizes[key] = min(ENDLESS, weights[key] + sum(sizes[id(part)] for part in parts))
            depths[key] = 1 + max((depths[id(part)] for part in parts), default=0)
        elif key not in sizes:
            sizes[key] = depths[key] = ENDLESS  # until its parts are done: an alias to a parent has no end
            work.append((node, True))
            work.extend((part, False) for part in _parts(node) if id(part) not in sizes)
    return sizes[id(root)] - sum(weights.values()), depths[id(root)]


def _parts(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, SequenceNode) else []


def is_empty(node: Node) -> bool:
    """``key:`` with nothing after it, ``~`` or ``null``: where a list or object belongs, it means there is none."""
    return isinstance(node, ScalarNode) and not node.style and node.value in ("", "~", "null")
