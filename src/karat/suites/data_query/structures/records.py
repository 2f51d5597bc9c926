"""What structure files hold, as plain data: codelists, dataflows, structure definitions, constraints, and how they
refer to each other.

Blanks around a name are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from karat.core.problems import Problem
from karat.suites.data_query.selection.selection import short_dataset

Names = Mapping[str, str]
"""Language → name. A name without a language counts as English."""


class Ref(msgspec.Struct, frozen=True):
    """``agency:id(version).item``, as far as each is known."""

    id: str
    agency: str = ""
    version: str = ""
    item: str = ""

    def __str__(self) -> str:
        return f"{self.agency + ':' if self.agency else ''}{self.id}{f'({self.version})' if self.version else ''}"


class Member(msgspec.Struct, frozen=True):
    """A value of an extension: an id, in which ``%`` is any text, with its descendants or without."""

    id: str
    cascade: str = ""
    """``with``: its descendants too. ``without root``: only these."""


class Extension(msgspec.Struct, frozen=True):
    """Codes that a list takes from another one (SDMX 3.0)."""

    codelist: Ref
    prefix: str = ""
    sequence: int | None = None
    members: tuple[Member, ...] | None = None
    """What is selected; None: every code."""
    exclusive: bool = False
    """The members are left out instead."""


class Codelist(msgspec.Struct, frozen=True):
    """A list of codes: id → name."""

    ref: Ref
    codes: dict[str, str]
    """Every code with its name in the language that is asked for."""
    partial: bool = False
    """Only a part of the list is at hand."""
    names: dict[str, Names] = {}
    """The names of a code in all languages, where it has more than one or none in English."""
    parents: dict[str, tuple[str, ...]] = {}
    """Code → the codes right above it."""
    extensions: tuple[Extension, ...] = ()
    external: bool = False
    """The file names the list, and its codes are elsewhere."""
    lacking: tuple[Ref, ...] = ()
    """Lists that it takes codes from and that are not at hand. It may have any other code."""

    @property
    def is_stub(self) -> bool:
        """It names no code and no list that it takes codes from."""
        return not self.codes and not self.extensions

    def names_of(self, code: str) -> Names:
        """Every name of a code, by language."""
        return self.names.get(code) or {"en": self.codes[code]}


class Dimension(msgspec.Struct, frozen=True):
    """A dimension of a data structure: the codelist behind it, or the concept that names one."""

    id: str
    codelist: Ref | None = None
    concept: Ref | None = None
    position: int | None = None
    time: bool = False
    """It is the time dimension, and no part of a series key."""
    uncoded: bool = False
    """The structure says that it has no codelist here, whatever its concept has."""


class DataStructure(msgspec.Struct, frozen=True):
    """A data structure definition, its dimensions in the order of the series key."""

    ref: Ref
    dimensions: tuple[Dimension, ...]


class Dataflow(msgspec.Struct, frozen=True):
    """A dataset, and the data structure it follows."""

    ref: Ref
    structure: Ref | None


class Values(msgspec.Struct, frozen=True):
    """The values that a region names in one dimension. In them ``%`` is any text."""

    members: tuple[Member, ...]
    include: bool = True
    """False: all values but these."""


class Region(msgspec.Struct, frozen=True):
    """A part of all series keys: a cube region or a key. A dimension that it does not name is free."""

    values: dict[str, Values]
    include: bool = True


Role = Literal["allowed", "actual"]


def constraint_role(kind: str, said: str) -> Role:
    """What a constraint says: ``allowed`` or ``actual`` where it tells, else what its kind means. A content constraint
    (2.1) is ``actual`` by default; a data constraint of 3.1 has no role, and what has data is an availability
    constraint there."""
    word = said.casefold()
    if word == "allowed" or (word != "actual" and kind.casefold().startswith("dataconstraint")):
        return "allowed"
    return "actual"


class Constraint(msgspec.Struct, frozen=True):
    """Which series keys are allowed, or have data."""

    ref: Ref
    role: Role
    attached: tuple[tuple[str, Ref], ...]
    """(kind, what it is attached to), the kind as SDMX calls it: ``Dataflow``, ``DataStructure``, ``DataProvider``."""
    regions: tuple[Region, ...] = ()
    keys: tuple[Region, ...] = ()


class Contents(msgspec.Struct, frozen=True):
    """All that structure files say about codes."""

    codelists: list[Codelist] = []
    structures: list[DataStructure] = []
    dataflows: list[Dataflow] = []
    concepts: dict[Ref, Ref] = {}
    """Concept, with its scheme and version → its codelist."""
    constraints: list[Constraint] = []
    schemes: list[Codelist] = []
    """Concept schemes, which a measure dimension may take for its codes."""
    parents: dict[Ref, dict[str, tuple[str, ...]]] = {}
    """Codelist → code → the codes above it, from hierarchies."""
    problems: list[Problem] = []
    """Files of a folder that could not be used."""


def empty() -> Contents:
    """Contents to be filled."""
    return Contents([], [], [], {}, [], [], {}, [])


def ordered(dimensions: list[Dimension]) -> tuple[Dimension, ...]:
    """By position where all have one, else as in the file; the time dimension comes last."""
    key = [one for one in dimensions if not one.time]
    if all(one.position is not None for one in key):
        key.sort(key=lambda one: one.position or 0)
    return (*key, *(one for one in dimensions if one.time))


TIME = "TIME_PERIOD"


def of_series(regions: Iterable[tuple[Region, bool]]) -> tuple[Region, ...]:
    """(region, whether more than series keys bounds it) → what the regions say about series. One that excludes some
    periods of its series, or observations with some attribute, excludes none of these series, and one that names no
    value says nothing."""
    found: list[Region] = []
    for region, bounded in regions:
        if not region.include and (bounded or TIME in region.values or not region.values):
            continue
        values = {name: given for name, given in region.values.items() if name != TIME}
        found.append(Region(values, region.include))
    return tuple(found)


class Unusable(Exception):
    """Why one file cannot be used, at which line, and what to do."""

    def __init__(self, reason: str, *, line: int = 0, hint: str = "") -> None:
        super().__init__(reason)
        self.reason, self.line, self.hint = reason, line, hint


class DataMessage(Unusable):
    """A message with data. In a folder it is skipped with a note."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, hint="Export the structures, not the data.")


_REF = re.compile(r"(?:[^=]*=)?(?:([^:=()]+):)?([^:=()]+)(?:\(([^()]*)\))?(?:\.(.+))?")


def parse_ref(text: str) -> Ref:
    """A URN, a short URN, ``AGENCY:ID(VERSION)``, ``AGENCY,ID,VERSION`` or a bare id."""
    match = _REF.fullmatch(short_dataset(text.strip()))
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
