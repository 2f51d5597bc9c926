"""Scoring 100,000 cases, beside parsing the same cases from YAML text with PyYAML's C parser.

In chunks, so that memory stays small and the two sides share the machine's good and bad moments. Making the cases is
not timed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

import msgspec

from benchmarks import generated, measure
from karat.core.records import Case, Prediction
from karat.core.suite import Suite

CASES = 100_000
CHUNK = 2_000


def main() -> None:
    from karat.core.plugins import load_suite

    suite = load_suite("data_query")
    measure.heading(
        "scoring",
        f"{CASES:,} cases in chunks of {CHUNK:,}: the comparison, all {len(suite.metrics)} metrics and the details of "
        "each case",
    )
    parsing, scoring = [], []
    for seed in range(CASES // CHUNK):
        plain = list(generated.cases(CHUNK, seed))
        texts = [generated.as_yaml(case).encode() for case in plain]
        cases = suite.decode_cases([msgspec.json.encode(case) for case in plain])
        random = Random(seed)
        predictions = [Prediction(case["id"], response=generated.prediction(case, random)) for case in plain]
        parsing.append(measure.of_call(partial(parse_all, texts)))
        scoring.append(measure.of_call(partial(score_all, suite, cases, predictions)))
    rows = []
    for side, costs in (("parsing (PyYAML C)", parsing), ("scoring (karat)", scoring)):
        wall, cpu = sum(cost.wall for cost in costs), sum(cost.cpu for cost in costs)
        middle = measure.medians(costs)
        rows.append(
            [side, f"{wall:.1f} s", f"{cpu:.1f} s", f"{cpu / CASES * 1e6:.0f} µs", f"{middle.cpu / CHUNK * 1e6:.0f} µs"]
        )
    measure.table(["", "wall", "CPU", "CPU a case", "median chunk"], rows)
    ours, peer = (measure.total(costs) for costs in (scoring, parsing))
    measure.verdict("scoring / parsing, CPU", ours.cpu / peer.cpu, at_most=1, sides=(ours, peer))
    print(f"  peak memory {measure.peak_mb():.0f} MB, both sides and the generator in one process")


def parse_all(texts: Sequence[bytes]) -> None:
    """The bare parser, case by case: in one long text it would need twice the time, in its garbage collection."""
    import yaml

    for text in texts:
        yaml.load(text, Loader=yaml.CSafeLoader)


def score_all(suite: Suite, cases: Sequence[Case[Any]], predictions: Sequence[Prediction]) -> None:
    """What a run does to score its cases: the answers are read, compared and measured; every score and detail is
    kept."""
    from karat.runs.scores.scoring import group, score_cases

    grouped, strangers = group(cases, predictions, 1)
    work = ((case, grouped.get(case.id, {})) for case in cases)
    results = list(score_cases(suite, work, msgspec.convert({}, suite.options)))
    if strangers or any(result.status != "scored" for result in results):
        raise AssertionError("a case was not scored")
