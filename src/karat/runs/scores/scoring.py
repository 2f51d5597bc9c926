"""Scoring: a pure function of cases and predictions. It never calls a system.

A case is scored turn by turn; its figure for a metric is the mean over its scored turns, then over its repeats. A turn
whose call failed makes the whole try an ``error``, a turn without a prediction makes it ``missing``; neither is
averaged in (``errors: zero`` gives an error 0 in every metric that is marked so). A metric that even a right answer to
the case has no value in is ``not_applicable`` for a failed try too: it counts 0 nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from itertools import islice
from time import perf_counter
from typing import Any  # Any: a comparison is of a class that only its suite knows

from karat.core.expect.findings import Checked
from karat.core.expect.metrics import METRICS
from karat.core.explanation import plain_details
from karat.core.installed.extras import why_missing
from karat.core.metric import Metric
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import AnyCase, Prediction, default_turn
from karat.core.results.result import CaseResult, RepeatResult
from karat.core.results.usage import USAGE
from karat.core.scores import Score, State, mean_score, not_applicable
from karat.core.suite import NotApplicable, Suite, SuiteOptions, Unreadable
from karat.runs.executors.engine import Engine, as_engine
from karat.runs.executors.files import NeededFile, needed_files, with_files_here
from karat.runs.executors.window import Window
from karat.runs.scores.expectations import checked_turn, expectation_details, expectation_scores, failed_expectations

AHEAD = 32
"""Cases that a suite may prepare together."""

NO_TARGET = not_applicable("the case has no target")
Tries = Mapping[int, Mapping[int, Prediction]]
"""repeat → user turn → prediction."""


def repeats_in(predictions: Iterable[Prediction]) -> int:
    """How often the cases were asked: repeats count from 0 without a gap, so what comes after a gap is no repeat."""
    given = {prediction.repeat for prediction in predictions}
    count = 0
    while count in given:
        count += 1
    return max(1, count)


def group(
    cases: Sequence[AnyCase], predictions: Iterable[Prediction], repeats: int
) -> tuple[dict[str, dict[int, dict[int, Prediction]]], list[Prediction]]:
    """Predictions by case, repeat and turn; and those for a case, a turn or a repeat that does not exist."""
    known = {case.id: case for case in cases}
    found: dict[str, dict[int, dict[int, Prediction]]] = {}
    unmatched: list[Prediction] = []
    for prediction in predictions:
        case = known.get(prediction.case_id)
        if case is None:
            unmatched.append(prediction)
            continue
        turn = prediction.turn if prediction.turn is not None else default_turn(case)
        if not (0 <= turn < case.user_turns and 0 <= prediction.repeat < repeats):
            unmatched.append(prediction)
            continue
        found.setdefault(case.id, {}).setdefault(prediction.repeat, {})[turn] = prediction
    return found, unmatched


def score_cases(
    suite: Suite,
    work: Iterable[tuple[AnyCase, Tries]],
    options: SuiteOptions,
    *,
    repeats: int = 1,
    executor: Executor | None = None,
    on_scored: Callable[[int], None] = lambda _: None,
) -> Iterator[CaseResult]:
    """One result per case, in the order of the cases. With an executor, in batches on it; else here.

    ``work`` is read only as far ahead as the workers need it, and nothing is kept of what was given back.
    """
    if executor is None:
        for some in _together(suite, work):
            for result in _scored(suite, some, options, repeats):
                yield result
                on_scored(1)
        return
    engine = as_engine(executor)

    def submit(batch: Sequence[tuple[AnyCase, Tries]]) -> Future[tuple[float, Sequence[CaseResult]]]:
        return submit_batch(engine, suite, batch, options, repeats)

    def given_up(item: tuple[AnyCase, Tries], why: str) -> CaseResult:
        return unscored_case(suite, item[0], why, repeats)

    for results in Window(engine, submit, given_up).results(work):
        yield from results
        on_scored(len(results))


def _together(suite: Suite, work: Iterable[tuple[AnyCase, Tries]]) -> Iterator[Iterable[tuple[AnyCase, Tries]]]:
    """The work as it comes; for suites that group their cases a few at a time."""
    if suite.group is None:
        yield work
        return
    left = iter(work)
    while some := list(islice(left, AHEAD)):
        yield some


def _scored(
    suite: Suite, work: Iterable[tuple[AnyCase, Tries]], options: SuiteOptions, repeats: int
) -> Iterator[CaseResult]:
    """A result for each, in their order; cases of one group are scored one after the other."""
    if suite.group is None:
        yield from (score_case(suite, *item, options, repeats) for item in _prepared(suite, work, options))
        return
    items = list(work)
    groups = [suite.group(case, options) for case, _ in items]
    order = sorted(range(len(items)), key=groups.__getitem__)
    if order == list(range(len(items))):  # as they are: nothing has to wait
        yield from (score_case(suite, *item, options, repeats) for item in _prepared(suite, items, options))
        return
    prepared = _prepared(suite, [items[place] for place in order], options)
    results = [score_case(suite, *item, options, repeats) for item in prepared]
    found = dict(zip(order, results, strict=True))
    yield from (found[place] for place in range(len(items)))


def _prepared(
    suite: Suite, work: Iterable[tuple[AnyCase, Tries]], options: SuiteOptions
) -> Iterator[tuple[AnyCase, Tries]]:
    """The work as it comes, for suites that do some of it for several cases at once a few cases at a time."""
    if suite.prepare is None:
        yield from work
        return
    left = iter(work)
    while some := list(islice(left, AHEAD)):
        with suppress(Exception):  # each case says for itself what is wrong with it
            suite.prepare(
                [(case, [p for turns in tries.values() for p in turns.values()]) for case, tries in some], options
            )
        yield from some


def submit_batch(
    engine: Engine, suite: Suite, batch: Sequence[tuple[AnyCase, Tries]], options: SuiteOptions, repeats: int
) -> Future[tuple[float, Sequence[CaseResult]]]:
    """Send cases to an engine: (seconds, a result for each)."""
    files = needed_files(suite, batch, options) if engine.elsewhere else ()
    return engine.submit(score_batch, suite.name, batch, options, repeats, files)


def score_batch(
    suite_name: str,
    batch: Sequence[tuple[AnyCase, Tries]],
    options: SuiteOptions,
    repeats: int,
    files: Sequence[NeededFile] = (),
) -> tuple[float, list[CaseResult]]:
    """What a worker does: (seconds, a result for each case)."""
    began = perf_counter()
    suite = load_suite(suite_name)
    batch, options = with_files_here(suite, batch, options, files)
    results = list(_scored(suite, batch, options, repeats))
    return perf_counter() - began, results


def unscored_case(suite: Suite, case: AnyCase, why: str, repeats: int) -> CaseResult:
    """The result of a case that could not be scored, through no fault of its answers: no figure counts it, whatever
    ``errors`` says. Nothing of the suite runs for it here: that is what ended the workers."""
    metrics = (*suite.metrics, *(METRICS if case.expects else ()), *USAGE)
    scores = {metric.name: Score(None, "error", why) for metric in metrics}
    tries = tuple(RepeatResult("error", scores, {}, why) for _ in range(repeats)) if repeats > 1 else ()
    return CaseResult(case.id, "error", scores, {}, case.name, case.tags, case.question, why, tries)


def score_case(suite: Suite, case: AnyCase, tries: Tries, options: SuiteOptions, repeats: int = 1) -> CaseResult:
    """All the repeats of one case. One bad case never ends a run, whatever of the suite fails for it."""
    try:
        return _all_repeats(suite, case, tries, options, repeats)
    except (UserError, KeyboardInterrupt, GeneratorExit):  # something that no case can do without; or the user's end
        raise
    except BaseException as error:
        return unscored_case(suite, case, _internal(error), repeats)


def _internal(error: BaseException) -> str:
    return f"internal error, please report it: {type(error).__name__}: {error}"


def _all_repeats(suite: Suite, case: AnyCase, tries: Tries, options: SuiteOptions, count: int) -> CaseResult:
    results = [score_try(suite, case, tries.get(repeat, {}), options) for repeat in range(count)]
    first = results[0]
    named = {"cluster": cluster} if (cluster := suite.cluster(case)) else {}
    if count > 1:
        best = next((r for r in results if r.status == "scored"), first)
        failed = [r for r in results if r.status == "error"]
        error = f"{len(failed)} of {count} tries failed: {failed[0].error}" if failed else ""
        scores = {name: mean_score(r.scores[name] for r in results) for name in first.scores}
        return CaseResult(
            case.id,
            best.status,
            scores,
            best.details | named,
            case.name,
            case.tags,
            case.question,
            error,
            tuple(results),
        )
    return CaseResult(
        case.id, first.status, first.scores, first.details | named, case.name, case.tags, case.question, first.error
    )


def score_try(suite: Suite, case: AnyCase, found: Mapping[int, Prediction], options: SuiteOptions) -> RepeatResult:
    """One try at a case: every scored turn compared, every metric averaged over the turns."""
    turns = case.scored_turns
    expects = case.expects
    comparisons: list[tuple[int, Any]] = []
    checked: list[Checked] = []
    failures: list[tuple[State, str]] = []
    for turn in turns:
        asked = case.asked(turn) if expects else None
        where = f"turn {turn + 1}: " if len(turns) > 1 else ""
        prediction = found.get(turn)
        if prediction is None:
            failures.append(("missing", f"{where}no prediction"))
        elif prediction.error is not None:
            failures.append(("error", f"{where}{prediction.error.message}"))
        else:
            try:
                if asked is not None and asked.expect is not None:
                    checked.append(checked_turn(asked.expect, suite, case, turn, prediction, options))
                if asked is None or asked.target is not None:
                    comparisons.append((turn, suite.compare(case, turn, prediction, options)))
            except Unreadable as error:
                failures.append(("error", f"{where}{error}"))
            except NotApplicable as error:
                failures.append(("not_applicable", f"{where}{error}"))
            except UserError as error:  # something of the user's set-up that this case alone needs
                failures.append(("error", f"{where}{error.message}{f'. {error.hint}' if error.hint else ''}"))
            except ModuleNotFoundError as error:
                failures.append(("error", f"{where}{why_missing(error) or _internal(error)}"))
            except (KeyboardInterrupt, GeneratorExit):
                raise
            except BaseException as error:  # one bad case never ends a run; the reason shows that this is a bug
                failures.append(("error", f"{where}{_internal(error)}"))
    if failures:
        return _failed(suite, case, failures, comparisons, options, checked)
    if expects and not comparisons:
        scores = {metric.name: NO_TARGET for metric in suite.metrics}
    elif len(comparisons) == 1:
        comparison = comparisons[0][1]
        scores = {metric.name: metric.score(comparison) for metric in suite.metrics}
    else:
        scores = {metric.name: mean_score(metric.score(c) for _, c in comparisons) for metric in suite.metrics}
    if expects:
        scores.update(expectation_scores(checked))
    scores.update({metric.name: _total(metric, [found[turn] for turn in turns]) for metric in USAGE})
    details = plain_details(suite.details(comparisons)) if comparisons or not expects else {}
    return RepeatResult("scored", scores, details | expectation_details(checked))


def _failed(
    suite: Suite,
    case: AnyCase,
    failures: Sequence[tuple[State, str]],
    comparisons: Sequence[tuple[int, Any]],
    options: SuiteOptions,
    checked: Sequence[Checked] = (),
) -> RepeatResult:
    worst: tuple[State, ...] = ("error", "missing", "not_applicable")
    state = next(state for state in worst if any(found == state for found, _ in failures))
    text = "; ".join(message for _, message in failures)
    zeroed = state == "error" and options.errors == "zero"
    right = _perfect(suite, case, options) if state != "not_applicable" else []

    targets = not case.expects or any(turn.target is not None for turn in case.conversation)

    def score(metric: Metric) -> Score:
        if not targets and metric not in USAGE:
            return NO_TARGET
        best = [metric.score(comparison) for comparison in right] if metric not in USAGE else []
        if best and all(one.value is None for one in best):
            return best[0]
        if metric.counts_all and state != "not_applicable":
            return Score(0.0, "scored", text)
        if zeroed and metric.zero_on_error:
            return Score(0.0, "scored", f"errors: zero ({text})")
        return Score(None, state, text)

    scores = {metric.name: score(metric) for metric in suite.metrics}
    if case.expects:
        scores |= failed_expectations(case, checked, Score(None, state, text), zeroed=zeroed)
    scores |= {metric.name: score(metric) for metric in USAGE}
    details = plain_details(suite.details(comparisons)) if comparisons else {}
    return RepeatResult(state, scores, details | expectation_details(checked), text)


def _perfect(suite: Suite, case: AnyCase, options: SuiteOptions) -> list[Any]:
    """How right answers would compare; none where that cannot be said, and then the case can have every metric."""
    try:
        turns = case.target_turns if case.expects else case.scored_turns
        return [one for turn in turns for one in suite.perfect(case, turn, options)]
    except Exception:  # what keeps a right answer from being compared is said of the answers that came
        return []


def _total(metric: Metric, predictions: Sequence[Prediction]) -> Score:
    """The sum over the turns, where every turn is known. What a failed try cost is not known to be the cost of an
    answer."""
    if len(predictions) == 1:
        return metric.score(predictions[0])
    scores = [metric.score(prediction) for prediction in predictions]
    values = [score.value for score in scores if score.value is not None]
    if scores and len(values) == len(scores):
        return Score(sum(values))
    return next((score for score in scores if score.value is None), not_applicable("no call was made"))
