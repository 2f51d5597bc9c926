"""One case in many scorings, found without reading the others.

Runs of a suite mostly have the same cases in the same order. So the case is looked for where the run before had it,
which costs one block of figures a run; only where it is not there the ids of the run are searched. A run with the truth
set and the number of cases of one that lacks the case lacks it too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import Connection, select

from karat.core import plugins
from karat.core.json_types import JsonMapping
from karat.core.problems import UnknownName
from karat.core.results.columns.columns import STATES
from karat.core.results.result import CaseResult
from karat.store.blocks.tables import Stored, block_at, blocks_from
from karat.store.cases.cases import IDS
from karat.store.codec import from_text, to_bytes, to_text
from karat.store.records import RunRow
from karat.store.schema import run_blocks, runs, scoring_blocks
from karat.store.scorings.columns import COLUMNS, Chunk, unpack_chunk
from karat.store.scorings.results import read_result

RECORDING = "predictions"
"""The setting of every system that has its answers from a recording."""


class CaseInRun(msgspec.Struct, frozen=True):
    """A case as a run's newest scoring has it."""

    run: RunRow
    position: int
    status: str
    figures: dict[str, float | None]


def read_history(
    connection: Connection, rows: Iterable[RunRow], case_id: str, guess: int | None = None
) -> list[CaseInRun]:
    """The case in each of these runs that has it, in their order. ``guess``: where the first of them may have it."""
    found: list[CaseInRun] = []
    lacking: set[tuple[str, int]] = set()
    for row in rows:
        if row.scoring is None or (row.truth_set and (row.truth_set, row.cases) in lacking):
            continue
        one = _guessed(connection, row, case_id, guess) if guess is not None else None
        one = one or _searched(connection, row, case_id)
        if one is None:
            lacking.add((row.truth_set, row.cases))
        else:
            found.append(one)
            guess = one.position
    return found


def read_case_results(connection: Connection, cases: Sequence[CaseInRun]) -> list[CaseResult | None]:
    """The whole result of the case in each of these runs."""
    return [read_result(connection, one.run.scoring or 0, one.position) for one in cases]


def read_settings(connection: Connection, run_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """(the settings of the system as text, the hash of its prompt) of each run: what must be the same for two of its
    answers to be answers of the same system. The settings are empty where they do not say what answers: for recorded
    answers, and for a function, a command or a URL without a version."""
    query = select(runs.c.id, runs.c.system, runs.c.config).where(runs.c.id.in_(run_ids))
    settings = {}
    for number, system, config in connection.execute(query):
        read = msgspec.json.decode(config) if config else {}
        own = read.get("system")
        said = isinstance(own, dict) and _say_what_answers(own)
        made = f"{system} {msgspec.json.encode(own, order='deterministic').decode()}" if said else ""
        settings[number] = (made, str(read.get("prompt", "")))
    return settings


def _say_what_answers(own: JsonMapping) -> bool:
    """Whether two runs with these settings asked the same. The files that a system depends on may have changed since:
    the run keeps their names alone."""
    if RECORDING in own:
        return False
    try:
        return bool(str(own.get("version", "")).strip()) or plugins.load(plugins.SYSTEMS, own["type"]).settings_tell_all
    except (KeyError, UnknownName):
        return False


def _guessed(connection: Connection, row: RunRow, case_id: str, guess: int) -> CaseInRun | None:
    stored = block_at(connection, scoring_blocks, row.scoring or 0, COLUMNS, guess)
    return _at(row, stored, case_id, guess) if stored is not None else None


def _at(row: RunRow, stored: Stored, case_id: str, position: int) -> CaseInRun | None:
    chunk, place = unpack_chunk(stored.block.items()[0]), position - stored.first
    if place >= len(chunk.case_ids) or chunk.case_ids[place] != case_id:
        return None
    return CaseInRun(row, position, STATES[chunk.statuses[place]], _figures(chunk, place))


def _figures(chunk: Chunk, place: int) -> dict[str, float | None]:
    figures = {}
    for name in chunk.figures:
        value = chunk.value(name, place)
        figures[from_text(name)] = None if math.isnan(value) else value
    return figures


def _searched(connection: Connection, row: RunRow, case_id: str) -> CaseInRun | None:
    """By the ids of the run's cases, which are small; where these do not tell, by the figures themselves."""
    wanted = to_bytes(case_id)
    any_ids = False
    for stored in blocks_from(connection, run_blocks, row.id, IDS):
        any_ids = True
        if wanted in stored.block.payload() and wanted in (ids := stored.block.items()):
            found = _guessed(connection, row, case_id, stored.first + ids.index(wanted))
            return found or _scanned(connection, row, case_id)
    return None if any_ids else _scanned(connection, row, case_id)


def _scanned(connection: Connection, row: RunRow, case_id: str) -> CaseInRun | None:
    wanted = to_text(case_id).encode("utf-8", "surrogatepass")
    for stored in blocks_from(connection, scoring_blocks, row.scoring or 0, COLUMNS):
        if wanted in stored.block.payload():
            ids = unpack_chunk(stored.block.items()[0]).case_ids
            if case_id in ids:
                return _at(row, stored, case_id, stored.first + ids.index(case_id))
    return None
