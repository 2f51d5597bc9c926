"""What the store says of a run: all of it, or a line in a list."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.results.result import MetricSummary

Status = Literal["running", "finished", "interrupted", "failed"]

MAX_ID = 2**63 - 1
"""The largest number that both databases can hold as an id."""


class RunRecord(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A run as it was started, with everything that is needed to resume it in ``config``.

    Times are UTC in ISO form. The store gives ``id``, and ``created`` where it is empty.
    """

    suite: str
    id: int = 0
    name: str = ""
    system: str = ""
    status: Status = "running"
    created: str = ""
    started: str = ""
    finished: str = ""
    today: str = ""
    truth_set: str = ""
    cases: int = 0
    repeats: int = 1
    karat: str = ""
    options: JsonObject = {}
    config: JsonObject = {}
    tags: tuple[str, ...] = ()


class RunRow(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list, with the figures of its newest scoring; ``scoring`` is None when it was never scored.

    ``cases`` and ``truth_set`` are those of that scoring, as the figures are; of the run as it was started where there
    is none.
    """

    id: int
    suite: str
    name: str
    system: str
    status: Status
    created: str
    started: str
    finished: str
    truth_set: str
    cases: int
    repeats: int
    karat: str
    tags: tuple[str, ...]
    headline: tuple[str, ...] = ()
    """Of that scoring, as ``RunInfo`` has it."""
    scoring: int | None = None
    summary: tuple[MetricSummary, ...] = ()
    prompt: str = ""
    """The hash of the prompt; empty: the bare question, or recorded answers."""
    who: str = ""
    """Who started it; empty where that is not known."""


class ScoringRow(msgspec.Struct, frozen=True, kw_only=True):
    """One time that a run was scored."""

    id: int
    run_id: int
    created: str
    karat: str
    truth_set: str
    options: JsonObject


class Failure(msgspec.Struct, frozen=True):
    """A call that gave no answer."""

    case_id: str
    kind: str
    message: str


class Progress(msgspec.Struct, frozen=True):
    """How far a run is: cases answered (each repeat counts), failed calls, and the first cases that have one."""

    answered: int
    errors: int
    failures: tuple[Failure, ...] = ()
    """Each case once."""
    failed_cases: int = 0
    """Cases with a failed call; counted where failures are asked for."""


def run_name(run_id: int) -> str:
    """The name of a run that people see and type: ``r-0001``."""
    return f"r-{run_id:04d}"


def parse_run(text: str) -> int | None:
    """The id in ``r-0012``, ``r-12`` or ``12``; None for ``latest``."""
    word = text.strip().lower()
    if word == "latest":
        return None
    found = re.fullmatch(r"(?:r-)?0*([1-9][0-9]{0,18})", word, re.ASCII)
    if not found or int(found[1]) > MAX_ID:
        raise UserError(f'"{text}" is not the name of a run', hint="Use r-0012 or 12, or latest for the newest run.")
    return int(found[1])
