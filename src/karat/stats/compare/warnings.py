"""What to know before believing a comparison: every reason in words, with its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.metric import Kind
from karat.core.problems import count_of, p_words
from karat.core.results.result import RunInfo, RunResult
from karat.stats.compare.pairing import Pairs
from karat.stats.compare.power import cases_needed
from karat.stats.compare.records import MetricComparison
from karat.stats.compare.significance.mcnemar import mcnemar_of

MOST_TOO_SMALL = 3
"""Metrics that one warning about too few cases names with their figures."""
ALPHA = 0.05
MOST_OPTIONS = 6


def warnings_of(a: RunResult, b: RunResult, pairs: Pairs, metrics: Sequence[MetricComparison]) -> tuple[str, ...]:
    """All warnings, those that matter most first."""
    return (
        *_different_runs(a.run, b.run),
        *_cases(pairs),
        *_different_metrics(a, b),
        *_errors(pairs),
        *_grouped((item.title, words) for item in metrics for words in _left_out(item, len(pairs))),
        *_too_few(metrics),
    )


def _grouped(found: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The same words about several metrics are said once, with all their titles."""
    titles: dict[str, list[str]] = {}
    for title, words in found:
        titles.setdefault(words, []).append(title)
    yield from (f"{', '.join(names)}: {words}" for words, names in titles.items())


def amount(value: float, kind: Kind) -> str:
    """A difference as a person says it: in points (hundredths) for shares and rates, as a number for quantities."""
    return f"{value:.4g}" if kind == "quantity" else f"{100 * value:.1f} points"


def _different_runs(a: RunInfo, b: RunInfo) -> Iterator[str]:
    if a.suite != b.suite:
        yield (
            f"The runs are of different suites: A of {a.suite}, B of {b.suite}. "
            "Metrics of the same name may mean different things."
        )
    if a.truth_set and b.truth_set and a.truth_set != b.truth_set:
        yield (
            f"The truth sets differ: A {a.truth_set}, B {b.truth_set}. "
            "A difference may come from the questions or the gold."
        )
    if a.prompt != b.prompt:
        first, second = (run.prompt or "none" for run in (a, b))
        yield f"The prompts differ: A {first}, B {second}. A difference may come from how the system was asked."
    if a.karat and b.karat and a.karat != b.karat:
        yield (
            f"The runs were scored by different versions of Karat: A {a.karat}, B {b.karat}. Score the older one again."
        )
    options = _different_options(a.options, b.options)
    if options:
        more = f", and {len(options) - MOST_OPTIONS} more" if len(options) > MOST_OPTIONS else ""
        yield f"The options differ: {'; '.join(options[:MOST_OPTIONS])}{more}."
    if a.today and b.today and a.today != b.today and a.options.get("today") == b.options.get("today"):
        yield f"Relative dates meant different days: A {a.today}, B {b.today}."
    if a.repeats != b.repeats:
        yield f"The numbers of repeats differ: A {a.repeats}, B {b.repeats}. Each case counts once, by its mean."


def _different_options(a: JsonObject, b: JsonObject) -> list[str]:
    names = sorted({*a, *b})
    return [f"{name} is {_value(a, name)} in A, {_value(b, name)} in B" for name in names if a.get(name) != b.get(name)]


def _value(options: JsonObject, name: str) -> str:
    if name not in options:
        return "not set"
    text = msgspec.json.encode(options[name], enc_hook=str).decode()
    return text if len(text) <= 60 else f"{text[:57]}…"


def _cases(pairs: Pairs) -> Iterator[str]:
    a, b, shared = len(pairs.a), len(pairs.b), len(pairs)
    for name, run in (("A", pairs.a), ("B", pairs.b)):
        if not len(run):
            yield f"Run {name} has no cases."
        elif not run.has_status("scored").any():
            states = ", ".join(f"{count:,} {state.replace('_', ' ')}" for state, count in run.status_counts().items())
            yield f"No case of run {name} was scored: {states}."
    if a and b and not shared:
        yield (f"The runs share no case: A has {a:,}, B {b:,}, and no id is in both. There is nothing to compare.")
    elif shared and (len(pairs.only_a) or len(pairs.only_b)):
        yield (
            f"The runs share {count_of(shared, 'case')}; "
            f"{len(pairs.only_a):,} only in A and {len(pairs.only_b):,} only in B are left out."
        )


def _different_metrics(a: RunResult, b: RunResult) -> Iterator[str]:
    names_a, names_b = ([item.metric for item in run.summary] for run in (a, b))
    only_a = [name for name in names_a if name not in names_b]
    only_b = [name for name in names_b if name not in names_a]
    if only_a or only_b:
        parts = [f"{', '.join(names)} in {run} only" for names, run in ((only_a, "A"), (only_b, "B")) if names]
        yield f"The metrics differ: {'; '.join(parts)}."


def _errors(pairs: Pairs) -> Iterator[str]:
    """Answers that did not come, over shared cases. They leave the means, so a run that fails on hard cases would look
    better for it."""
    sides = ((pairs.a, pairs.places_a), (pairs.b, pairs.places_b))
    failed_a, failed_b = (side.has_status("error", "missing")[places] for side, places in sides)
    missing = any(side.has_status("missing")[places].any() for side, places in sides)
    what, them = ("Failed calls and missing answers", "them") if missing else ("Failed calls", "failed calls")
    count_a, count_b, n = int(failed_a.sum()), int(failed_b.sum()), len(pairs)
    if count_a != count_b:
        p = mcnemar_of(failed_a, failed_b).p
        chance = "more than chance explains" if p < ALPHA else "which may be chance"
        yield (
            f"{what} differ: {count_a:,} of {n:,} in A ({100 * count_a / n:.1f} %), {count_b:,} in B "
            f"({100 * count_b / n:.1f} %), {chance} ({p_words(p)}). Means leave {them} out."
        )


def _left_out(item: MetricComparison, shared: int) -> Iterator[str]:
    if item.headline and item.difference is not None and (item.only_a or item.only_b):
        yield (
            f"compared over {item.difference.n:,} of {count_of(shared, 'shared case')}; "
            f"{count_of(item.only_a, 'has', 'have')} a value only in A, {item.only_b:,} only in B."
        )


def _too_few(metrics: Sequence[MetricComparison]) -> Iterator[str]:
    """Differences that these cases cannot tell from chance; several of them in one warning."""
    judged = [
        item
        for item in metrics
        if item.difference is not None and item.p_adjusted is not None and item.p_adjusted >= ALPHA
    ]
    yield from _grouped(
        (item.title, "one case cannot show a difference.")
        for item in judged
        if item.difference is not None and item.difference.n == 1
    )
    small = [words for item in judged if (words := _small(item))]
    if len(small) == 1:
        title, n, size, p, shown, needed = small[0]
        yield (
            f"{title}: {count_of(n, 'case')} are too few to tell a difference of {size} from chance ({p}). "
            f"They can detect {shown} or more (80 % power); this one would need about {needed}."
        )
    elif small:
        parts = [
            f"{title} {size} ({p}; {n:,} cases can detect {shown} or more, this would need about {needed})"
            for title, n, size, p, shown, needed in small[:MOST_TOO_SMALL]
        ]
        if left := len(small) - len(parts):
            parts.append(f"and {count_of(left, 'more metric')}")
        yield f"Too few cases to tell these differences from chance (80 % power): {'; '.join(parts)}."


def _small(item: MetricComparison) -> tuple[str, int, str, str, str, str] | None:
    """Title, cases, difference, p, the difference that they show, the cases it would need; None when it is not too
    small."""
    found = item.difference
    if found is None or item.p_adjusted is None or found.n == 1 or found.detectable is None:
        return None
    size = abs(found.mean)
    if not 1e-9 < size < found.detectable:
        return None
    needed = f"{cases_needed(found.n, found.detectable, size):,}"
    shown = amount(found.detectable, item.kind)
    return item.title, found.n, amount(size, item.kind), p_words(item.p_adjusted), shown, needed
