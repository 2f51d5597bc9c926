"""What checking cases gives: problems, and changes to the files that would solve some of them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.problems import Problem


class Fix(msgspec.Struct, frozen=True):
    """A replacement of one scalar in one case file, addressed by its path in the document."""

    file: str
    document: int
    path: tuple[str | int, ...]
    old: str
    new: str
    insert: bool = False
    """The last key of the path is not there yet, and is put in."""


class Edit(msgspec.Struct, frozen=True):
    """A new content for one file. A file that is not there yet is made."""

    file: Path
    content: bytes


class CheckedCases(msgspec.Struct, frozen=True):
    """What a check against the outside world (codelists, gold files) found, and what it could fix."""

    problems: tuple[Problem, ...] = ()
    fixes: tuple[Fix, ...] = ()
