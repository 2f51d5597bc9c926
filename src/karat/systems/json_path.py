"""One part of a JSON body by a dotted path such as ``data.answers.0.text``, exactly as it is written there."""

from __future__ import annotations

import msgspec

_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_list = msgspec.json.Decoder(list[msgspec.Raw])


class PathNotFound(Exception):
    """The path leads nowhere. The text says which step failed and what was there instead."""


def part_at(body: bytes, path: str) -> bytes:
    """The bytes of the part at the path; a number is an index where there is a list (-1 is the last)."""
    part = body.strip()
    walked: list[str] = []
    for step in path.split("."):
        part = _step(part, step, ".".join(walked))
        walked.append(step)
    return part


def _step(part: bytes, step: str, so_far: str) -> bytes:
    place = f'in "{so_far}"' if so_far else "at the top"
    try:
        if part[:1] == b"{":
            members = _object.decode(part)
            if step in members:
                return bytes(members[step]).strip()
            keys = ", ".join(f'"{key}"' for key in list(members)[:12]) or "none"
            more = f" and {len(members) - 12} more" if len(members) > 12 else ""
            raise PathNotFound(f'there is no "{step}" {place}; the keys there: {keys}{more}')
        if part[:1] == b"[":
            items = _list.decode(part)
            try:
                return bytes(items[int(step)]).strip()
            except ValueError:
                raise PathNotFound(f'"{step}" is not an index; {place} there is a list of {len(items)} items') from None
            except IndexError:
                raise PathNotFound(f"there is no item {step} {place}: the list has {len(items)} items") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise PathNotFound(f"the value {place} is not JSON: {error}") from None
    raise PathNotFound(f'there is no "{step}" {place}: there is a {_kind(part)} instead')


def _kind(part: bytes) -> str:
    return {b'"': "text", b"t": "boolean", b"f": "boolean", b"n": "null"}.get(part[:1], "number")
