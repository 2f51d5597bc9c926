"""What structure files hold, as plain data: codelists, dataflows, structure definitions and how they refer to each
other.

Of the names of a code the English one is kept, or the first. Blanks around a name are dropped (pysdmx drops them too).
"""

from __future__ import annotations

import re

import msgspec


class Ref(msgspec.Struct, frozen=True):
    """``agency:id(version).item``, as far as each is known."""

    id: str
    agency: str = ""
    version: str = ""
    item: str = ""

    def __str__(self) -> str:
        return f"{self.agency + ':' if self.agency else ''}{self.id}{f'({self.version})' if self.version else ''}"


class Codelist(msgspec.Struct, frozen=True):
    """A list of codes: id → name."""

    ref: Ref
    codes: dict[str, str]
    partial: bool = False
    """The file says that it holds only a part of the list."""


class Dimension(msgspec.Struct, frozen=True):
    """A dimension of a data structure: the codelist behind it, or the concept that names one."""

    id: str
    codelist: Ref | None = None
    concept: Ref | None = None


class DataStructure(msgspec.Struct, frozen=True):
    """A data structure definition."""

    ref: Ref
    dimensions: tuple[Dimension, ...]


class Dataflow(msgspec.Struct, frozen=True):
    """A dataset, and the data structure it follows."""

    ref: Ref
    structure: Ref | None


class Contents(msgspec.Struct, frozen=True):
    """All that structure files say about codes."""

    codelists: list[Codelist] = []
    structures: list[DataStructure] = []
    dataflows: list[Dataflow] = []
    concepts: dict[tuple[str, str, str], Ref] = {}
    """(agency, scheme, concept) → its codelist."""


class Unusable(Exception):
    """Why one file cannot be used, at which line, and what to do."""

    def __init__(self, reason: str, *, line: int = 0, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.line, self.hint = reason, line, hint


_REF = re.compile(r"(?:[^=]*=)?(?:([^:=()]+):)?([^:=()]+)(?:\(([^()]*)\))?(?:\.(.+))?")


def parse_ref(text: str) -> Ref:
    """A URN, a short URN, ``AGENCY:ID(VERSION)`` or a bare id."""
    match = _REF.fullmatch(text.strip())
    if match is None:
        return Ref(text.strip())
    agency, name, version, item = match.groups(default="")
    return Ref(name, agency, version, item)


def utf8(data: bytes) -> str:
    """The text of a file, or at which line it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unusable("the file is not UTF-8 text", line=line, hint="Save the file as UTF-8.") from error


def clean(name: str | None) -> str:
    """A name without the blanks around it."""
    return (name or "").strip()
