"""``python -m tests.proofs.chaos [MINUTES [SEED [ROUND]]]``: rounds of chaos until the time is over, from the first one
or this one. The seed gives the cases that get garbage, the faults and their order; what they hit also depends on the
machine."""

from __future__ import annotations

import random
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.proofs.chaos.accounting import audit
from tests.proofs.chaos.faults import ALL, Fault, Undo
from tests.proofs.chaos.lines import Line
from tests.proofs.chaos.projects import Assistant, projects, serving, write_project
from tests.proofs.chaos.world import World, a_world, faketime

START = 120.0
"""Seconds for the first call to be made, on a busy machine."""
CALM = 600.0
"""Seconds for all runs to come to their end once nothing is done to them any more."""


EVERYTHING = (("data_query", True), ("answers", True), ("retrieval", True), ("codegen", True), ("data_query", False))
"""Suites, and whether each one's runs are in PostgreSQL; else in SQLite on the small disk."""


@dataclass(frozen=True)
class Round:
    """What is run, and what happens meanwhile."""

    number: int
    cases: int
    faults: Sequence[Fault]
    pause: float
    """Seconds between two faults, about."""
    delay: float
    """Seconds that the assistant takes."""
    lines: Sequence[tuple[str, bool]] = EVERYTHING
    early: bool = False
    """Whether faults come at once, while runs start, or only when the first call is made."""


def a_round(world: World, rng: random.Random, given: Round) -> tuple[list[str], Counter[str]]:
    """(what is wrong, how the cases ended)"""
    known, number = projects(given.cases), given.number
    with serving(Assistant(known.values(), rng, given.delay)) as assistant:
        url, past = world.database(f"chaos_{number}")
        file = str(world.disk / f"{number}.db")
        lines = []
        for project in known.values():
            for name, text in project.files.items():
                world.bucket.put(f"{number}/{project.suite}/{name}", text)
        for suite, shared in given.lines:
            project = known[suite]
            place = world.folder / f"round-{number}" / f"{project.suite}-{shared}"
            cases_url = f"s3://chaos/{number}/{project.suite}/{project.cases}"
            store = url if shared else file
            lines.append(Line(world, project, place, store, past if shared else file, shared=shared))
            write_project(project, place, f"{assistant.url}{lines[-1].path}", cases_url, store)
        try:
            if not given.early:
                _until(lines, lambda: bool(assistant.calls), START)
            _storm(world, lines, rng, given)
            _calm(world, lines)
            wrong = [words for line in lines for words in audit(line, assistant)]
        finally:
            for line in lines:
                line.end()
        return wrong, _ends(lines)


def _until(lines: list[Line], done: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not done() and time.monotonic() < until:
        for line in lines:
            line.tend()
        time.sleep(0.05)


def _storm(world: World, lines: list[Line], rng: random.Random, given: Round) -> None:
    later: list[tuple[float, Undo]] = []
    for fault in given.faults:
        until = time.monotonic() + rng.uniform(0.2, 2 * given.pause)
        while time.monotonic() < until:
            for line in lines:
                line.tend()
            for moment, undo in [one for one in later if one[0] <= time.monotonic()]:
                undo()
                later.remove((moment, undo))
            time.sleep(0.1)
        left = fault(world, lines, rng)
        print(f"  {fault.__name__}", flush=True)
        if left is not None:
            later.append((time.monotonic() + left[0], left[1]))
    for _, undo in later:
        undo()


def _calm(world: World, lines: list[Line]) -> None:
    """Nothing more happens: every run comes to its end."""
    world.proxy.cuts.clear()
    world.cluster.fill(world.workers)
    until = time.monotonic() + CALM
    while sum(line.tend() for line in lines) < len(lines):
        if time.monotonic() > until:
            said = [f"{line.name}: {line.last_words()}" for line in lines if not line.finished()]
            raise AssertionError("not finished:\n" + "\n".join(said))
        time.sleep(0.1)


def _ends(lines: list[Line]) -> Counter[str]:
    from karat.store import open_store

    ends: Counter[str] = Counter()
    for line in lines:
        ends["processes"] += line.started
        with open_store(line.past) as store:
            run = next(number for number, status in line.runs().items() if status == "finished")
            ends.update(case.status for case in store.result(run).cases)
    return ends


def main(words: list[str]) -> int:
    minutes = float(words[0]) if words else 10.0
    seed = int(words[1]) if len(words) > 1 and words[1] else secrets.randbelow(10**9)
    clock = "libfaketime" if faketime() else "a shim in each process (install libfaketime for the whole clock)"
    print(f"chaos for {minutes:g} minutes, seed {seed}; clocks by {clock}", flush=True)
    first = int(words[2]) if len(words) > 2 else 1
    until, number = time.monotonic() + 60 * minutes, first - 1
    with a_world() as world:
        while number < first or time.monotonic() < until:
            number += 1
            rng = random.Random(f"{seed} {number}")
            faults = rng.sample(ALL, k=len(ALL)) + rng.choices(ALL, k=6)
            print(f"round {number}", flush=True)
            wrong, ends = a_round(world, rng, Round(number, 60, faults, pause=2.0, delay=0.3, early=rng.random() < 0.5))
            print("  " + ", ".join(f"{count} {word}" for word, count in ends.most_common()), flush=True)
            if wrong:
                print("\n".join(wrong), f"\nround {number} of the seed {seed}: {len(wrong)} things are wrong")
                return 1
    print(f"rounds {first} to {number}: the books balance (seed {seed})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
