"""A unified diff of one file, byte for byte, that ``git apply`` and ``patch -p1`` take.

A line ends at ``\\n`` and nowhere else, so a ``\\r`` stays part of its line. A file without a newline at its end is
marked as such.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile

CONTEXT = 3
NO_NEWLINE = b"\n\\ No newline at end of file\n"
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def file_diff(path: str, old: bytes | None, new: bytes) -> bytes:
    """The change of one file; ``old`` is None where the file is new. Empty when nothing changes, or when a new file is
    empty."""
    before, after = lines_of(old or b""), lines_of(new)
    hunks = b"".join(_hunks(before, after))
    if not hunks:
        return b""
    name_a, name_b = _named(f"a/{path}"), _named(f"b/{path}")
    head = [b"diff --git " + name_a + b" " + name_b]
    if old is None:
        head += [b"new file mode 100644", b"--- /dev/null"]
    else:
        head.append(b"--- " + name_a + _end_of(path))
    head.append(b"+++ " + name_b + _end_of(path))
    return b"\n".join(head) + b"\n" + hunks


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their ends; the last one may have none."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    # What is equal at both ends is left out of the search, all but the context: a large file with one change is quick.
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    skipped = max(0, same - CONTEXT)
    matcher = SequenceMatcher(None, old[skipped:], new[skipped:])
    for group in matcher.get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        ranges = _range(skipped + first[1], skipped + last[2]), _range(skipped + first[3], skipped + last[4])
        yield f"@@ -{ranges[0]} +{ranges[1]} @@\n".encode()
        for kind, old_start, old_end, new_start, new_end in group:
            if kind == "equal":
                yield from (_line(b" ", line) for line in old[skipped + old_start : skipped + old_end])
            else:
                yield from (_line(b"-", line) for line in old[skipped + old_start : skipped + old_end])
                yield from (_line(b"+", line) for line in new[skipped + new_start : skipped + new_end])


def _range(start: int, end: int) -> str:
    count = end - start
    return f"{start + 1 if count else start},{count}"


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + NO_NEWLINE


def _named(path: str) -> bytes:
    """The name as git writes it: in quotes where a character in it would mislead."""
    if all(character.isprintable() and character not in '"\\' for character in path):
        return path.encode("utf-8", "surrogateescape")
    quoted = "".join(_ESCAPES.get(c, c) if c.isprintable() or c in _ESCAPES else _octal(c) for c in path)
    return f'"{quoted}"'.encode("utf-8", "surrogateescape")


def _octal(character: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))


def _end_of(path: str) -> bytes:
    """A tab after a name with a blank in it: without one, readers take the rest for a time."""
    return b"\t" if " " in path else b""
