"""Notes of a run: what belongs to the run as a whole and to none of its cases, such as how the settings of a search
were chosen.

A suite declares which notes its runs may have (``Suite.notes``: name → struct). A system brings them when it is opened
(``System.notes``). The runner checks and stores them, and every result of the run has their JSON values in
``RunResult.notes``, where the suite's report reads them. In a file of recorded predictions they are a line of their
own, ``{"notes": {name: data}}``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

import msgspec

from karat.core.explanation import plain_details, read_details
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, did_you_mean

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.core.suite import Suite

NOTES = "notes"
"""The key of such a line, and of the notes in ``--json``."""

REUSE = "reuse"
"""The note on answers that were not asked for again. Runs of every suite may have it."""

Note = TypeVar("Note", bound=msgspec.Struct)


class Reuse(msgspec.Struct, frozen=True, omit_defaults=True):
    """How many answers of a run came from a cache of earlier ones, and when those were given."""

    cache: str
    """The name of the file."""
    reused: int
    asked: int
    oldest: str = ""
    newest: str = ""


EVERY_SUITE: dict[str, type[msgspec.Struct]] = {REUSE: Reuse}
"""Notes that no suite declares, because they do not depend on it."""


def checked_notes(suite: Suite, given: JsonMapping) -> tuple[JsonObject, list[Problem]]:
    """(the notes that the suite declares, as JSON values; a warning for each of the others, which are left out)."""
    kinds = {**EVERY_SUITE, **suite.notes()} if given else {}
    found: JsonObject = {}
    problems: list[Problem] = []
    for name, value in given.items():
        kind = kinds.get(name)
        if kind is None:
            message = f'the suite {suite.name} has no note "{name}" of a run: it is left out'
            problems.append(Problem(message, severity="warning", hint=did_you_mean(name, kinds) if kinds else ""))
            continue
        plain = plain_details(value)
        try:
            msgspec.convert(plain, kind, str_keys=True)
        except msgspec.ValidationError as error:
            message = f'the note "{name}" of the run cannot be read and is left out: {shape_in_words(error, "")}'
            problems.append(Problem(message, severity="warning"))
            continue
        found[name] = plain
    return found, problems


def note_of(result: RunResult, name: str, kind: type[Note]) -> Note | None:
    """A note of a run as the suite's own struct. None: there is none, or an earlier version wrote it otherwise."""
    return read_details(kind, result.notes.get(name, {}))


def notes_line(notes: JsonMapping) -> bytes:
    """The notes of a run as a line of its recorded predictions."""
    return msgspec.json.encode({NOTES: notes}) + b"\n"


def notes_in(line: object) -> JsonObject | None:
    """The notes in a line of recorded predictions; None when the line is not about notes."""
    if not isinstance(line, Mapping) or set(line) != {NOTES} or not isinstance(line[NOTES], Mapping):
        return None
    return dict(line[NOTES])
