"""Every rank of 1,000 questions' truths among a million values, beside the bare matrix product of the same vectors in
numpy.

Near: the question is made of its three truths and noise, so that most rank well, as with a model that works. Any: its
one truth is any value, or its three truths are, whose scores lie where scores are densest, which is the hardest case.
The product is made block by block into the same room and thrown away. Ranks of a sample are compared with those from
scoring every value exactly. For how it grows: ``python -m benchmarks.retrieval_ranks VALUES``.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks import measure
from karat.search.ranks.best import Best, Candidates
from karat.search.ranks.dense import Found, rank_rows
from karat.search.ranks.kernels import NUMPY, compiled
from karat.search.ranks.score import pair_scores
from karat.search.ranks.screen import Screen
from karat.search.records import Floats, Integers

QUESTIONS, VALUES, WIDTH, TRUTHS = 1_000, 1_000_000, 384, 3
BLOCK = 4096
"""Values in a block of the bare product: the quickest of 1,024 to 65,536."""
DEPTH = 100
REPEATS = 3
LIMIT = 1.2
SAMPLE = 3


def main(count: int = VALUES) -> None:
    random = np.random.default_rng(0)
    values = _values(random, count)
    positions = random.integers(0, count, (QUESTIONS, TRUTHS))
    near = _near(random, values, positions)
    noise = _unit(random.standard_normal((QUESTIONS, WIDTH), dtype=np.float32))
    truths = np.column_stack([np.repeat(np.arange(QUESTIONS), TRUTHS), positions.ravel()])
    measure.heading(
        "retrieval ranks",
        f"{QUESTIONS:,} questions × {count:,} values × {WIDTH}, median of {REPEATS} in turn",
    )
    found: dict[str, Found] = {}

    def ranked(name: str, questions: Floats, depth: int = 0, wanted: Integers = truths) -> measure.Cost:
        def work() -> None:
            found[name] = rank_rows(questions, values, wanted, depth=depth)

        return measure.of_call(work)

    names = (
        "bare product",
        f"ranks, {TRUTHS} near truths",
        "ranks, any 1 truth",
        f"ranks, any {TRUTHS} truths",
        f"ranks, {TRUTHS} near, and the {DEPTH} best",
    )
    _product(near, values[: 4 * BLOCK])
    _start()
    costs = measure.alternately(
        {
            names[0]: lambda: measure.of_call(lambda: _product(near, values)),
            names[1]: lambda: ranked("near", near),
            names[2]: lambda: ranked("one", noise, wanted=truths[::TRUTHS]),
            names[3]: lambda: ranked("any", noise),
            names[4]: lambda: ranked("best", near, DEPTH),
        },
        REPEATS,
    )
    bare = costs[names[0]]
    measure.table(
        ["", "wall", "CPU", "wall ratio", "CPU ratio"],
        [
            [
                name,
                f"{cost.wall:.2f} s",
                f"{cost.cpu:.2f} s",
                f"{cost.wall / bare.wall:.2f}×",
                f"{cost.cpu / bare.cpu:.2f}×",
            ]
            for name, cost in costs.items()
        ],
    )
    for name in names[1:]:
        measure.verdict(f"{name} / product, CPU", costs[name].cpu / bare.cpu, at_most=LIMIT, sides=(costs[name], bare))
        measure.verdict(
            f"{name} / product, wall", costs[name].wall / bare.wall, at_most=LIMIT, sides=(costs[name], bare)
        )
    for kind in ("near", "any"):
        spread = ", ".join(f"{int(rank):,}" for rank in np.percentile(found[kind].ranks, (10, 50, 90)))
        print(f"  ranks, {kind} truths: 10 %, median, 90 %: {spread}")
    _check(near, values, truths, found["best"])


def _start() -> None:
    """Whatever is loaded or compiled at the first call, outside the clock of the others."""
    little = np.eye(4, dtype=np.float32)

    def first() -> None:
        steps = compiled() or NUMPY
        no_marks = np.zeros((1, 4), np.float32)
        steps.look(Screen(little, no_marks, no_marks, 1, np.zeros(4), np.zeros(4)))
        each = np.arange(4)
        for pairs in (steps.sums, steps.scores):
            pairs(little, little, each, each)
        steps.keep(Best(4, 1), Candidates(little, little, each, each, np.ones(4, np.float32), np.zeros(4), 0, 0))

    seconds = measure.of_call(first).wall
    print(
        f"  numba and the compiled steps at their first call, once in a process: {seconds:.2f} s"
        if compiled()
        else "  without numba (extra fast): the steps are numpy's"
    )


def _product(questions: Floats, values: Floats) -> None:
    room = np.empty((len(questions), BLOCK), np.float32)
    for low in range(0, len(values), BLOCK):
        part = values[low : low + BLOCK]
        np.matmul(questions, part.T, out=room[:, : len(part)])


def _values(random: np.random.Generator, count: int) -> Floats:
    """Rows of length one, made block by block."""
    rows = np.empty((count, WIDTH), np.float32)
    for low in range(0, count, 65536):
        part = rows[low : low + 65536]
        part[:] = _unit(random.standard_normal(part.shape, dtype=np.float32))
    return rows


def _near(random: np.random.Generator, values: Floats, positions: Integers) -> Floats:
    weights = random.uniform(0.1, 0.4, (*positions.shape, 1)).astype(np.float32)
    noise = _unit(random.standard_normal((len(positions), WIDTH), dtype=np.float32))
    return _unit((values[positions] * weights).sum(axis=1) + noise)


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _check(questions: Floats, values: Floats, truths: Integers, found: Found) -> None:
    everything = np.arange(len(values))
    for question in np.random.default_rng(1).choice(len(questions), SAMPLE, replace=False):
        scores = pair_scores(questions, values, np.full(len(values), question), everything)
        own = truths[:, 0] == question
        expected = [int(np.count_nonzero(scores >= scores[place])) for place in truths[own, 1]]
        first = np.argsort(-scores, kind="stable")[:DEPTH]
        if found.ranks[own].tolist() != expected or found.best[question].tolist() != first.tolist():
            raise AssertionError(f"question {question}: other ranks than by scoring every value")
    print(f"  {SAMPLE} questions: ranks and the {DEPTH} best as by scoring all {len(values):,} values exactly")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
