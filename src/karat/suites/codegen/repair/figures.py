"""What repairs are worth, over a whole run.

    P(right after ≤ r repairs | first try wrong) = tries that are right after at most r repairs / tries that are wrong
    at first

- A try is right after r repairs when it passed and had r of them. Only the last attempt of a try can have run; one that
  did not run is wrong. So a try is right at first when its only attempt ran and gave the right result.
- Only code that does not run is repaired: a first attempt that ran and gave a wrong result is wrong for good, and
  counts.
- The interval is over tasks where a task was tried several times, and over clusters where tasks are variants of each
  other.

    repairs against fresh tries = mean over tasks of (share of its tries that are right after ≤ r repairs − pass@(r+1)
    of its first attempts)

- Both let the model answer r + 1 times at most. pass@k = 1 − C(n−c, k) / C(n, k), with n tries of which c were right at
  first.
- Over tasks with at least r + 1 tries; the interval is over tasks, or clusters. When all tasks differ by the same no
  spread is seen, and no interval given.

Edge cases: a try for which nothing says what is right, or whose call failed, is left out of both; with ``errors: zero``
a failed call is a wrong try without repairs. By hand: three tries at a task, "KeyError, then right", "wrong result",
"right": after ≤ 1 repair 1 of the 2 that were wrong at first is right; with repairs 2/3 of the tries are right, two
fresh tries hold a right one in 1 − C(2,2)/C(3,2) = 2/3; the difference is 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from karat.core.json_types import JsonObject
from karat.core.results.clusters import clusters_of
from karat.core.results.pass_k import pass_at_k
from karat.core.results.result import Estimate, Estimator, RunResult
from karat.suites.codegen.details import Try, details_of
from karat.suites.codegen.published.official_figures import official_figure
from karat.suites.codegen.repair.strategy_figures import strategy_differences, strategy_figures, tried_strategies
from karat.suites.codegen.summaries.counts import funnel


class Tried(msgspec.Struct, frozen=True):
    """One try at a task of which is known whether it is right."""

    repairs: int
    first_ran: bool
    right_after: int | None
    """The repairs it took; None when it never was right."""

    def right_by(self, repairs: int) -> bool:
        return self.right_after is not None and self.right_after <= repairs


class TaskTries(msgspec.Struct, frozen=True):
    """All known tries at one task, and the cluster that they belong to."""

    cluster: str
    tries: tuple[Tried, ...]


class AfterRepairs(msgspec.Struct, frozen=True):
    """How many of the tries that were wrong at first were right after at most this many repairs."""

    repairs: int
    wrong_at_first: int
    did_not_run: int
    """Those of them that could be repaired at all."""
    right: int
    share: Estimate


class AgainstFresh(msgspec.Struct, frozen=True):
    """At most this many repairs beside ``fresh_tries`` first attempts. The means are None when no task was tried so
    often."""

    repairs: int
    fresh_tries: int
    tasks: int
    left_out: int
    """Tasks with fewer tries."""
    with_repairs: float | None
    with_fresh_tries: float | None
    difference: Estimate


def figures(result: RunResult, estimate: Estimator) -> JsonObject:
    """What the report tells of repairs, as plain values."""
    found: Mapping[str, Sequence[msgspec.Struct]] = {
        "recovery_funnel": funnel(result),
        "right_after_repairs": after_repairs(result, estimate),
        "repairs_against_fresh_tries": against_fresh(result, estimate),
    }
    plain: JsonObject = {name: msgspec.to_builtins(rows) for name, rows in found.items()}
    if tried := tried_strategies(result):
        plain["strategies"] = msgspec.to_builtins(strategy_figures(tried, estimate))
        plain["strategy_differences"] = msgspec.to_builtins(strategy_differences(tried, estimate))
    official = official_figure(result)
    return plain if official is None else {**plain, "official_scorer": msgspec.to_builtins(official)}


def after_repairs(result: RunResult, estimate: Estimator) -> list[AfterRepairs]:
    """For r = 1 to the most repairs that any try had; empty when nothing was repaired."""
    tasks = task_tries(result)
    wrong = [(task.cluster, tried) for task in tasks for tried in task.tries if not tried.right_by(0)]
    clusters = [cluster for cluster, _ in wrong]
    not_run = sum(not tried.first_ran for _, tried in wrong)
    found = []
    for repairs in range(1, most_repairs(tasks) + 1):
        right = [float(tried.right_by(repairs)) for _, tried in wrong]
        share = estimate(right, "rate", clusters)
        found.append(AfterRepairs(repairs, len(wrong), not_run, int(sum(right)), share))
    return found


def against_fresh(result: RunResult, estimate: Estimator) -> list[AgainstFresh]:
    """For r = 1 to the most repairs that any try had; empty when nothing was repaired."""
    tasks = task_tries(result)
    return [_against_fresh(tasks, repairs, estimate) for repairs in range(1, most_repairs(tasks) + 1)]


def _against_fresh(tasks: Sequence[TaskTries], repairs: int, estimate: Estimator) -> AgainstFresh:
    k = repairs + 1
    enough = [task for task in tasks if len(task.tries) >= k]
    repaired = [Fraction(sum(tried.right_by(repairs) for tried in task.tries), len(task.tries)) for task in enough]
    fresh = [pass_at_k(len(task.tries), sum(tried.right_by(0) for tried in task.tries), k) for task in enough]
    gaps = [float(a - b) for a, b in zip(repaired, fresh, strict=True)]
    difference = estimate(gaps, "quantity", [task.cluster for task in enough])
    if len(set(gaps)) < 2:
        difference = Estimate(difference.mean, difference.n, None, None)
    return AgainstFresh(repairs, k, len(enough), len(tasks) - len(enough), _mean(repaired), _mean(fresh), difference)


def most_repairs(tasks: Sequence[TaskTries]) -> int:
    """The most repairs that any try had."""
    return max((tried.repairs for task in tasks for tried in task.tries), default=0)


def task_tries(result: RunResult) -> list[TaskTries]:
    """The tasks with a known try. A task without a cluster is its own."""
    clusters = clusters_of(result.cases) or [case.id for case in result.cases]
    found = []
    for case, cluster in zip(result.cases, clusters, strict=True):
        tries = tuple(
            _tried(attempt) for attempt in case.repeats or (case,) if _value(attempt, "first_try_passed") is not None
        )
        if tries:
            found.append(TaskTries(cluster, tries))
    return found


def _tried(attempt: Try) -> Tried:
    details = details_of(attempt)
    attempts = details.attempts if details is not None else ()
    repairs = max(0, len(attempts) - 1)
    right = _value(attempt, "passed") == 1
    return Tried(repairs, bool(attempts and attempts[0].ran), repairs if right else None)


def _value(attempt: Try, metric: str) -> float | None:
    score = attempt.scores.get(metric)
    return None if score is None else score.value


def _mean(values: Sequence[Fraction]) -> float | None:
    return float(sum(values) / len(values)) if values else None
