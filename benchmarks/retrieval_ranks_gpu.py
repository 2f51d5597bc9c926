"""Exact ranks on a GPU: 10,000 questions × 10M values × 384, beside the bare float16 product and plain torch in
float32, in one run.

Vectors of length one lie on the device in float32 before the clock starts; rounding them to 16 bits is in the measured
time, and so is bringing the ranks back. A question's truth is near (the question is that value and noise, most ranks
are small) or any value at all (most ranks are in the millions, where scores lie densest: the hardest case); with three
truths it is one near and two of any. Ranks are compared with the processor's, on small sizes in full and here on a
sample. Needs numpy, msgspec and torch with CUDA only:
``PYTHONPATH=src python3 -m benchmarks.retrieval_ranks_gpu [VALUES]``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from statistics import median
from typing import Any

import numpy as np

from benchmarks import measure
from karat.search.gpu.ranks import NO_TRUTHS, rank_rows_on_gpu, why_not
from karat.search.ranks.blocks import Rows
from karat.search.ranks.dense import rank_rows
from karat.search.records import Floats, Integers

QUESTIONS, VALUES, WIDTH = 10_000, 10_000_000, 384
REPEATS = 5
SAMPLE = 64
LIMIT, LIMIT_WITH_BEST = 0.5, 1.0
PIECE = 1 << 18
DEPTH = 100


def main(values: int = VALUES) -> None:
    missing = why_not()
    if missing:
        print(f"\nretrieval ranks on a GPU: not measured, {missing}")
        return
    torch: Any = import_module("torch")
    print(f"\nretrieval ranks on a GPU\n  {QUESTIONS:,} questions × {values:,} values × {WIDTH}, median of {REPEATS}")
    print(
        f"  {torch.cuda.get_device_name()} · torch {torch.__version__} · vectors on the device in float32 before the "
        "clock starts"
    )
    agreement()
    _measure(torch, values)


def agreement() -> None:
    """Small sizes with ties, repeated rows, odd widths and unusual lengths: every rank must be the processor's."""
    random = np.random.default_rng(0)
    pairs = 0
    for case in range(12):
        questions, values, width = (int(random.integers(1, high)) for high in (300, 3000, 130))
        width = (width, WIDTH)[case % 3 == 0]
        asking, against = (_some(random, count, width, whole=case % 2 == 1) for count in (questions, values))
        if case % 4 == 0:
            asking, against = asking * np.float32(1e-7), against * np.float32(1e5)
        if case == 11:
            against[:] = against[0]
        truths = np.column_stack(
            [random.integers(0, questions, 2 * questions), random.integers(-1, values, 2 * questions)]
        )
        expected = rank_rows(asking, against, truths, depth=25)
        for block in (1024, 1 << 19):
            found = rank_rows_on_gpu(asking, against, truths, block=block, depth=25)
            if not np.array_equal(found.ranks, expected.ranks) or not np.array_equal(found.best, expected.best):
                raise AssertionError(f"case {case}: other ranks or best values than the processor's")
        pairs += questions * values
    print(f"  12 small cases, {pairs:,} pairs: every rank and the 25 best as on the processor")


def _some(random: np.random.Generator, count: int, width: int, *, whole: bool) -> Floats:
    if whole:
        return random.integers(-2, 3, (count, width)).astype(np.float32)
    return random.standard_normal((count, width), dtype=np.float32)


def _measure(torch: Any, count: int) -> None:
    values = _unit(torch, count, 1)
    noise = _unit(torch, QUESTIONS, 2)
    positions = torch.randint(0, count, (QUESTIONS,), device="cuda", generator=_seeded(torch, 3))
    nearness = torch.rand((QUESTIONS, 1), device="cuda", generator=_seeded(torch, 4)) * 0.3 + 0.1
    questions = values[positions] * nearness + noise
    questions /= questions.norm(dim=1, keepdim=True)
    near = np.column_stack([np.arange(QUESTIONS), positions.cpu().numpy()])
    any_value = np.column_stack([np.arange(QUESTIONS), np.random.default_rng(5).integers(0, count, QUESTIONS)])
    halves = [part.half() for part in (questions, values[:PIECE])]
    before = torch.cuda.memory_allocated()
    rows = [("bare product, float16, torch.matmul, nothing kept", _bare(torch, halves[0], halves[1], count))]
    rows.append(("plain torch, float32: product and count", _plain(torch, questions, values, near)))
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    found = {}
    for name, truths in (("near", near), ("any", any_value)):
        what = f"karat, exact ranks, {name} truths" if name == "near" else "karat, exact ranks, any value as truth"
        rows.append((what, _timed(torch, partial(rank_rows_on_gpu, questions, values, truths))))
        found[name] = rank_rows_on_gpu(questions, values, truths).ranks
    several = np.concatenate([near, any_value, any_value[::-1] * [0, 1] + any_value * [1, 0]])
    rows.append(
        ("karat, three truths to a question", _timed(torch, lambda: rank_rows_on_gpu(questions, values, several)))
    )
    together = rank_rows_on_gpu(questions, values, several).ranks
    if not np.array_equal(together[: 2 * QUESTIONS], np.concatenate([found["near"], found["any"]])):
        raise AssertionError("three truths to a question: other ranks than one by one")
    what = f"karat, exact ranks, near truths, and the {DEPTH} best"
    rows.append((what, _timed(torch, lambda: rank_rows_on_gpu(questions, values, near, depth=DEPTH))))
    for what, seconds in rows:
        print(f"  {what:<52} {seconds:7.3f} s")
    for name, ranks in found.items():
        spread = ", ".join(f"{int(rank):,}" for rank in np.percentile(ranks, (10, 50, 90)))
        print(f"  ranks, {name}: 10 %, median, 90 %: {spread}")
    for (what, seconds), limit in zip(rows[2:], (LIMIT, LIMIT, LIMIT, LIMIT_WITH_BEST), strict=True):
        measure.limit(what, seconds, limit, "s")
    print(f"  memory beside the vectors: {(torch.cuda.max_memory_allocated() - before) / 1e9:.1f} GB")
    _sample(questions, values, near, any_value, found)


def _sample(questions: Any, values: Any, near: Integers, any_value: Integers, found: dict[str, Integers]) -> None:
    """Some questions again on the processor, against all values, which stream through it."""

    def pieces() -> Iterator[Floats]:
        for low in range(0, len(values), PIECE):
            yield values[low : low + PIECE].cpu().numpy()

    chosen = np.random.default_rng(6).choice(QUESTIONS, SAMPLE, replace=False)
    truths = np.concatenate([near[chosen], any_value[chosen]])
    ranks = rank_rows(questions.cpu().numpy(), Rows(len(values), pieces), truths).ranks
    expected = np.concatenate([found["near"][chosen], found["any"][chosen]])
    if not np.array_equal(ranks, expected):
        raise AssertionError("other ranks than the processor's")
    asking = questions[chosen]
    best = rank_rows(asking.cpu().numpy(), Rows(len(values), pieces), NO_TRUTHS, depth=DEPTH).best
    if not np.array_equal(rank_rows_on_gpu(asking, values, NO_TRUTHS, depth=DEPTH).best, best):
        raise AssertionError("other best values than the processor's")
    print(
        f"  {SAMPLE} questions, all {len(values):,} values: ranks of both kinds and the {DEPTH} best as on the "
        "processor"
    )


def _bare(torch: Any, questions: Any, values: Any, count: int) -> float:
    """The product alone of all values, the same piece of them again and again."""
    out = torch.empty((len(questions), len(values)), dtype=torch.float16, device="cuda")
    times = -(-count // len(values))
    return (
        _timed(torch, lambda: [torch.matmul(questions, values.T, out=out) for _ in range(times)])
        * count
        / (times * len(values))
    )


def _plain(torch: Any, questions: Any, values: Any, truths: Integers) -> float:
    """What one would write: products block by block, and a count of those at least as large as the truth's."""
    marks = (questions * values[torch.from_numpy(truths[:, 1]).cuda()]).sum(dim=1, keepdim=True)

    def work() -> None:
        counts = torch.zeros(len(questions), dtype=torch.int64, device="cuda")
        for low in range(0, len(values), PIECE):
            counts += (questions @ values[low : low + PIECE].T >= marks).sum(dim=1)

    return _timed(torch, work)


def _timed(torch: Any, work: Callable[[], object]) -> float:
    work()
    seconds = []
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return median(seconds)


def _unit(torch: Any, count: int, seed: int) -> Any:
    rows = torch.empty((count, WIDTH), device="cuda")
    generator = _seeded(torch, seed)
    for low in range(0, count, PIECE):
        part = torch.randn((min(PIECE, count - low), WIDTH), device="cuda", generator=generator)
        rows[low : low + PIECE] = part / part.norm(dim=1, keepdim=True)
    return rows


def _seeded(torch: Any, seed: int) -> Any:
    return torch.Generator(device="cuda").manual_seed(seed)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
