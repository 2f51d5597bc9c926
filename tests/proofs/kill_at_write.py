"""Kills a run at each of its writes in turn, and looks at what is left.

``python -m tests.proofs.kill_at_write SUITE FOLDER STEP FIRST``: one process that has loaded everything forks a run for
every STEP-th write, from FIRST on. The run ends without a word at that write: at a statement, before a commit, or after
one. A second child then looks at the store and resumes the run. Whatever is wrong is printed; the last line says how
many moments there were.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, event

import karat
from karat.core.problems import UserError
from karat.core.results.usage import USAGE
from karat.store import Store, open_store
from karat.store import store as store_module
from karat.store.database import commits
from karat.verbs.store import check_store
from tests.proofs.small_runs import SmallRun, small_run

KILLED = 137
LOADED = ("karat.", "sqlalchemy.", "numpy.", "rapidfuzz.", "psycopg", "alembic", "msgspec", "asyncio")
"""What the children of the one process need not load again."""
_READS = ("SELECT", "PRAGMA", "BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK")


class Moments:
    """Counts the moments at which a run can die, and dies at one of them."""

    def __init__(self, fatal: int) -> None:
        self.seen = 0
        self._fatal = fatal

    def next(self) -> None:
        self.seen += 1
        if self.seen == self._fatal:
            os._exit(KILLED)

    def watch(self) -> None:
        """From now on, in this process."""

        def statement(_c: Connection, _cursor: Any, words: str, *_: Any) -> None:
            if not words.lstrip().upper().startswith(_READS):
                self.next()

        event.listen(Engine, "before_cursor_execute", statement)
        event.listen(Engine, "commit", lambda _: self.next())

        @contextmanager
        def committing(*args: Any) -> Iterator[Connection]:
            with commits.committing(*args) as connection:
                yield connection
            self.next()

        vars(store_module)["committing"] = committing


def write_acknowledged(file: Path) -> None:
    """Note every answer when the store says that it has it."""
    add = Store.add_predictions

    def noted(self: Store, run_id: int, items: Any) -> None:
        add(self, run_id, items)
        with file.open("a") as out:
            out.writelines(f"{one.case_id}\n" for one in items)

    Store.add_predictions = noted  # type: ignore[method-assign]  # the shim


def figures(result: karat.RunResult) -> Any:
    """Everything that must be the same each time: not how long it took."""
    timed = {metric.name for metric in USAGE}
    return [
        [case.id, case.status, {name: score.value for name, score in case.scores.items() if name not in timed}]
        for case in result.cases
    ]


def forked(work: Callable[[], None], log: Path) -> int:
    """Do it in a child; its exit code. What goes wrong is in the log."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
        os._exit(0)
    except BaseException:
        log.write_text(traceback.format_exc())
        os._exit(1)


def run_once(run: SmallRun, folder: Path, fatal: int) -> None:
    moments = Moments(fatal)
    moments.watch()
    write_acknowledged(folder / "acknowledged")
    result = karat.run(system=run.system(folder / "calls"), store=folder / "k.db", **run.given)
    (folder / "moments").write_text(str(moments.seen))
    (folder / "modules").write_text("\n".join(name for name in sys.modules if name.startswith(LOADED)))
    (folder / "result").write_bytes(msgspec.json.encode(figures(result)))


def look_and_resume(run: SmallRun, folder: Path, expected: bytes) -> None:
    url = str(folder / "k.db")
    acknowledged = Counter(_lines(folder / "acknowledged"))
    with open_store(url) as store:
        runs = [row.id for row in store.runs()]
        stored = Counter(one.case_id for number in runs for one in store.predictions(number))
        assert set(acknowledged) <= set(stored), f"lost: {set(acknowledged) - set(stored)}"
        assert set(stored.values()) <= {1}, "an answer is there twice"
        assert len(runs) <= 1 and all(store.run(number).status != "running" for number in runs)
    checked = check_store(url)
    assert checked.sound, [one.text for one in checked.findings]
    system = run.system(folder / "calls")
    try:
        if not runs:
            raise UserError("there is no run yet")
        result = karat.run(resume="latest", system=system, store=url)
    except UserError:  # stopped before its cases were stored: nothing was asked, and it is started again
        assert not _lines(folder / "calls") and not stored, traceback.format_exc()
        result = karat.run(system=system, store=url, **run.given)
    assert msgspec.json.encode(figures(result)) == expected, "the resumed run has another result"
    calls = Counter(_lines(folder / "calls"))
    assert all(calls[name] <= run.calls_at_most for name in acknowledged), f"a stored answer was asked again: {calls}"
    with open_store(url) as store:
        number = store.runs()[0].id
        assert store.run(number).status == "finished" and len(store.scorings(number)) == 1, "scored twice"
        found = Counter(one.case_id for one in store.predictions(number))
        assert found == Counter(run.case_ids), found
        tries = {len(store.attempts(number, name)) for name in run.case_ids}
        assert tries == {run.attempts}, tries
    checked = check_store(url)
    assert checked.sound, [one.text for one in checked.findings]


def _lines(file: Path) -> list[str]:
    return file.read_text().split() if file.exists() else []


def main() -> None:
    suite, folder, step, first = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    run = small_run(suite)
    whole = folder / "whole"
    whole.mkdir()
    if forked(lambda: run_once(run, whole, 0), whole / "log"):
        sys.exit((whole / "log").read_text())
    for name in _lines(whole / "modules"):
        with suppress(ImportError):
            import_module(name)
    expected, moments = (whole / "result").read_bytes(), int((whole / "moments").read_text())
    tried = 0
    for fatal in range(first, moments + 1, step):
        place = folder / str(fatal)
        place.mkdir()
        code = forked(lambda place=place, fatal=fatal: run_once(run, place, fatal), place / "log")  # type: ignore[misc]  # bound in this turn
        if code == 0:
            continue  # this time it needed fewer commits: several answers came at once
        if code != KILLED:
            print(f"{suite}, moment {fatal}: the run ended with {code}\n{(place / 'log').read_text()}", flush=True)
            continue
        tried += 1
        if forked(lambda place=place: look_and_resume(run, place, expected), place / "log"):  # type: ignore[misc]  # as above
            print(f"{suite}, moment {fatal}:\n{(place / 'log').read_text()}", flush=True)
    print(f"{tried} of {moments}")


if __name__ == "__main__":
    main()
