"""Names of remote objects as names of files. A listing is somebody else's text: it may hold ``..``, absolute names or
control characters."""

from __future__ import annotations

from karat.core.problems import UserError

MOST_BYTES = 255
"""Of one part of a name: what common file systems take."""


def safe_parts(name: str, shown: str) -> tuple[str, ...]:
    """The parts of an object's name below its folder. UserError, with the reason, for one that could leave the folder
    or that no file can have."""
    parts = tuple(name.split("/"))
    reason = next((reason for part in parts if (reason := _why_not(part))), "")
    if reason:
        readable = "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in name)[:200]
        raise UserError(
            f'{shown} holds an object that no file can be named after: "{readable}" ({reason})',
            hint="Rename or remove the object, or give a folder that does not hold it. Nothing was fetched.",
        )
    return parts


def _why_not(part: str) -> str:
    if not part:
        return "a part of the name is empty"
    if part in (".", ".."):
        return f'a part of the name is "{part}"'
    if "\\" in part:
        return "it holds a backslash"
    if not part.isprintable():
        return "it holds a character that cannot be printed"
    try:
        long = len(part.encode()) > MOST_BYTES
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    return f"a part of the name is longer than {MOST_BYTES} bytes" if long else ""
