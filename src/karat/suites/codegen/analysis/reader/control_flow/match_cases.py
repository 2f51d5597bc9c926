"""``match``: a pattern that is known to fit picks its case, one that is known not to fit leaves it out."""

from __future__ import annotations

import ast

from karat.suites.codegen.analysis.reader.binding import bind
from karat.suites.codegen.analysis.reader.constants import truth_in
from karat.suites.codegen.analysis.reader.control_flow.branches import merged, under
from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import MISSING, Value, unknown


def match_(state: State, statement: ast.Match) -> bool:
    subject = state.evaluate(statement.subject)
    names = state.scope.names
    found: dict[str, Value] | None = None
    certain = False
    for case in statement.cases:
        state.scope.names = dict(names)
        fits = _fits(state, case.pattern, subject)
        if fits is True and case.guard is not None:
            fits = truth_in(state.evaluate(case.guard))
        if fits is False:
            continue
        certain = fits is True
        ended = state.run(case.body) if certain and found is None else under(state, [subject], case.body)
        if not ended:
            found = state.scope.names if found is None else merged(state, found, state.scope.names)
        if certain:
            break
    if not certain:
        found = dict(names) if found is None else merged(state, found, names)
    state.scope.names = names if found is None else found
    return found is None


def _fits(state: State, pattern: ast.pattern, subject: Value) -> bool | None:
    """Whether the pattern fits, None when that is not known; what it names is bound."""
    match pattern:
        case ast.MatchAs(None, name) | ast.MatchStar(name):
            _named(state, name, subject)
            return True
        case ast.MatchAs(inner, name) if inner is not None:
            _named(state, name, subject)
            return _fits(state, inner, subject)
        case ast.MatchOr(patterns):
            results = [_fits(state, one, subject) for one in patterns]
            return True if True in results else None if None in results else False
        case ast.MatchValue(value):
            known = state.evaluate(value).const
            return None if MISSING in (known, subject.const) else bool(known == subject.const)
        case ast.MatchSingleton(value):
            return None if subject.const is MISSING else subject.const is value
        case ast.MatchSequence(patterns):
            return _sequence(state, patterns, subject)
        case ast.MatchMapping(keys, patterns):
            return _mapping(state, keys, patterns, subject)
        case _:
            for name in (node.name for node in ast.walk(pattern) if isinstance(node, ast.MatchAs)):
                _named(state, name, unknown(state.reach(subject), state.line))
            return None


def _named(state: State, name: str | None, value: Value) -> None:
    if name is not None:
        bind(state, ast.Name(name, ast.Store()), value, told=False)


def _sequence(state: State, patterns: list[ast.pattern], subject: Value) -> bool | None:
    items = subject.shared.items if subject.kind == "list" and subject.shared is not None else None
    star = next((at for at, one in enumerate(patterns) if isinstance(one, ast.MatchStar)), None)
    if items is None:
        results = [_fits(state, one, unknown(state.reach(subject), state.line)) for one in patterns]
        return False if subject.const is not MISSING and results else None
    if (star is None and len(items) != len(patterns)) or len(items) < len(patterns) - 1:
        return False
    if star is not None:
        rest = len(items) - (len(patterns) - 1)
        items = [*items[:star], state.list_of(items[star : star + rest]), *items[star + rest :]]
    return _all([_fits(state, one, item) for one, item in zip(patterns, items, strict=True)])


def _mapping(state: State, keys: list[ast.expr], patterns: list[ast.pattern], subject: Value) -> bool | None:
    pairs = subject.shared.pairs if subject.kind == "dict" and subject.shared is not None else None
    known = [state.evaluate(key).const for key in keys]
    results: list[bool | None] = []
    for key, one in zip(known, patterns, strict=True):
        held = (pairs or {}).get(key) if isinstance(key, str | int | float) else None
        fits = _fits(state, one, held if held is not None else unknown(state.reach(subject), state.line))
        results.append(fits if held is not None else None if pairs is None else False)
    return _all(results)


def _all(results: list[bool | None]) -> bool | None:
    return False if False in results else None if None in results else True
