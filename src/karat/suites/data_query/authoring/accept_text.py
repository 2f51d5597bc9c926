"""The text of a case file with one more entry under ``alternatives``: in blocks where the target is written so, else as
JSON inside its brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.json_types import Json, JsonObject
from karat.core.problems import UserError
from karat.core.records import Where
from karat.core.yaml.edit import find
from karat.core.yaml.structs import Findings, Path_, documents
from karat.suites.data_query.selection.selection import Selection

KEY = "alternatives"
BOM = b"\xef\xbb\xbf"
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*(?:[:][A-Za-z0-9_.]+)*")
_WORDS = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def with_alternative(data: bytes, source: Where, path: Path_, selection: Selection) -> bytes:
    """The file with the selection added to the target at a path in its case. UserError where there is no place for
    it."""
    start = BOM if data.startswith(BOM) else b""
    text = data[len(start) :].decode("utf-8")  # marks count characters, and not a BOM
    roots = list(documents(data, Findings("")))
    own: Path_ = path if source.item is None else (source.item, *path)
    spot = find(roots[source.document], own) if source.document < len(roots) else None
    if spot is None or not isinstance(spot.node, MappingNode):
        raise UserError("there is no target at the turn in the file")
    plain = plain_form(selection)
    target: MappingNode = spot.node
    listed = next((value for key, value in target.value if key.value == KEY), None)
    if spot.in_flow or target.flow_style:
        new = _in_brackets(text, target, listed, plain)
    elif listed is None:
        key = target.value[0][0].start_mark.column
        lines = [f"{KEY}:", *_item(plain)]
        new = _after(text, target, [" " * key + line for line in lines])
    elif isinstance(listed, SequenceNode) and not listed.flow_style:
        dash = text.rfind("-", 0, listed.value[0].start_mark.index)
        indent = dash - (text.rfind("\n", 0, dash) + 1)
        new = _after(text, listed, [" " * indent + line for line in _item(plain)])
    else:
        new = _in_brackets(text, target, listed, plain)
    return start + new.encode("utf-8")


def plain_form(selection: Selection) -> JsonObject:
    """The selection as plain values, without what goes without saying."""
    found: JsonObject = msgspec.to_builtins(selection)
    found.setdefault("indicator_selection", [])
    for part in found["indicator_selection"]:
        part["dimensions"] = list(part.get("dimensions", ()))
    return found


# -- in brackets ------------------------------------------------------------------------------------------------------


def _in_brackets(text: str, target: MappingNode, listed: Node | None, plain: JsonObject) -> str:
    entry = _json(plain)
    if listed is None:
        return _before_end(text, target, f'"{KEY}": [{entry}]')
    if not isinstance(listed, SequenceNode):
        raise UserError(f'"{KEY}" of the target is not a list')
    return _before_end(text, listed, entry)


def _before_end(text: str, node: Node, added: str) -> str:
    """One more member before the closing bracket."""
    end = node.end_mark.index - 1
    last = len(text[:end].rstrip())
    comma = "" if not node.value or text[last - 1] == "," else ", "
    gap = " " if text[last - 1] == "," else ""
    return text[:last] + comma + gap + added + text[last:]


def _json(value: object) -> str:
    written = msgspec.json.encode(value).decode()
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


# -- in blocks --------------------------------------------------------------------------------------------------------


def _after(text: str, node: Node, lines: Sequence[str]) -> str:
    """The lines below the last line of a block, with the line ends of the file."""
    end = text.find("\n", _end(text, node))
    newline = "\r\n" if "\r\n" in text else "\n"
    if end < 0:  # the last line has no end, and so it stays
        return text + newline + newline.join(lines)
    return text[: end + 1] + "".join(line + newline for line in lines) + text[end + 1 :]


def _end(text: str, node: Node) -> int:
    """Where the last character of a node is. The end mark of a block is where the next thing begins."""
    if isinstance(node, MappingNode | SequenceNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return max(_end(text, part) for part in (last if isinstance(last, tuple) else (last,)))
    if isinstance(node, ScalarNode) and node.style in ("|", ">"):
        return len(text[: node.end_mark.index].rstrip())
    return int(node.end_mark.index)


def _item(plain: JsonObject) -> Iterator[str]:
    """The entry as the lines of a list item."""
    lines = [line for key in plain for line in _member(key, plain[key])]
    yield f"- {lines[0]}"
    yield from (f"  {line}" for line in lines[1:])


def _member(key: str, value: Json) -> list[str]:
    if key != "indicator_selection" or not value:
        return [f"{key}: {_flow(value)}"]
    lines = [f"{key}:"]
    for part in value:
        lines.append(f"- dataset_id: {_scalar(part['dataset_id'])}")
        lines += [f"  {name}: {_flow(part[name])}" for name in ("period",) if name in part]
        lines.append("  dimensions:" if part["dimensions"] else "  dimensions: []")
        for dimension in part["dimensions"]:
            lines.append(f"  - dimension_name: {_scalar(dimension['dimension_name'])}")
            lines += [f"    {name}: {_scalar(dimension[name])}" for name in ("operator",) if name in dimension]
            terms = dimension.get("values", ())
            lines.append("    values:" if terms else "    values: []")
            lines += [f"    - {_flow(term)}" for term in terms]
    return lines


def _flow(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else _scalar(str(value), in_flow=True)


def _scalar(text: str, *, in_flow: bool = False) -> str:
    """A text without quotes where every reader of YAML takes it for the same text, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and not (in_flow and ":" in text):
        return text
    return _json(text)
