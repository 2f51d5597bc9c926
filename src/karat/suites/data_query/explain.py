"""Why a selection is right or not: dimension by dimension, then its datasets, periods and scope."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.explanation import Explanation, Group, Part
from karat.core.results.failures.failures import part_failure
from karat.suites.data_query.details import (
    DatasetDetails,
    Details,
    DimensionDetails,
    OutcomeDetails,
    PeriodDetails,
    ScopeDetails,
)
from karat.suites.data_query.failures import codes, dimension_failures, left_over, other_failure
from karat.suites.data_query.selection.selection import Period, Target, Term, dataset_keys

NAMED = 2
"""Terms of a side that a headline names; more are counted."""
ROOM = 80
"""Characters that they may take."""


def explain(details: Details, _target: Target | None) -> Explanation:
    """The reason is that of the first thing that is not right, the headline names them all. A turn that should have
    done something else than to answer comes first: whatever it selects is too much."""
    whole, details = details, details.judged()
    dimensions = [(part.turn, _reason(part)) for part in details.dimensions]
    others = [(part, *_wrong(part)) for part in beside(details)]
    others = [(part, reason, words) for part, reason, words in others if reason]
    ahead = [one for one in others if isinstance(one[0], ScopeDetails) and one[0].expected]
    others = [one for one in others if one not in ahead]
    instead = _other_outcomes(details)
    reasons = [outcome_words(one) for one in instead] + [reason for _, reason, _ in ahead]
    reasons += [reason for _, reason in dimensions if reason] + [reason for _, reason, _ in others]
    several = len({turn.turn for turn in details.datasets} | {turn for turn, _ in dimensions}) > 1
    parts = [(one.turn, _outcome(one)) for one in instead] + [(part.turn, _other(part)) for part, _, _ in ahead]
    parts += [(part.turn, _dimension(part)) for part in details.dimensions]
    parts += [(part.turn, _other(part)) for part, _, _ in others]
    parts += [(0, Part("as read", note=note)) for note in details.notes or ()]
    failures = [part_failure(_outcome(one)) for one in instead]
    failures += [other_failure(_other(part), reason) for part, reason, _ in ahead]
    failures += [*dimension_failures(details), *(other_failure(_other(part), reason) for part, reason, _ in others)]
    failures = failures or [*left_over(details)]
    said = [(one.turn, outcome_words(one)) for one in instead] + [(part.turn, words) for part, _, words in ahead]
    return Explanation(
        outcome="wrong" if reasons or failures else "right",
        reason=reasons[0] if reasons else failures[0].label if failures else "",
        codes=details.reasons or (),
        headline=_headline(details, said, [(part.turn, words) for part, _, words in others], several=several),
        parts=tuple(_in_turn(part, turn, several=several) for turn, part in parts),
        groups=tuple(_group(part) for part in details.dimensions),
        failures=tuple(failures),
        extra=whole,
    )


# -- in words ---------------------------------------------------------------------------------------------------------


def _reason(part: DimensionDetails) -> str:
    """``COUNTRY not selected``, ``COUNTRY wrong``, ``COUNTRY incomplete``; empty when it is right."""
    if part.false_positives:
        return f"{part.dimension} {'wrong' if part.in_target else 'not asked for'}"
    if part.false_negatives:
        return f"{part.dimension} {'incomplete' if part.true_positives else 'not selected'}"
    return ""


def _headline(details: Details, first: list[tuple[int, str]], beside: list[tuple[int, str]], *, several: bool) -> str:
    said = [(part.turn, words) for part in details.dimensions if (words := _in_words(part))]
    if details.dimensions and not any(_selected(part) for part in details.dimensions):
        beside = [(turn, words) for turn, words in beside if words.startswith("scope")]
        said = [(-1, "nothing was selected"), *([] if beside else _declined(details))]
    said = [*first, *said, *beside]
    return "; ".join(f"turn {turn + 1}: {words}" if several and turn >= 0 else words for turn, words in said)


def _selected(part: DimensionDetails) -> bool:
    return bool(part.true_positives or part.false_positives or part.everything_selected)


def _in_words(part: DimensionDetails) -> str:
    """``INDICATOR 0 of 1: asked LUR, got LP``, ``INDICATOR 0 of 2, 3 wrong``; empty when the dimension is right."""
    right, wrong, missed = len(part.true_positives), len(part.false_positives), len(part.false_negatives)
    if part.everything_selected:
        return f"{part.dimension} everything selected"
    if not part.in_target:
        return f"{part.dimension} not asked for" if wrong else ""
    if not wrong and not missed:
        return ""
    if not wrong and not right:
        return f"{part.dimension} not selected"
    asked, got = (" and ".join(side) for side in codes(part.false_negatives, part.false_positives))
    said = f"{part.dimension} {right} of {right + missed}"
    ids = sorted(term.id for term in part.false_negatives)
    if len(ids) <= NAMED and all(ids) and ids == sorted(term.id for term in part.false_positives):
        named = any(term.name for term in part.false_positives)
        return f"{said}: {' and '.join(ids)} {'under another' if named else 'without a'} name"
    if max(wrong, missed) > NAMED or len(asked) + len(got) > ROOM:
        return said + (f", {wrong} wrong" if wrong else "")
    if not wrong:
        return f"{said}: {asked} missing"
    return f"{said}: asked {asked}, got {got}" if missed else f"{said}, {wrong} extra: {got}"


def _other_outcomes(details: Details) -> list[OutcomeDetails]:
    """The turns that should have done something else than to answer, and did not. That a question is out of scope is
    said by its scope."""
    scopes = {one.turn for one in details.out_of_scope or () if one.expected != one.found}
    wrong = (one for one in details.outcomes if one.expected and one.found not in one.expected)
    return [one for one in wrong if "answer" not in one.expected and one.turn not in scopes]


def _declined(details: Details) -> list[tuple[int, str]]:
    """What a response did that selects nothing and says so, where an answer was expected."""
    said = (one for one in details.outcomes if one.found not in (*one.expected, "answer", "not_stated"))
    return [(one.turn, f"expected an answer, got {one.found}") for one in said if "answer" in one.expected]


def outcome_words(one: OutcomeDetails) -> str:
    """``asked no_data, got answer``"""
    return f"asked {' or '.join(one.expected)}, got {one.found}"


Beside = DatasetDetails | PeriodDetails | ScopeDetails
"""What is right or wrong beside the dimensions."""


def beside(details: Details) -> Iterator[Beside]:
    """Datasets, periods and scope of every turn."""
    yield from details.datasets
    yield from details.period or ()
    yield from details.out_of_scope or ()


def _wrong(part: Beside) -> tuple[str, str]:
    """(what is wrong, the same with the values); empty when it is right."""
    if isinstance(part, ScopeDetails):
        if part.expected == part.found:
            return "", ""
        words = (
            "scope: answered a question that is out of scope"
            if part.expected
            else "scope: declined a question that is in scope"
        )
        return words.removeprefix("scope: "), words
    if isinstance(part, PeriodDetails):
        words = f"period {period_words(part.found)} instead of {period_words(part.expected)}"
        return ("", "") if part.right else ("period wrong", words)
    missing = missing_datasets(part)
    if not missing and not part.unexpected:
        return "", ""
    wanted = f"dataset {', '.join(missing)} not used" if missing else ""
    extra = f"dataset {', '.join(part.unexpected)} not expected" if part.unexpected else ""
    return "dataset wrong" if part.unexpected else "dataset not used", "; ".join(w for w in (wanted, extra) if w)


def period_words(period: Period | None) -> str:
    """Both ends of a period."""
    return "none" if period is None else f"{period.start or 'open'} to {period.end or 'open'}"


def missing_datasets(part: DatasetDetails) -> tuple[str, ...]:
    """The expected datasets that the answer does not use, whatever their version."""
    if part.expected == part.found:
        return ()
    used = [name for name in part.found if name not in part.unexpected]
    left, right = dataset_keys(part.expected, used, strict_versions=False)
    return tuple(name for name in part.expected if left[name] not in right.values())


# -- part by part -----------------------------------------------------------------------------------------------------


def _dimension(part: DimensionDetails) -> Part:
    return Part(
        part.dimension,
        tuple(_term(term) for term in part.true_positives),
        tuple(_term(term) for term in part.false_negatives),
        tuple(_term(term) for term in part.false_positives),
        "" if part.in_target else "not asked for",
    )


def _term(term: Term) -> str:
    return f"{term.id} · {term.name}" if term.id and term.name else term.id or term.name


def _other(part: Beside) -> Part:
    if isinstance(part, ScopeDetails):
        return Part("scope", missing=(scope_words(part.expected),), extra=(scope_words(part.found),))
    if isinstance(part, PeriodDetails):
        given = (period_words(part.found),) if part.found is not None else ()
        return Part("period", missing=(period_words(part.expected),), extra=given)
    used = tuple(name for name in part.found if name not in part.unexpected)
    return Part("dataset", used, missing_datasets(part), part.unexpected)


def _outcome(one: OutcomeDetails) -> Part:
    return Part("outcome", missing=(" or ".join(one.expected),), extra=(one.found,))


def scope_words(out: bool) -> str:
    """Whether a question is out of scope, in words."""
    return "out of scope" if out else "in scope"


def _in_turn(part: Part, turn: int, *, several: bool) -> Part:
    """Named with its turn where there are several."""
    if not several:
        return part
    return Part(f"turn {turn + 1}: {part.label}", part.found, part.missing, part.extra, part.note)


def _group(part: DimensionDetails) -> Group:
    values = (("recall", part.recall), ("precision", part.precision), ("f1", part.f1))
    return Group("dimension", part.dimension, tuple((name, value) for name, value in values if value is not None))
