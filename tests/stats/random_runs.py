"""Two runs of about the same cases, drawn at random: clusters, tries, failed calls, missing answers, ids that come
twice, metrics of one run only, usage, tags, groups."""

from __future__ import annotations

from random import Random
from typing import Any

from karat.core.metric import Metric
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.results.usage import USAGE
from karat.core.scores import Score, State, mean_score
from tests.stats.runs import metric

METRICS: tuple[Metric, ...] = (
    metric("right", "rate"),
    metric("recall"),
    metric("lower", "rate", higher_is_better=False),
    metric("side", headline=False),
    *USAGE,
)
SUITES = ("data_query", "retrieval", "answers")
TAGS = ("weo", "trade", "odd  tag", "", "line\nbreak", "half \ud800")


def two_runs(seed: int) -> tuple[RunResult, RunResult]:
    """A run before and a run after."""
    random = Random(seed)
    suite = random.choice(SUITES)
    count = random.choice((0, 1, 3, 8, 20, 60, 400))
    ids = [f"case {number}" for number in range(count)]
    clusters = random.choice((0, 0, 3, 30))
    repeats = random.choice((1, 1, 3))
    return _run(random, suite, ids, clusters, repeats), _run(random, suite, ids, clusters, repeats)


def _run(random: Random, suite: str, ids: list[str], clusters: int, repeats: int) -> RunResult:
    own = [name for name in ids if random.random() < 0.95] + [f"new {random.random()}"] * (random.random() < 0.3)
    if own and random.random() < 0.3:
        own += random.choices(own, k=2)
    random.shuffle(own) if random.random() < 0.3 else None
    names = [item.name for item in METRICS if random.random() < 0.9]
    cases = [_case(random, suite, name, names, clusters, repeats) for name in own]
    summary = tuple(MetricSummary(name, None, 0, None, None) for name in names)
    return RunResult(RunInfo(suite, f"r-{random.randrange(9)}", cases=len(own), repeats=repeats), summary, tuple(cases))


def _case(random: Random, suite: str, name: str, names: list[str], clusters: int, repeats: int) -> CaseResult:
    cluster = f"c{random.randrange(clusters)}" if clusters and random.random() < 0.9 else ""
    tries = [_try(random, suite, names, cluster) for _ in range(repeats)]
    status = tries[0].status if repeats == 1 else "scored" if any(t.status == "scored" for t in tries) else "error"
    scores = {n: mean_score([t.scores[n] for t in tries]) for n in names if n in tries[0].scores}
    return CaseResult(
        name,
        status,
        scores,
        tries[0].details,
        tags=tuple(random.sample(TAGS, random.choice((0, 1, 2)))),
        question=f"What of {name}?",
        error=tries[0].error,
        repeats=tuple(tries) if repeats > 1 else (),
    )


def _try(random: Random, suite: str, names: list[str], cluster: str) -> RepeatResult:
    status: Any = random.choices(("scored", "error", "missing", "not_applicable"), (12, 2, 1, 1))[0]
    if status != "scored":
        state: State = "error" if status == "error" else "not_applicable"
        states: tuple[State, ...] = (state, "not_applicable")
        scores = {n: Score(None, random.choice(states), "none") for n in names}
        return RepeatResult(status, scores, {"cluster": cluster} if random.random() < 0.5 else {}, "timeout")
    scores = {n: _score(random, n) for n in names}
    return RepeatResult("scored", scores, {"cluster": cluster, **_details(random, suite)})


def _score(random: Random, name: str) -> Score:
    if random.random() < 0.1:
        return Score(None, "not_applicable", "0/0")
    if name in ("right", "lower"):
        return Score(float(random.random() < 0.6))
    if name in ("latency", "tokens", "cost"):
        return Score(random.lognormvariate(0, 1))
    return Score(random.choice((0.0, 1 / 3, 0.5, 2 / 3, random.random(), 1.0)))


def _details(random: Random, suite: str) -> dict[str, Any]:
    if suite == "data_query":
        names = random.sample(("REF_AREA", "INDICATOR", "FREQ"), random.randrange(4))
        return {
            "dimensions": [
                {
                    "dimension": n,
                    "turn": 0,
                    "recall": random.random(),
                    "precision": random.choice((1.0, None)),
                    "f1": None,
                }
                for n in names
            ]
        }
    if suite == "retrieval":
        relevant = random.randrange(4)
        found = random.randrange(relevant + 1)
        field: dict[str, Any] = {"field": random.choice(("a", "b")), "retrieved": 9, "ranks": []}
        field |= {"relevant": relevant, "found": found}
        return {"fields": [field | {"missing": [], "missing_count": relevant - found}]}
    verdict = {"state": "wrong", "reason": "values_differ", "normalised": []}
    functions = random.sample(("exact", "near", "sum"), random.randrange(3))
    plain = {"reason": "values_differ", "evidence": {}, "flips": False, "functions": functions}
    return plain | {"spider2": verdict, "strict": verdict}
