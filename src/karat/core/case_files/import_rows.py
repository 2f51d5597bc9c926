"""Rows of somebody's file on their way to becoming cases: what was read, and what a suite made of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from karat.core.json_types import Json, JsonMapping
from karat.core.problems import Problem


class AnyOf(list[Json]):
    """Several expected values of which any one is right. A plain list is one value with several parts."""


@dataclass(frozen=True)
class ImportColumns:
    """Which columns a suite looks for in somebody's file, beside question, expected value, id, answer and tags. Names
    are in small letters without signs, several separated by spaces: ``datasetid`` is ``Dataset ID`` too."""

    own: Mapping[str, str] = field(default_factory=dict)
    """Field of the suite's own → the usual names of its column. They are in ``ImportRow.columns``."""
    also: Mapping[str, str] = field(default_factory=dict)
    """More names of a field that every suite has."""
    gold: str = ""
    """A field of ``own`` that says what is expected, in place of ``expected``, and is looked for before it."""
    enough: tuple[str, ...] = ()
    """Other fields of ``own`` with which a row needs no expected value."""
    dimensions: bool = False
    """Whether columns that are left over may hold a dimension each, see ``ImportRow.terms``."""


@dataclass(frozen=True)
class ImportRow:
    """One question of a file, with what was expected and what was answered as they are there."""

    line: int
    """Where it is: the line or row of the file, or its number in a list."""
    id: str
    question: str
    expected: Json = None
    answer: Json = None
    before: tuple[tuple[str, str], ...] = ()
    """(role, text) of what was said before the question."""
    tags: tuple[str, ...] = ()
    repeat: int = 0
    error: str = ""
    """Why there is no answer, where the file says so."""
    columns: JsonMapping = field(default_factory=dict)
    """Fields of the suite's own that a column was found for, such as ``dataset``."""
    terms: JsonMapping = field(default_factory=dict)
    """Columns that hold a dimension each, by its name."""


@dataclass
class Imported:
    """What a suite made of the rows: files by their name, and everything that was left out."""

    cases: str
    """What to give as --cases, inside the folder."""
    predictions: str = ""
    """What to give as --predictions; empty when the file has no answers."""
    files: dict[str, bytes] = field(default_factory=dict)
    copies: dict[str, Path] = field(default_factory=dict)
    """Files that come along as they are: their new name → where they lie."""
    count: int = 0
    answers: int = 0
    left_out: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


_NOT_PLAIN = re.compile(r"[^0-9A-Za-z]+")


def id_for(question: str, taken: set[str]) -> str:
    """An id made from a question: readable, the same whenever the file is read, and not taken yet."""
    words = _NOT_PLAIN.sub("-", question.lower()).strip("-")[:48].strip("-")
    name = words or f"q-{hashlib.sha256(question.encode('utf-8', 'replace')).hexdigest()[:8]}"
    return unique(name, taken)


def unique(name: str, taken: set[str]) -> str:
    """The name, or the name with a number after it."""
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    taken.add(found)
    return found


def json_in(value: object) -> object:
    """The object or list that a cell holds as JSON text; the value itself where it holds none."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
