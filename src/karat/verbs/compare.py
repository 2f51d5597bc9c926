"""``karat.compare`` and ``karat compare``: runs case by case, each against the first."""

from __future__ import annotations

from collections.abc import Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError, did_you_mean
from karat.core.replies.answer_text import answers_of
from karat.core.results.columns.columns import columns_of, selected
from karat.core.results.result import RunResult
from karat.core.results.usage import USAGE
from karat.reports.compare.changes import Answers, StoredCases
from karat.reports.compare.comparison import Compared, side_by_side
from karat.reports.compare.several import Matrix
from karat.runs.baseline import find_run
from karat.stats.compare.runs import compare_runs
from karat.stats.compare.several import compare_several
from karat.store.viewer_queries import Viewing
from karat.verbs.inputs.projects import open_store_here
from karat.verbs.judge.changes import judge_changes

if TYPE_CHECKING:
    from karat.store.store import Store


def compare(a: RunResult | str, b: RunResult | str, *, tags: Sequence[str] = (), store: str | Path = "") -> Compared:
    """Compare two runs case by case: ``a`` is the run before, ``b`` the run after.

    A run is a result, or a stored run: ``r-0012``, ``12``, ``latest``, its name or tag. Stored runs are compared with
    their answers; results are compared as they are. Printing it shows what ``karat compare`` prints.

    >>> import karat
    >>> cases = [{"id": name, "relevant": ["x"]} for name in ("q1", "q2")]
    >>> before, after = (
    ...     karat.score(suite="retrieval", cases=cases, predictions=[{"id": n, "results": r} for n in ("q1", "q2")])
    ...     for r in (["y"], ["x"])
    ... )
    >>> compared = karat.compare(before, after)
    >>> compared.counts()["better"], [change.id for change in compared.changes]
    (2, ['q1', 'q2'])
    """
    if isinstance(a, RunResult) and isinstance(b, RunResult):
        return _compared([with_tags(a, tags), with_tags(b, tags)], {})[0]
    with open_store_here(store) as opened:
        if isinstance(a, str) and isinstance(b, str):
            return compare_stored(opened, [a, b], tags)[0]
        results = [run if isinstance(run, RunResult) else opened.result(find_run(opened, run)) for run in (a, b)]
    return _compared([with_tags(result, tags) for result in results], {})[0]


def require_two(runs: Sequence[str]) -> None:
    """UserError where there is nothing to compare."""
    if len(runs) < 2:
        raise UserError("compare needs two runs", hint="For example: karat compare r-0001 latest")


def compare_stored(store: Store, runs: Sequence[str], tags: Sequence[str]) -> list[Compared]:
    """Each of the runs against the first, with the answers of the cases that changed."""
    return compare_all(store, runs, tags)[0]


def compare_all(store: Store, runs: Sequence[str], tags: Sequence[str]) -> tuple[list[Compared], Matrix | None]:
    """The same, and all runs beside each other where there are more than two."""
    require_two(runs)
    ids = [find_run(store, run) for run in runs]
    if len(set(ids)) < len(ids):
        twice = next(run for run, number in zip(runs, ids, strict=True) if ids.count(number) > 1)
        raise UserError(
            f'"{twice}" is given twice: a run cannot be compared with itself', hint="karat runs list shows all runs."
        )
    results = [with_tags(store.result(number), tags) for number in ids]
    found = _compared(results, dict(enumerate(ids)), store)
    within = set(columns_of(results[0], groups=False).case_ids) if tags else None
    found = [with_judges(one, store, ids[0], ids[place], within) for place, one in enumerate(found, 1)]
    return found, _matrix(results, store, ids) if len(results) > 2 else None


def _matrix(results: Sequence[RunResult], store: Store, ids: Sequence[int]) -> Matrix:
    """All runs against the first."""
    known = set.intersection(*({item.metric for item in result.summary} for result in results))
    suite = plugins.load_suite(results[0].run.suite)
    metrics = [metric for metric in (*suite.metrics_for(results[-1].run.headline), *USAGE) if metric.name in known]
    columns = [columns_of(result, groups=False) for result in results]
    truths = [(number, result.run.truth_set) for number, result in zip(ids, results, strict=True)]
    settings = Viewing(store).same_settings(truths)
    return Matrix(tuple(result.run for result in results), compare_several(columns, metrics, 0, settings))


def _compared(results: Sequence[RunResult], ids: dict[int, int], store: Store | None = None) -> list[Compared]:
    suites = list(dict.fromkeys(result.run.suite for result in results))
    if len(suites) > 1:
        raise UserError(
            f"the runs are of different suites: {', '.join(suites)}", hint="karat runs list shows all runs."
        )
    suite = plugins.load_suite(suites[0])
    first = results[0]
    found = []
    for place, result in enumerate(results[1:], start=1):
        known = {item.metric for item in first.summary} & {item.metric for item in result.summary}
        metrics = [
            *suite.metrics_for(result.run.headline or first.run.headline),
            *(metric for metric in USAGE if metric.name in known),
        ]
        comparison = compare_runs(first, result, metrics)
        one = side_by_side(first, result, comparison, metrics)
        found.append(one if store is None else _with_texts(one, store, ids[0], ids[place]))
    return found


def with_judges(found: Compared, store: Store, a: int, b: int, within: Container[str] | None = None) -> Compared:
    """With the verdicts of a judge that changed, or a warning where two versions judged the runs."""
    judged, warning = judge_changes(store, a, b, within)
    if warning:
        warned = (*found.comparison.warnings, warning)
        found = msgspec.structs.replace(found, comparison=msgspec.structs.replace(found.comparison, warnings=warned))
    return msgspec.structs.replace(found, judge=judged)


def _with_texts(found: Compared, store: Store, a: int, b: int) -> Compared:
    """With the answers, and the cases as they were asked; read when they are looked at."""
    changes = found.changes.with_answers(answers_in(store, a), answers_in(store, b))
    changes = changes.with_cases(cases_in(store, a), cases_in(store, b))
    return msgspec.structs.replace(found, changes=changes)


def cases_in(store: Store, run_id: int) -> StoredCases:
    """The cases of a stored run, read for the ids that are asked for."""

    def read(case_ids: Sequence[str]) -> dict[str, JsonMapping]:
        found = Viewing(store).cases(run_id, case_ids)
        return {case: msgspec.json.decode(data) for case, data in found.items()}

    return read


def answers_in(store: Store, run_id: int) -> Answers:
    """The answers of a stored run, read for the cases that are asked for."""

    def read(case_ids: Sequence[str]) -> dict[str, str]:
        return answers_of(store.case_predictions(run_id, case_ids), set(case_ids))

    return read


def with_tags(result: RunResult, tags: Sequence[str]) -> RunResult:
    """The run with only the cases that have one of the tags."""
    if not tags:
        return result
    columns = columns_of(result, groups=False)
    kept = columns.has_tag(*tags).nonzero()[0]
    if not len(kept):
        known = {word[0] for word in columns.words.tags.words}
        raise UserError(
            f"no case of {result.run.id or 'the run'} has the tag {', '.join(tags)}",
            hint=did_you_mean(tags[0], known) if known else "",
        )
    return msgspec.structs.replace(result, cases=selected(result.cases, kept))
