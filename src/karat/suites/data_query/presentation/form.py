"""How a selection is shown: what was asked for and what was given, term by term in each dimension."""

from __future__ import annotations

from karat.core.case_form import CaseForm, Listed, Term, TermPair, TermPart, Terms, View, paired
from karat.core.problems import count_of
from karat.core.records import Prediction
from karat.suites.data_query.details import Details, DimensionDetails, PeriodDetails, ScopeDetails
from karat.suites.data_query.explain import Beside, beside, missing_datasets, period_words, scope_words
from karat.suites.data_query.selection.selection import Target

OUTCOME = "what it did"
MOST_SAID = 3
"""Things that are wrong which the sentence names."""
LISTED = 4
"""Codes of one kind, and parts that are right, which are listed in a line."""
MOST_PARTS = 6
"""Parts that are wrong which the line below the sentence explains."""
MOST_PAIRS = 200
"""Terms of one dimension that are drawn."""


def form(details: Details, _target: Target | None, answer: Prediction | None) -> CaseForm:
    """The sentence says what was asked for and what came instead; the line below it, dimension by dimension. With one
    answer of several, what was found in its turn."""
    details = details.judged()
    turns = {one.turn for one in details.dimensions} | {one.turn for one in details.datasets}
    several = len(turns | {one.turn for one in details.outcomes}) > 1
    if several and answer is not None and answer.turn is not None:
        details = _in_turn(details, answer.turn)
    dimensions = [_named(part.turn, _dimension(part), several=several) for part in details.dimensions]
    dimensions += [_named(part.turn, _beside(part), several=several) for part in beside(details)]
    outcomes = [(one.turn, one.expected, one.found) for one in details.outcomes if one.expected]
    for turn, expected, found in outcomes:
        if found not in expected:
            pair = TermPair(Term(" or ".join(expected)), Term(found))
            part = _named(turn, TermPart(OUTCOME, (pair,)), several=several)
            # Where no answer was expected, what was selected is too much because there is one.
            dimensions.insert(len(dimensions) if "answer" in expected else 0, part)
    shown = tuple(one for one in dimensions if one.pairs)
    views: tuple[View, ...] = (Terms(shown),) if shown else ()
    if details.reasons:
        views = (*views, Listed("Reasons", tuple((reason, None) for reason in details.reasons)))
    return CaseForm(sentence=_sentence(details, shown), because=_because(shown), views=views)


def _in_turn(details: Details, turn: int) -> Details:
    """What was found in one turn; reasons are those of the whole case and left out."""
    return Details(
        dimensions=tuple(one for one in details.dimensions if one.turn == turn),
        datasets=tuple(one for one in details.datasets if one.turn == turn),
        period=tuple(one for one in details.period or () if one.turn == turn),
        out_of_scope=tuple(one for one in details.out_of_scope or () if one.turn == turn),
        outcome=tuple(one for one in details.outcomes if one.turn == turn),
    )


def _dimension(part: DimensionDetails) -> TermPart:
    found, missing, extra = (
        tuple(Term(one.id or one.name, one.name if one.id else "") for one in side)
        for side in (part.true_positives, part.false_negatives, part.false_positives)
    )
    if part.everything_selected:
        extra = (*extra, Term("everything selected"))
    if part.everything_expected:
        missing = (*missing, Term("everything")) if not part.everything_selected else missing
        found = (*found, Term("everything")) if part.everything_selected else found
        extra = tuple(one for one in extra if one.code != "everything selected")
    left = len(found) + len(missing) + len(extra) - MOST_PAIRS
    pairs = paired(found, missing, extra)[:MOST_PAIRS]
    note = _counts(len(found), len(missing), len(extra)) if part.in_target else "not asked for"
    if part.is_default:
        note += " · filled in by the assistant"
    return TermPart(part.dimension, pairs, f"{note} · {count_of(left, 'more term')}" if left > 0 else note)


def _counts(found: int, missing: int, extra: int) -> str:
    if not found + missing:
        return ""
    recall = f"recall {found} of {found + missing}"
    return f"{recall} · precision {found} of {found + extra}" if found + extra else recall


def _beside(part: Beside) -> TermPart:
    if isinstance(part, ScopeDetails):
        expected, found = Term(scope_words(part.expected)), Term(scope_words(part.found))
        return TermPart("scope", (TermPair(expected, found),))
    if isinstance(part, PeriodDetails):
        expected = Term(period_words(part.expected))
        given = Term(period_words(part.found)) if part.found is not None else None
        # Written otherwise, the same span: relative ends, or years beside days.
        return TermPart("period", (TermPair(expected, expected if part.right else given),))
    used = tuple(Term(name) for name in part.found if name not in part.unexpected)
    missing, extra = (tuple(map(Term, names)) for names in (missing_datasets(part), part.unexpected))
    return TermPart("dataset", paired(used, missing, extra))


def _named(turn: int, one: TermPart, *, several: bool) -> TermPart:
    return TermPart(f"turn {turn + 1}: {one.label}", one.pairs, one.note) if several else one


# -- in words ---------------------------------------------------------------------------------------------------------


def _sentence(details: Details, dimensions: tuple[TermPart, ...]) -> str:
    if details.dimensions and not any(
        part.true_positives or part.false_positives or part.everything_selected for part in details.dimensions
    ):
        return "nothing was selected"
    said = [_clause(one.label, pair) for one in dimensions for pair in one.pairs if not pair.found]
    if not said:
        count = len(dimensions)
        return f"all {count} parts as expected" if count > 1 else "as expected" if count else ""
    rest = len(said) - MOST_SAID
    return "; ".join(said[:MOST_SAID]) + (f"; and {rest} more" if rest > 0 else "")


def _clause(label: str, pair: TermPair) -> str:
    """By names where there are some, else by the codes of the dimension."""
    if label.endswith(OUTCOME) and pair.expected and pair.given:
        return f"{label.removesuffix(OUTCOME)}expected {pair.expected.code}, got {pair.given.code}"
    named = all(term is None or term.name for term in (pair.expected, pair.given))
    where = "" if named else f"{label} "
    if pair.expected is None:
        return f"{where}{_short(pair.given)} was not asked for"
    if pair.given is None:
        return f"{where}{_short(pair.expected)} is missing"
    if pair.expected.code == pair.given.code:
        said = _replaced(pair.expected, pair.given)
        return f"{said}: expected “{pair.expected.name}”" + (f", given “{pair.given.name}”" if pair.given.name else "")
    asked = "asked for" if named else "asked"
    return f"{where}{asked} {_short(pair.expected)}, got {_short(pair.given)}"


def _short(term: Term | None) -> str:
    return "" if term is None else term.name or term.code


def _because(dimensions: tuple[TermPart, ...]) -> str:
    wrong = [one for one in dimensions if not one.right]
    if not wrong:
        return ""
    said = [_difference_text(one) for one in wrong[:MOST_PARTS]]
    if len(wrong) > MOST_PARTS:
        said.append(count_of(len(wrong) - MOST_PARTS, "more part differs", "more parts differ"))
    right = [one.label for one in dimensions if one.right]
    if len(right) > LISTED:
        said.append(f"The other {len(right)} parts are right")
    elif right:
        listed = ", ".join(right[:-1]) + (f" and {right[-1]}" if len(right) > 1 else right[0])
        said.append(f"{listed} {'are' if len(right) > 1 else 'is'} right")
    return ". ".join(said) + "."


def _difference_text(one: TermPart) -> str:
    replaced = [pair for pair in one.pairs if pair.expected and pair.given and not pair.found]
    missing = [pair.expected.code for pair in one.pairs if pair.expected and not pair.given]
    extra = [pair.given.code for pair in one.pairs if pair.given and not pair.expected]
    found = sum(pair.found for pair in one.pairs)
    parts = [_replaced(pair.expected, pair.given) for pair in replaced if pair.expected and pair.given]
    parts += [f"{_codes(missing)} missing"] if missing else []
    parts += [f"{_codes(extra)} extra"] if extra else []
    wanted = sum(pair.expected is not None for pair in one.pairs)
    count = f" {found} of {wanted}" if wanted > 1 else ""
    shown = parts[:LISTED] + ([f"{len(parts) - LISTED} more"] if len(parts) > LISTED else [])
    return f"{one.label}{count}: {', '.join(shown)}"


def _replaced(asked: Term, given: Term) -> str:
    if asked.code != given.code:
        return f"asked {asked.code}, got {given.code}"
    return f"{given.code} {'under another' if given.name else 'without a'} name"


def _codes(codes: list[str]) -> str:
    rest = len(codes) - LISTED
    return ", ".join(codes[:LISTED]) + (f" and {rest} more" if rest > 0 else "")
