"""A whole tune beside the naive loop: three fields × three models × 200 questions × 100,000 values.

karat makes one pass of each model over each field: it gives the rank of every truth, and from it what is found at every
n, and the tokens of the best values for every n. The naive loop retrieves again for every n (bm25 with its index,
vectors with their product) and looks whether the truths are there; it counts no tokens. It is timed for a few n; the
loop over all of them is reckoned from the median. Vectors are made before the clock runs, for both sides. Then the
choice: branching beside HiGHS on the same ranks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from benchmarks import measure
from karat.search.records import FieldRanks, Floats, Model, Role

FIELDS, QUESTIONS, VALUES, TRUTHS = 3, 200, 100_000, 3
DIMENSIONS = (256, 384)
BUDGET = 2000
NAIVE_N = (1, 10, 100, 1000)
SYLLABLES = ("ka", "ro", "mi", "tel", "su", "van", "dor", "pi", "lem", "gra", "no", "chi", "bel", "tu", "sha", "fi")


def main() -> None:
    from karat.search.choose.limits import Limits
    from karat.search.choose.tuning import tuning_of
    from karat.search.models import load_model

    questions, fields = made_fields()
    models = [load_model("bm25"), *(vector_model(dimensions, fields, questions) for dimensions in DIMENSIONS)]
    measure.heading(
        "retrieval_tune",
        f"{FIELDS} fields × {len(models)} models × {QUESTIONS} questions × {VALUES:,} values, {TRUTHS} truths in each; "
        f"budget {BUDGET:,} tokens",
    )
    ranked: list[FieldRanks] = []
    passes = measure.of_call(lambda: ranked.extend(rank_all(questions, fields, models)))
    values = {name: found for name, found, _ in fields}
    saying = measure.of_call(lambda: tuning_of(questions, ranked, values=values, limits=Limits(BUDGET)))
    naive = [measure.of_call(partial(naive_loop, questions, fields, models, n)) for n in NAIVE_N]
    one = measure.medians(naive)
    looped = one.cpu * BUDGET
    measure.table(
        ["", "wall", "CPU"],
        [
            ["karat: 9 passes, every n at once", f"{passes.wall:.1f} s", f"{passes.cpu:.1f} s"],
            ["karat: choice, held out, front, resamples", f"{saying.wall:.1f} s", f"{saying.cpu:.1f} s"],
            *(
                [f"naive: 9 retrievals for n = {n:,} alone", f"{cost.wall:.1f} s", f"{cost.cpu:.1f} s"]
                for n, cost in zip(NAIVE_N, naive, strict=True)
            ),
            [f"naive: all n up to {BUDGET:,} (reckoned: median × {BUDGET:,})", "", f"{looped:,.0f} s"],
        ],
    )
    measure.figure("all passes of karat / one naive n, CPU", passes.cpu / one.cpu)
    whole = (passes.cpu + saying.cpu) / looped
    measure.figure(f"whole tune of karat / naive loop over {BUDGET:,} n (reckoned), CPU", whole)
    solvers(ranked)


def made_fields() -> tuple[list[str], list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]]:
    """Distinct names out of syllables; a question is made of words of its truths, so that every model finds some of
    them."""
    rng = np.random.default_rng(7)
    fields = []
    words: list[list[str]] = [[] for _ in range(QUESTIONS)]
    for number in range(FIELDS):
        picks = rng.integers(0, len(SYLLABLES), size=(VALUES, 6))
        made = (
            f"{''.join(SYLLABLES[s] for s in row[:3])} {''.join(SYLLABLES[s] for s in row[3:])} {index}"
            for index, row in enumerate(picks)
        )
        values = tuple(made)
        truths = []
        for question in range(QUESTIONS):
            found = tuple(values[index] for index in rng.choice(VALUES, size=TRUTHS, replace=False))
            truths.append(found)
            words[question] += [value.split()[rng.integers(0, 2)] for value in found]
        fields.append((f"T[f{number}]", values, truths))
    return [" ".join(own) for own in words], fields


def vector_model(
    dimensions: int, fields: Sequence[tuple[str, tuple[str, ...], list[tuple[str, ...]]]], questions: Sequence[str]
) -> Model:
    """Vectors of pure chance, but for the truths, which lie near their question. All made before any clock runs."""
    rng = np.random.default_rng(dimensions)
    asked = unit(rng.standard_normal((len(questions), dimensions), dtype=np.float32))
    known: dict[int, Floats] = {}
    for _, values, truths in fields:
        rows = unit(rng.standard_normal((len(values), dimensions), dtype=np.float32))
        place = {value: index for index, value in enumerate(values)}
        for question, own in enumerate(truths):
            for value in own:
                rows[place[value]] = unit((rows[place[value]] + rng.random() * 0.5 * asked[question])[None, :])[0]
        known[hash(values)] = rows

    def embed(texts: Sequence[str], role: Role) -> Floats:
        return asked if role == "question" else known[hash(tuple(texts))]

    return Model(f"vectors-{dimensions}", "1", embed=embed, cost=float(dimensions))


def unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def rank_all(
    questions: Sequence[str],
    fields: Sequence[tuple[str, tuple[str, ...], list[tuple[str, ...]]]],
    models: Sequence[Model],
) -> list[FieldRanks]:
    from karat.search.ranks.ranking import rank_field

    return [rank_field(name, values, questions, truths, models, depth=BUDGET) for name, values, truths in fields]


def naive_loop(
    questions: Sequence[str],
    fields: Sequence[tuple[str, tuple[str, ...], list[tuple[str, ...]]]],
    models: Sequence[Model],
    n: int,
) -> int:
    """For one n: retrieve the n best with every model in every field, and count the truths among them."""
    found = 0
    for _, values, truths in fields:
        for model in models:
            scores = model.score(questions, values) if model.score else product(model.embed, questions, values)
            best = np.argpartition(-scores, n - 1, axis=1)[:, :n]
            for row, own in zip(best, truths, strict=True):
                retrieved = {values[index] for index in row}
                found += sum(value in retrieved for value in own)
    return found


def product(
    embed: Callable[[Sequence[str], Role], Floats] | None, questions: Sequence[str], values: Sequence[str]
) -> Floats:
    if embed is None:
        raise ValueError("a model has vectors or scores")
    return embed(questions, "question") @ embed(values, "value").T


def solvers(ranked: Sequence[FieldRanks]) -> None:
    """The same integer program twice: branches in whole numbers, and the general solver. Both must agree."""
    from karat.search.choose.choice import ORDER
    from karat.search.choose.limits import Limits
    from karat.search.choose.problem import affordable_options, problem_of
    from karat.search.choose.solvers.branch_and_bound import branch
    from karat.search.choose.solvers.combinations import program_of, worth
    from karat.search.choose.solvers.integer_program import solve

    program = program_of(affordable_options(problem_of(ranked, Limits(BUDGET))))
    began = time.perf_counter()
    quick = branch(program, ORDER, budget=BUDGET)
    middle = time.perf_counter()
    general = solve(program, ORDER, budget=BUDGET, deadline=time.monotonic() + 60)
    ended = time.perf_counter()
    if quick.taken is None or general.taken is None:
        raise AssertionError("no combination")
    if general.proven and worth(program, ORDER, quick.taken) != worth(program, ORDER, general.taken):
        raise AssertionError("the two solvers disagree")
    sizes = " × ".join(str(len(field.options)) for field in program.fields)
    print(f"  the choice among {sizes} options: branching {middle - began:.3f} s, HiGHS {ended - middle:.2f} s, "
          f"{'the same optimum' if general.proven else 'stopped after 60 s'}: "
          f"{(ended - middle) / (middle - began):.0f}×")  # fmt: skip
