"""Finding a stored run by what people call it: its number, its name, a tag, or the word "baseline".

``baseline`` stands for what ``--baseline`` or the project's ``baseline:`` names; without either, for the newest run
that has "baseline" for its name or among its tags. A run is never its own baseline, and the baseline is a scored run of
the same suite.
"""

from __future__ import annotations

from karat.core.problems import UserError, did_you_mean
from karat.core.results.result import RunResult
from karat.stats.gates.rules import BASELINE
from karat.stats.gates.verdicts import Baselines
from karat.store.chunked import stored_result
from karat.store.records import RunRow, parse_run, run_name
from karat.store.store import Store

NEWEST = 1_000
"""Runs that are looked through for a name."""


def find_run(store: Store, text: str, *, stopped: bool = False, only: bool = False) -> int:
    """The run that ``r-0012``, ``12``, ``latest``, a name or a tag stands for; the newest one of that name.

    A scored run comes before one that was stopped, unless that is what is looked for (``stopped``). ``only``: the name
    must be that of one run, because what follows cannot be undone.
    """
    try:
        parse_run(text)
    except UserError as error:
        rows = store.runs(NEWEST)
        called = sorted(
            (row for row in rows if _is_called(row, text)), key=lambda row: (row.scoring is None) != stopped
        )
        if only and len(called) > 1:
            listed = ", ".join(run_name(row.id) for row in called[:5]) + (", …" if len(called) > 5 else "")
            raise UserError(f'{len(called):,} runs are called "{text}": {listed}', hint="Give one of them.") from None
        if called:
            return called[0].id
        names = {name for row in rows for name in (row.name, *row.tags) if name}
        hint = " ".join(part for part in (error.hint, did_you_mean(text, names) if names else "") if part)
        raise UserError(f'there is no run "{text}" in the store', hint=hint) from None
    return store.find_run(text)


def baselines_in(store: Store, suite: str, run: str = "", named: str = "") -> Baselines:
    """How the rules on a run of this suite find what they compare with. ``named`` is what "baseline" stands for."""
    own = parse_run(run) if run else None

    def find(word: str) -> RunResult | str:
        return _baseline(store, (named or BASELINE) if word == BASELINE else word, suite, own)

    return find


def _baseline(store: Store, word: str, suite: str, own: int | None) -> RunResult | str:
    rows = [row for row in store.runs(NEWEST, suite) if row.scoring is not None and row.id != own]
    try:
        number = parse_run(word)
    except UserError:
        found = next((row.id for row in rows if _is_called(row, word)), None)
        if found is None:
            return (
                f'there is no other run of {suite} named "{word}" to compare with; karat run --name {word} creates one'
            )
        return stored_result(store, found)
    if number is None:
        return stored_result(store, rows[0].id) if rows else f"there is no other run of {suite} to compare with"
    if number == own:
        return f"{run_name(number)} is this run itself, so there is nothing to compare with"
    try:
        result = stored_result(store, number)
    except UserError as error:
        return error.message
    if result.run.suite != suite:
        return f"{run_name(number)} is a run of {result.run.suite}, not of {suite}"
    return result


def _is_called(row: RunRow, word: str) -> bool:
    return word == row.name or word in row.tags
