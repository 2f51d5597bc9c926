"""How a good file becomes a bad one: edits of its bytes, and odd values in the place of parts of its JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

LARGEST = 200_000
"""Bytes of a mutated file: enough to nest deep, and no more than a test has time for."""

TOKENS: tuple[bytes, ...] = (
    b"", b"\0", b"\n", b"\r\n", b"\t", b" ", b'"', b"'", b"`", b"```", b",", b";", b":", b": ", b"- ", b"#", b"&a ", b"*a", b"!!python/name:os.system ",
    b"<<: ", b"? ", b"|", b">", b"{", b"}", b"[", b"]", b"{}", b"[]", b"null", b"~", b"true", b"NaN", b"-Infinity", b"-0", b"1e999", b"9" * 400,
    b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", "é\u2028\u202e".encode(), b"\\ud800", b"\\u0000", b"data: ", b"[DONE]", b"<!DOCTYPE a>", b"&lt;",
    b"<![CDATA[", b"</", b"/>", b"{{", b"}}", b"{%", b"%}", b"../", b"/dev/zero", b"\x1f\x8b\x08", b"PK\x03\x04", b"id", b"0x10", b"1_000", b"2024-02-30",
)  # fmt: skip

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**30, 0.5, -0.0, 1e308, "", " ", "x", "\u0000", "\ud800", "é\u2028", "1", "NaN", "null", "${HOME}",
    "../../etc/passwd", "/dev/zero", "a" * 5_000, [], {}, [[]], [{}], [None], {"": None}, {"id": {}}, [1, "a", None], {"a": [{"b": []}]},
    "2024-13-45", "=1+1", "{{ question }}",
)  # fmt: skip
"""What nobody expects in that place."""


@st.composite
def edited(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """A kept file with up to six edits of its bytes."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(1, 6))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.sampled_from((0, 1, 1, 2, 5, 20, 100))))
        kind = draw(st.sampled_from(("token", "byte", "drop", "repeat", "splice", "end", "nest")))
        if kind == "token":
            data = data[:begin] + draw(st.sampled_from(TOKENS)) + data[end:]
        elif kind == "byte":
            data = data[:begin] + draw(st.binary(min_size=1, max_size=4)) + data[end:]
        elif kind == "drop":
            data = data[:begin] + data[end:]
        elif kind == "repeat":
            data = data[:begin] + data[begin:end] * draw(st.sampled_from((2, 3, 50, 1_000))) + data[end:]
        elif kind == "splice":
            other = draw(st.sampled_from(seeds))
            start = draw(st.integers(0, len(other)))
            data = data[:begin] + other[start : start + 200] + data[end:]
        elif kind == "end":
            data = data[:begin]
        else:
            sign = draw(st.sampled_from((b"[", b"{", b"(", b"- ", b"a:\n ", b'{"a":', b"<a>")))
            data = data[:begin] + sign * draw(st.sampled_from((10, 500, 20_000))) + data[begin:]
        data = data[:LARGEST]
    return data


@st.composite
def reshaped(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """A kept JSON file, or file of JSON lines, with up to four parts replaced, renamed, dropped or doubled."""
    text = draw(st.sampled_from(seeds)).decode()
    try:
        values, lines = [json.loads(text)], False
    except ValueError:
        values, lines = [json.loads(line) for line in text.splitlines() if line.strip()], True
    for _ in range(draw(st.integers(1, 4))):
        values = _changed(draw, values)
    # A lone surrogate cannot be UTF-8; as an escape it can stand in a file.
    return b"\n".join(json.dumps(value, indent=None if lines else 1).encode() for value in values)


def _changed(draw: st.DrawFn, root: list[Any]) -> list[Any]:
    holder: Any = root
    while True:
        steps = list(holder) if isinstance(holder, dict) else range(len(holder))
        if not steps:
            return root
        step = draw(st.sampled_from(list(steps)))
        inner = holder[step]
        if not isinstance(inner, dict | list) or not inner or draw(st.integers(0, 3)) == 0:
            break
        holder = inner
    kind = draw(st.sampled_from(("odd", "odd", "odd", "drop", "wrap", "double", "rename")))
    if kind == "odd":
        holder[step] = deepcopy(draw(st.sampled_from(ODD)))
    elif kind == "drop" and holder is not root:
        del holder[step]
    elif kind == "wrap":
        inner = holder[step]
        holder[step] = ([inner], {"a": inner}, [deepcopy(inner) for _ in range(3)])[draw(st.integers(0, 2))]
    elif kind == "rename" and isinstance(holder, dict):
        holder[draw(st.sampled_from(("id", "", "ID", "a.b", "é")))] = holder.pop(step)
    elif isinstance(holder, list):
        holder.append(deepcopy(holder[step]))
    return root
