"""Replacing single texts in a YAML file, and nothing else: comments, layout, quotes and line ends stay byte for byte.

A scalar is addressed by its document and path, found by the marks of its node, and its text is spliced. The result is
parsed again and must be the old tree with just those values changed; otherwise nothing is given back.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any  # Any: the resolver of PyYAML has no types

import msgspec
import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.case_files.case_checks import Fix
from karat.core.files.atomic import write_bytes
from karat.core.files.limits import YAML_MB
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, UserError, count_of
from karat.core.yaml.structs import Findings, Path_, documents

BOM = b"\xef\xbb\xbf"
Edit = tuple[int, Path_, str]
"""(document, path, new text)"""


class Spot(msgspec.Struct, frozen=True):
    """A node, and whether it is inside ``[…]`` or ``{…}``, where a plain text may hold less."""

    node: Node
    in_flow: bool


class _Splice(msgspec.Struct, frozen=True):
    """A scalar that is in the file, whether it is inside ``[…]`` or ``{…}``, and the text to put in its place."""

    node: ScalarNode
    in_flow: bool
    new: str


class Refusal(msgspec.Struct, frozen=True):
    """An edit that cannot be made, and why."""

    edit: Edit
    reason: str
    line: int = 0


def find(root: Node, path: Path_) -> Spot | None:
    """The node at a path of keys and indices; None when it is not there."""
    node, in_flow = root, False
    for step in path:
        in_flow = in_flow or bool(getattr(node, "flow_style", False))
        if isinstance(step, int):
            if not isinstance(node, SequenceNode) or not 0 <= step < len(node.value):
                return None
            node = node.value[step]
        else:
            found = [value for key, value in node.value if key.value == step] if isinstance(node, MappingNode) else []
            if not found:
                return None
            node = found[0]
    return Spot(node, in_flow)


def apply_fixes(fixes: Sequence[Fix]) -> dict[str, int]:
    """Make every fix, file by file, each file written in one step; returns file → number of texts replaced.

    A file that no longer holds the old text of a fix is left alone; so is a text that others share through an alias.
    When anything was left alone, the rest is done first, and then a UserError tells all of it.
    """
    changed: dict[str, int] = {}
    problems: list[Problem] = []
    by_file: dict[str, list[Fix]] = defaultdict(list)
    for fix in fixes:
        by_file[fix.file].append(fix)
    for file, held in by_file.items():
        try:
            count = _fix_file(Path(file), held, problems)
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror or error}", file=file))
        except ValueError as error:
            problems.append(Problem(f"not changed: {error}", file=file))
        except UserError as error:
            problems.append(Problem(f"not changed: {error.message}", file=file))
        else:
            if count:
                changed[file] = count
    if problems:
        done = f"{count_of(sum(changed.values()), 'text')} replaced in {count_of(len(changed), 'file')}"
        raise UserError(f"{done}; not everything could be replaced", problems=problems)
    return changed


def _fix_file(path: Path, fixes: Sequence[Fix], problems: list[Problem]) -> int:
    path = path.resolve() if path.is_symlink() else path  # write the file that the link points to, keep the link
    from karat.core.yaml.insert import with_keys

    data = read_bytes(path, YAML_MB)
    missing = [fix for fix in fixes if fix.insert]
    fixes = [fix for fix in fixes if not fix.insert]
    if missing:
        data = with_keys(data, missing)
        if not fixes:
            write_bytes(path, data)
            return len(missing)
    roots = roots_of(data)
    for fix in fixes:
        spot = find(roots[fix.document], fix.path) if fix.document < len(roots) else None
        if spot is None or spot.node.value != fix.old:
            hint = "The file has changed since it was checked: check it again."
            problems.append(Problem(f'not changed: "{fix.old}" is no longer there', file=fix.file, hint=hint))
            return 0
    edits: list[Edit] = list(dict.fromkeys((fix.document, fix.path, fix.new) for fix in fixes))
    splices, refusals = _plan(roots, edits, shared=b"*" in data)
    problems.extend(Problem(f"not replaced: {r.reason}", file=fixes[0].file, line=r.line) for r in refusals)
    refused = {refusal.edit for refusal in refusals}
    edits = [edit for edit in edits if edit not in refused]
    if edits or missing:
        write_bytes(path, _spliced(data, roots, splices, edits) if edits else data)
    return len(edits) + len(missing)


def with_values(data: bytes, edits: Sequence[Edit]) -> bytes:
    """The file with these values replaced. Raises ValueError where one is not there, or is shared through an alias."""
    roots = roots_of(data)
    splices, refusals = _plan(roots, edits, shared=b"*" in data)
    if refusals:
        raise ValueError(refusals[0].reason)
    return _spliced(data, roots, splices, edits)


# -- finding what to replace ----------------------------------------------------------------------------------------


def roots_of(data: bytes) -> list[Node]:
    """The documents of a file. Raises ValueError where they cannot be edited."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("the file is UTF-16: save it as UTF-8 so that it can be edited")
    findings = Findings("")
    roots = list(documents(data, findings))
    if findings.problems:
        problem = findings.problems[0]
        raise ValueError(f"line {problem.line}: {problem.message}" if problem.line else problem.message)
    return roots


def _plan(roots: Sequence[Node], edits: Sequence[Edit], *, shared: bool) -> tuple[list[_Splice], list[Refusal]]:
    """One splice for each node that may be replaced, and the edits that may not be made."""
    refusals: list[Refusal] = []
    by_node: dict[int, list[tuple[Edit, _Splice]]] = defaultdict(list)
    for edit in dict.fromkeys(edits):
        spot = find(roots[edit[0]], edit[1]) if 0 <= edit[0] < len(roots) else None
        if spot is None or not isinstance(spot.node, ScalarNode):
            what = "there is nothing" if spot is None else "there is no single value"
            refusals.append(Refusal(edit, f"{what} at {_shown(edit[1])}", spot.node.start_mark.line + 1 if spot else 0))
        else:
            by_node[id(spot.node)].append((edit, _Splice(spot.node, spot.in_flow, edit[2])))
    reached = _reached(roots, set(by_node)) if shared else {}
    splices: list[_Splice] = []
    for key, held in by_node.items():
        first, splice = held[0]
        line = splice.node.start_mark.line + 1
        if len({edit[2] for edit, _ in held}) > 1:
            reason = f"two different replacements for {_shown(first[1])}"
            refusals.extend(Refusal(edit, reason, line) for edit, _ in held)
        elif reached.get(key, 1) > len(held):
            reason = (
                f"the value at {_shown(first[1])} is also used elsewhere through an alias: write it out there first"
            )
            refusals.extend(Refusal(edit, reason, line) for edit, _ in held)
        else:
            splices.append(splice)
    return splices, refusals


def _reached(roots: Sequence[Node], wanted: set[int]) -> dict[int, int]:
    """How many paths lead to each of these nodes. More than one: through an alias, of the node or of one above it."""
    counts: dict[int, int] = defaultdict(int)

    def walk(node: Node) -> None:
        if id(node) in wanted:
            counts[id(node)] += 1
        if isinstance(node, MappingNode):
            for key, value in node.value:
                walk(key)
                walk(value)
        elif isinstance(node, SequenceNode):
            for item in node.value:
                walk(item)

    for root in roots:
        walk(root)
    return counts


def _shown(path: Path_) -> str:
    return ".".join(str(step) for step in path) or "the top"


# -- putting the new text in ----------------------------------------------------------------------------------------


def _spliced(data: bytes, roots: Sequence[Node], splices: Sequence[_Splice], edits: Sequence[Edit]) -> bytes:
    """The new file, in the old style of each scalar; in double quotes where that does not give the right tree."""
    start = BOM if data.startswith(BOM) else b""
    text = data[len(start) :].decode("utf-8")  # marks count characters, and not a BOM
    ordered = sorted(splices, key=lambda splice: splice.node.start_mark.index)
    wanted = trees(roots, edits)
    for keep_style in (True, False):
        pieces: list[str] = []
        done = 0
        for splice in ordered:
            begin, end = _span(text, splice.node)
            blank = " " if begin == end and text[begin - 1 : begin].strip() else ""  # after "name:" with no text
            pieces += [text[done:begin], blank, _written(text[begin:end], splice, keep_style=keep_style)]
            done = end
        result = start + "".join([*pieces, text[done:]]).encode("utf-8")
        findings = Findings("")
        if trees(list(documents(result, findings))) == wanted and not findings.problems:
            return result
    raise ValueError("the new text cannot be inserted without changing something else")


def trees(roots: Sequence[Node], edits: Sequence[Edit] = ()) -> list[object]:
    """The documents as plain tuples, aliases written out, with the edits made."""
    changes = {(document, *path): new for document, path, new in edits}
    return [_tree(root, (number,), changes) for number, root in enumerate(roots)]


def _tree(node: Node, path: Path_ | None, changes: dict[Path_, str]) -> object:
    if isinstance(node, ScalarNode):
        return (node.tag, changes.get(path, node.value) if path else node.value)
    if isinstance(node, SequenceNode):
        return (
            node.tag,
            [_tree(item, (*path, index) if path else None, changes) for index, item in enumerate(node.value)],
        )
    pairs: list[tuple[object, object]] = []
    seen: set[str] = set()
    for key, value in node.value:
        named = path is not None and isinstance(key.value, str) and key.value not in seen  # of two equal keys the first
        pairs.append((_tree(key, None, changes), _tree(value, (*(path or ()), key.value) if named else None, changes)))
        if isinstance(key.value, str):
            seen.add(key.value)
    return (node.tag, "mapping", pairs)


_BLANKS = re.compile(r"(?:\s|(?<=\s)#[^\r\n]*)*")
_PROPERTY = re.compile(r"&[0-9A-Za-z_-]+|!<[^>]*>|![^\s,\[\]{}]*")


def _span(text: str, node: ScalarNode) -> tuple[int, int]:
    """Where the scalar itself is: without its anchor and tag, and without blank lines after a block."""
    begin, end = node.start_mark.index, node.end_mark.index
    while begin < end and (found := _PROPERTY.match(text, begin, end)):
        begin = found.end()
        if begin < end:
            begin = (_BLANKS.match(text, begin, end) or found).end()
    if node.style in ("|", ">"):
        end = begin + len(text[begin:end].rstrip())
    return begin, end


def _written(old: str, splice: _Splice, *, keep_style: bool) -> str:
    """The new text as YAML, in the style of the old one where it can be."""
    style, new = splice.node.style, splice.new
    if style not in ("|", ">"):
        return flow_scalar(new, style if keep_style else '"', in_flow=splice.in_flow)
    block = _BLOCK.match(old)
    header, comment, newline, indent = block.groups(default="") if block else ("", "", "", "")
    if keep_style and indent and not re.search(r"\d", header) and _fits_block(new, style):
        lines = new.removesuffix("\n").split("\n")
        body = newline.join(indent + line if line else "" for line in lines)
        return f"{style}{'' if new.endswith(chr(10)) else '-'}{comment}{newline}{body}"
    return flow_scalar(new, "" if keep_style else '"', in_flow=False) + comment.rstrip()


_BLOCK = re.compile(r"([|>][-+\d]*)([ \t]+#[^\r\n]*)?[ \t]*(?:(\r\n|\r|\n)(?:[ \t]*+(?>\r\n|\r|\n))*+([ ]+)(?=\S))?")
"""A block scalar: its header, the comment after it, its line end, the indentation of its lines."""


def _fits_block(new: str, style: str) -> bool:
    """Whether a text can be in a block as it is: lines that begin with no blank; in a folded one just one line."""
    lines = new.removesuffix("\n").split("\n")
    if not lines[0] or not lines[-1] or any(line[:1].isspace() for line in lines):
        return False
    return _SPECIAL.search(new.replace("\n", "")) is None and (style == "|" or len(lines) == 1)


_SPECIAL = re.compile("[^\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What cannot be in a file as it is, or would be a line break there."""


def flow_scalar(new: str, style: str | None, *, in_flow: bool) -> str:
    """Plain where the old one was and it can be, else in single quotes, else in double quotes."""
    if not style and _plain(new, in_flow=in_flow):
        return new
    if style != '"' and _SPECIAL.search(new) is None:
        return "'" + new.replace("'", "''") + "'"
    return _double(new)


def _plain(new: str, *, in_flow: bool) -> bool:
    """Whether a text without quotes is read back as exactly this text, by us and by readers that know numbers and
    booleans."""
    if not new or _SPECIAL.search(new) or new[:3] in ("---", "..."):
        return False
    resolver: Any = yaml.resolver.Resolver()
    if resolver.resolve(ScalarNode, new, (True, False)) != "tag:yaml.org,2002:str":
        return False
    sample = f"[{new}, {{k: {new}}}]" if in_flow else f"- {new}\n- k: {new}\n"
    findings = Findings("")
    read = trees(list(documents(sample.encode(), findings)))
    return not findings.problems and read == [("", [("", new), ("", "mapping", [(("", "k"), ("", new))])])]


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def _double(new: str) -> str:
    """In double quotes, with the escapes that YAML and JSON share: a case file may be JSON."""
    shown = (_ESCAPES.get(c) or (f"\\u{ord(c):04x}" if _SPECIAL.match(c) else c) for c in new)
    return '"' + "".join(shown) + '"'
