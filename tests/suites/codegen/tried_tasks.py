"""Scored tries written by hand, without a sandbox: what each attempt did, and whether the last one was right.

A try is a word: ``E`` for an attempt that did not run, then ``R`` for a right result or ``W`` for a wrong one. ``EER``
is two errors and a right repair; ``EE`` never ran. ``?`` ran, and nothing says what is right. ``x`` is a call that
failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from karat.core.explanation import plain_details
from karat.core.results.result import CaseResult, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score, not_applicable
from karat.runs.scores.summary import summarise
from karat.suites.codegen import suite
from karat.suites.codegen.details import Details
from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.metrics.coverage import CoverageDetails, RequirementCoverage
from karat.suites.codegen.metrics.overall import Overall
from karat.suites.codegen.metrics.performance import Performance
from karat.suites.codegen.metrics.quality import Quality
from karat.suites.codegen.metrics.recovery import ErrorRecovery
from karat.suites.codegen.metrics.understanding import PromptUnderstanding, UnderstandingDetails
from karat.suites.codegen.records import Attempt

DETAILS = Details(
    "",
    PromptUnderstanding(1.0, UnderstandingDetails(1.0, 1.0, 1.0, (), (), ())),
    RequirementCoverage(1.0, CoverageDetails(1.0, 1.0, 1.0, 1.0, ())),
    ErrorRecovery(False, None, 0, False, None, None, None, ()),
    Correctness(1.0, True),
    Quality(1.0),
    Performance(None, "not measured"),
    Overall(1.0, {}),
    "",
    "",
    None,
    None,
    None,
    (),
)


def one_try(word: str, *, cluster: str = "", failed: Score | None = None) -> RepeatResult:
    """The try that a word stands for. ``failed``: what the figures of a failed call are."""
    if word == "x":
        score = failed or Score(None, "error", "timeout")
        return RepeatResult("error", dict.fromkeys(("passed", "first_try_passed", "repaired"), score), {}, "timeout")
    attempts = tuple(Attempt("", letter != "E", "column_error" if letter == "E" else None) for letter in word)
    known, right, first = "?" not in word, word.endswith("R"), word == "R"
    scores = {
        "passed": Score(float(right)) if known else not_applicable("nothing expected"),
        "first_try_passed": Score(float(first)) if known else not_applicable("nothing expected"),
        "repaired": Score(float(right)) if known and not first else not_applicable("right at the first try"),
    }
    correctness = Correctness(float(right) if known else None, right)
    details = msgspec.structs.replace(DETAILS, attempts=attempts, correctness=correctness)
    return RepeatResult("scored", scores, plain_details(details) | {"cluster": cluster})


def run_of(
    tasks: Mapping[str, Sequence[str]], clusters: Mapping[str, str] | None = None, failed: Score | None = None
) -> RunResult:
    """A run: the tries of each task, each a word."""
    cases = []
    for name, words in tasks.items():
        tries = [one_try(word, cluster=(clusters or {}).get(name, ""), failed=failed) for word in words]
        best = next((one for one in tries if one.status == "scored"), tries[0])
        means = {}
        for metric in best.scores:
            values = [value for one in tries if (value := one.scores[metric].value) is not None]
            means[metric] = Score(sum(values) / len(values)) if values else not_applicable("none")
        repeats = tuple(tries) if len(tries) > 1 else ()
        cases.append(CaseResult(name, best.status, means, best.details, repeats=repeats))
    return summarise(suite, RunInfo("codegen", repeats=max(len(words) for words in tasks.values())), cases)
