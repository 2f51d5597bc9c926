"""The books at the end of a chaos. Whatever is wrong is a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from karat.core.plugins import load_suite
from karat.core.results.result import CaseResult
from karat.core.results.usage import USAGE
from karat.runs.scores.run_scoring import score_recorded
from karat.runs.stored_run import stored_cases, stored_settings
from karat.store import Store, open_store
from karat.verbs.store import check_store
from tests.proofs.chaos.lines import Line
from tests.proofs.chaos.projects import Assistant
from tests.proofs.chaos.runner import digest

GIVEN_UP = "scoring was given up after"
"""What a case says that ended its worker, or was there when it ended, too often."""
IN_FLIGHT = 4 + 4
"""Calls that a process which is lost may have cost: those in flight, and those whose answers were not stored yet."""


def audit(line: Line, assistant: Assistant) -> Iterator[str]:
    """What is wrong with a run that came to its end."""
    yield from line.wrong
    yield from (f"{line.name}: a traceback\n{words[-3_000:]}" for words in line.words() if "Traceback" in words)
    checked = check_store(line.past)
    if not checked.sound:
        yield f"{line.name}: the store is not sound: {[one.text for one in checked.findings]}"
    with open_store(line.past) as store:
        runs = store.runs(100, line.project.suite)
        done = [row.id for row in runs if row.status == "finished"]
        if len(done) != 1:
            yield f"{line.name}: {len(done)} finished runs"
            return
        for row in runs:
            if row.id != done[0] and store.predictions(row.id):
                yield f"{line.name}: run {row.id} was given up although it has answers"
        yield from _stored(line, store, done[0])
        yield from _scored(line, store, done[0], assistant)
    calls = sum(assistant.calls[line.path, name] for name in line.project.ids)
    # A reply that could not be used is asked for twice: retries is 1.
    most = 2 * len(line.project.ids) + line.started * IN_FLIGHT * 2
    if calls > most:
        yield f"{line.name}: {calls} calls for {len(line.project.ids)} cases by {line.started} processes"


def _stored(line: Line, store: Store, run: int) -> Iterator[str]:
    """Every case has one answer; every answer that was said to be stored is there, as it was."""
    found = store.predictions(run)
    counts = Counter(one.case_id for one in found)
    if counts != Counter(line.project.ids):
        more, fewer = counts - Counter(line.project.ids), Counter(line.project.ids) - counts
        yield f"{line.name}: too many answers {dict(more)}, missing {dict(fewer)}"
    for name in line.project.ids:
        if (tries := len(store.attempts(run, name))) != 1:
            yield f"{line.name}: {name} has {tries} answers"
    there = {(one.case_id, digest(one.response)) for one in found}
    notes = line.acknowledged.read_text().splitlines() if line.acknowledged.exists() else []
    for note in notes:
        number, name, kept = note.split()
        if int(number) == run and (name, kept) not in there:
            yield f"{line.name}: the answer {kept} to {name} was stored and is lost"


def _scored(line: Line, store: Store, run: int, assistant: Assistant) -> Iterator[str]:
    """One scoring, with every case once; figures as they are without a cluster and without trouble."""
    if (count := len(store.scorings(run))) != 1:
        yield f"{line.name}: scored {count} times"
    if store.lease(run) is not None:
        yield f"{line.name}: finished, and still held"
    there = list(store.result(run).cases)
    if [case.id for case in there] != list(line.project.ids):
        yield f"{line.name}: not every case has one result"
    suite, record = load_suite(line.project.suite), store.run(run)
    options = stored_settings(run, "options", record.options, suite.options)
    here = score_recorded(suite, stored_cases(store, run, suite), store.predictions(run), options).cases
    for mine, theirs in zip(here, there, strict=False):
        if theirs.status != "scored" and not theirs.error:
            yield f"{line.name}: {theirs.id} is {theirs.status} and does not say why"
        if theirs.id not in assistant.garbage and theirs.status != "scored" and GIVEN_UP not in theirs.error:
            yield f"{line.name}: {theirs.id} had a right answer and is {theirs.status}: {theirs.error}"
        if GIVEN_UP not in theirs.error and _figures(mine) != _figures(theirs):
            yield f"{line.name}: {theirs.id} has other figures: {_figures(theirs)} instead of {_figures(mine)}"


def _figures(case: CaseResult) -> object:
    """All that does not depend on a clock."""
    timed = {metric.name for metric in USAGE}
    return case.id, case.status, {name: one.value for name, one in case.scores.items() if name not in timed}
