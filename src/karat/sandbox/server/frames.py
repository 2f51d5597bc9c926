"""How host and server talk: a head in JSON, and bytes that belong to it.

A frame is two lengths, the head and the body. Both sides read exactly that many bytes, and refuse lengths beyond a cap.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

Head = dict[str, Any]
"""What a frame is about, as JSON: which keys it has, its ``do`` says. Only host and server write one."""
LENGTHS = struct.Struct("<IQ")
HEAD_CAP = 8 * 1024**2
CHUNK = 1024**2


class Closed(Exception):
    """The other side is gone."""


def read_exactly(fd: int, size: int) -> bytes:
    """This many bytes; :class:`Closed` when they do not come."""
    parts = []
    while size:
        part = os.read(fd, min(size, CHUNK))
        if not part:
            raise Closed
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """All of it, however the pipe cuts it."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view[:CHUNK]) :]


def read_head(fd: int) -> tuple[Head, int]:
    """The next frame's head, from a side that is trusted to be well-formed, and how many bytes follow it."""
    head_size, body_size = LENGTHS.unpack(read_exactly(fd, LENGTHS.size))
    if head_size > HEAD_CAP:
        raise Closed
    return json.loads(read_exactly(fd, head_size)), body_size


def begin(head: Head, sizes: list[int]) -> bytes:
    """The beginning of a frame, up to its body; the head says how long each part of that is."""
    text = json.dumps({**head, "parts": sizes}).encode()
    return LENGTHS.pack(len(text), sum(sizes)) + text


def frame(head: Head, body: bytes = b"") -> bytes:
    """A whole frame."""
    return begin(head, [len(body)] if body else []) + body
