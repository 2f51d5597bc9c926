"""``karat runs`` and ``karat.load_run``: the runs of a store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core import plugins
from karat.core.problems import UserError
from karat.core.results.result import RunResult
from karat.runs.baseline import find_run
from karat.verbs.inputs.projects import open_store_here

if TYPE_CHECKING:
    from karat.reports.console.advice import Origin
    from karat.store.records import RunRow
    from karat.store.store import Store


def load_run(run: str = "latest", *, store: str | Path = "") -> RunResult:
    """A stored run with its newest scores: ``r-0012``, ``12``, ``latest``, or a run's name or tag.

    ``store`` is the project's store by default, or ``.karat/karat.db`` without a project.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["lemon"]}], [{"id": "q1", "results": ["lemon"]}]
    >>> result = karat.run(suite="retrieval", cases=cases, predictions=answers, store="doctest_load.db")
    >>> karat.load_run("latest", store="doctest_load.db").summary == result.summary
    True
    """
    with open_store_here(store) as opened:
        return stored_result(opened, run)


def stored_result(store: Store, run: str) -> RunResult:
    """The run of an open store, with what a judge says of it."""
    from karat.verbs.judge.corrected import with_judge

    run_id = find_run(store, run)
    return with_judge(store, run_id, store.result(run_id))


def suite_of_run(store: Store, run: str) -> str:
    """The name of the suite that a run is of."""
    return store.run(find_run(store, run)).suite


def require_suite(suite: str | None) -> None:
    """A suite that does not exist is an error, not one without runs."""
    if suite is not None:
        plugins.load_suite(suite)


def newest_runs(store: Store, limit: int = 30, suite: str | None = None) -> list[RunRow]:
    """The newest runs, newest first."""
    require_suite(suite)
    return list(store.runs(limit, suite))


def tag_run(store: Store, run: str, add: Sequence[str] = (), remove: Sequence[str] = ()) -> tuple[int, tuple[str, ...]]:
    """Add and remove tags. Returns the run's number and all tags it has now."""
    require_tags(add, remove)
    run_id = find_run(store, run)
    return run_id, tuple(store.tag_run(run_id, [tag.strip() for tag in add], remove))


def require_tags(add: Sequence[str], remove: Sequence[str]) -> None:
    """UserError where no tag is named."""
    if not all(tag.strip() for tag in add) or not (add or remove):
        hint = "For example: karat runs tag r-0012 baseline, or karat runs tag r-0012 --remove baseline"
        raise UserError("no tag given", hint=hint)


ALWAYS_THE_SAME = ("replay", "sheet")
"""Systems that give the same answer, or the same error, when called again."""


def origin_of(store: Store, result: RunResult, flags: Sequence[str] = (), again: str = "") -> Origin:
    """How a stored run came about. ``flags`` are the options that find its store, ``again`` the command that made
    it."""
    from karat.reports.console.advice import Origin
    from karat.store.records import parse_run

    run_id = parse_run(result.run.id) or 0
    record = store.run(run_id)
    system = record.config.get("system", {})
    return Origin(
        cases=_near(record.config.get("cases_path", "")),
        recorded=_near(system.get("predictions", "")) if system.get("type") == "replay" else "",
        failed_calls=0 if system.get("type") in ALWAYS_THE_SAME else store.progress(run_id).errors,
        again=again,
        flags=tuple(flags),
    )


def _near(path: str) -> str:
    """A path as it is seen from the working folder, where it is below it."""
    try:
        return str(Path(path).relative_to(Path.cwd())) if path else ""
    except ValueError:
        return path
