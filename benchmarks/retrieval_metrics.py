"""Six metrics for 10,000 questions × 1,000 results: karat beside pytrec_eval and ranx, from the same dicts; and karat
from coded arrays.

Making the data and importing happen before the clock starts; each measurement is a fresh process. pytrec_eval's work is
its evaluator and the evaluation, karat's the one call; ranx takes its own records, made from the dicts in the measured
time, and compiles itself at the first call, so it is shown with the first call, with the second, and once more with its
records made before the clock starts. ``python -m benchmarks.retrieval_metrics agreement`` compares the values of 300
questions instead.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import measure, other_tools

MODULE = "benchmarks.retrieval_metrics"
QUESTIONS = 10_000
RESULTS = 1_000
DOCUMENTS = 500_000
JUDGED = 50
REPEATS = 3
RANX = "0.3.21"

# karat, pytrec_eval, what pytrec_eval calls the value, ranx
METRICS = (
    ("map", "map", "map", "map"),
    ("ndcg", "ndcg", "ndcg", "ndcg"),
    ("ndcg_at_10", "ndcg_cut.10", "ndcg_cut_10", "ndcg@10"),
    ("recall_at_100", "recall.100", "recall_100", "recall@100"),
    ("precision_at_10", "P.10", "P_10", "precision@10"),
    ("rr", "recip_rank", "recip_rank", "mrr"),
)
OURS = tuple(names[0] for names in METRICS)


def main() -> None:
    measure.heading(
        "retrieval metrics",
        f"{len(METRICS)} metrics, {QUESTIONS:,} questions × {RESULTS:,} results, median of {REPEATS} fresh processes a "
        "side, in turn",
    )
    sides: dict[str, Callable[[], measure.Cost]] = {
        "pytrec_eval, dicts": lambda: _fresh(sys.executable, "pytrec_eval"),
        "karat, dicts": lambda: _fresh(sys.executable, "dicts"),
        "karat, arrays in any order": lambda: _fresh(sys.executable, "arrays"),
        "karat, arrays best first": lambda: _fresh(sys.executable, "arrays_best_first"),
    }
    costs = measure.alternately(sides, REPEATS)
    try:
        ranx = str(ranx_python())
        costs["ranx, first call"] = _fresh(ranx, "ranx_first")
        costs["ranx, second call"] = _fresh(ranx, "ranx_second")
        costs["ranx, second call, records made before"] = _fresh(ranx, "ranx_records")
    except (other_tools.CannotInstall, subprocess.CalledProcessError) as error:
        print(f"  ranx left out: {error}")
    theirs = costs["pytrec_eval, dicts"]
    rows = [
        [name, f"{cost.wall:.2f} s", f"{cost.cpu:.2f} s", f"{theirs.cpu / cost.cpu:.1f}×", f"{cost.peak_mb:.0f} MB"]
        for name, cost in costs.items()
    ]
    measure.table(["", "wall", "CPU", "pytrec_eval's CPU / this", "peak memory"], rows)
    for side, least in (("dicts", 1), ("arrays in any order", 8), ("arrays best first", 8)):
        ours = costs[f"karat, {side}"]
        measure.verdict(
            f"pytrec_eval / karat from {side}, CPU", theirs.cpu / ours.cpu, at_least=least, sides=(ours, theirs)
        )
        measure.verdict(
            f"pytrec_eval / karat from {side}, wall", theirs.wall / ours.wall, at_least=least, sides=(ours, theirs)
        )


def _fresh(python: str, side: str) -> measure.Cost:
    """As ``measure.in_fresh_process``, with the interpreter that has the tool."""
    done = subprocess.run([python, "-m", MODULE, side], stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=measure.Cost)


def ranx_python() -> Path:
    """The interpreter of an environment with ranx in it."""
    folder = other_tools.CACHE / "ranx"
    python = folder / "bin" / "python"
    stamp = folder / f"installed-{RANX}"
    if not stamp.exists():
        other_tools._install([sys.executable, "-m", "venv", "--clear", str(folder)])
        other_tools._install([str(python), "-m", "pip", "install", "--quiet", f"ranx=={RANX}", "msgspec"])
        stamp.touch()
    return python


# -- the data ---------------------------------------------------------------------------------------------------------


class Data:
    """Scores fall with the place, with ties here and there; half of what is judged was retrieved; relevance 0 to 3."""

    def __init__(self, questions: int) -> None:
        import numpy as np

        random = np.random.default_rng(7)
        size = RESULTS + JUDGED // 2
        # One stride for each question over all documents: no document twice, and no sorting to be sure of it.
        start = random.integers(0, DOCUMENTS, (questions, 1))
        stride = random.choice(np.array([1, 3, 7, 9, 11, 13, 17, 19, 21, 23]), (questions, 1)) * 21
        drawn = ((start + stride * np.arange(size)) % DOCUMENTS).astype(np.int32)
        self.documents = random.permuted(drawn, axis=1)[:, :RESULTS]
        unseen = np.stack([np.setdiff1d(a, b, assume_unique=True) for a, b in zip(drawn, self.documents, strict=True)])
        places = random.permuted(np.tile(np.arange(RESULTS), (questions, 1)), axis=1)[:, : JUDGED // 2]
        seen = np.take_along_axis(self.documents, places, axis=1)
        self.judged = np.concatenate([seen, unseen[:, : JUDGED // 2]], axis=1)
        self.relevances = random.integers(0, 4, self.judged.shape)
        self.scores = -np.sort(-random.normal(0, 3, (questions, RESULTS)).round(4), axis=1)
        self.questions = questions

    def dicts(self) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
        """Qrels and run, best first, as a search gives them."""
        names = [f"doc{number:07d}" for number in range(DOCUMENTS)]
        qrels, run = {}, {}
        for number in range(self.questions):
            keys = [names[code] for code in self.documents[number].tolist()]
            run[f"q{number}"] = dict(zip(keys, self.scores[number].tolist(), strict=True))
            judged = [names[code] for code in self.judged[number].tolist()]
            qrels[f"q{number}"] = dict(zip(judged, self.relevances[number].tolist(), strict=True))
        return qrels, run

    def arrays(self, *, best_first: bool) -> tuple[Any, Any]:
        import numpy as np

        from karat.retrieval import CodedQrels, CodedRun

        documents, scores = self.documents, self.scores.astype(np.float32)
        if not best_first:
            order = np.random.default_rng(8).permuted(np.tile(np.arange(RESULTS), (self.questions, 1)), axis=1)
            documents, scores = (np.take_along_axis(array, order, axis=1) for array in (documents, scores))
        numbers = np.arange(self.questions, dtype=np.int32)
        qrels = CodedQrels(np.repeat(numbers, JUDGED), self.judged.ravel(), self.relevances.ravel())
        return qrels, CodedRun(np.repeat(numbers, RESULTS), np.ascontiguousarray(documents).ravel(), scores.ravel())


# -- the sides --------------------------------------------------------------------------------------------------------


def pytrec_eval_values(qrels: Any, run: Any) -> Any:
    import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, {names[1] for names in METRICS}).evaluate(run)


def ranx_records(qrels: Any, run: Any) -> tuple[Any, Any]:
    ranx = import_module("ranx")  # in another environment than the one in which types are checked
    return ranx.Qrels(qrels), ranx.Run(run)


def ranx_values(qrels: Any, run: Any) -> Any:
    return import_module("ranx").evaluate(qrels, run, [names[3] for names in METRICS], return_mean=False)


def _side(side: str) -> None:
    if side == "agreement":
        agreement()
        return
    data = Data(QUESTIONS)
    if side.startswith("arrays"):
        from karat.retrieval import evaluate

        qrels, run = data.arrays(best_first=side == "arrays_best_first")
        measure.say(measure.of_call(lambda: evaluate(qrels, run, OURS)))
        return
    judged, found = data.dicts()
    del data
    if side == "dicts":
        from karat.retrieval import evaluate

        measure.say(measure.of_call(lambda: evaluate(judged, found, OURS)))
    elif side == "pytrec_eval":
        import_module("pytrec_eval")
        measure.say(measure.of_call(lambda: pytrec_eval_values(judged, found)))
    else:
        import_module("ranx")
        if side != "ranx_first":
            ranx_values(*ranx_records(judged, found))
        records = ranx_records(judged, found) if side == "ranx_records" else None
        measure.say(measure.of_call(lambda: ranx_values(*(records or ranx_records(judged, found)))))


def agreement(questions: int = 300) -> None:
    """The largest difference between pytrec_eval's values and karat's, from dicts and from arrays."""
    from karat.retrieval import evaluate

    data = Data(questions)
    qrels, run = data.dicts()
    theirs = pytrec_eval_values(qrels, run)
    results = {
        "dicts": evaluate(qrels, run, OURS),
        "arrays in any order": evaluate(*data.arrays(best_first=False), OURS),
        "arrays best first": evaluate(*data.arrays(best_first=True), OURS),
    }
    for side, ours in results.items():
        difference = max(
            abs(float(ours.values[names[0]][number]) - theirs[f"q{number}"][names[2]])
            for names in METRICS
            for number in range(questions)
        )
        print(f"  {side}: {questions * len(METRICS):,} values, largest difference from pytrec_eval's {difference:.1e}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _side(sys.argv[1])
    else:
        main()
