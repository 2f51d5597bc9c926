"""The expectations of a turn against one answer and its trace."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

import msgspec

from karat.core.expect.calls import Calls
from karat.core.expect.facts import NOTHING, AnswerFacts
from karat.core.expect.findings import NO_ARGUMENTS, NO_TRACE, UNREAD, Checked, Finding, PartResult, Reason, result_of
from karat.core.expect.names import check_names, check_sources, check_tables
from karat.core.expect.patterns import PatternTooSlow
from karat.core.expect.records import Expect, ExpectedLimits, ExpectedSources, Kind
from karat.core.expect.sql_tables import NotSql
from karat.core.installed.extras import why_missing
from karat.core.records import Prediction
from karat.core.trace.reading import read_trace
from karat.core.trace.records import Call, Trace


def check(expect: Expect, prediction: Prediction, facts: AnswerFacts = NOTHING, turn: int = 0) -> Checked:
    """Every part that the case has. One that fails itself is an error of that part alone."""
    trace = read_trace(prediction.response, prediction.trace)
    parts: dict[str, Callable[[], PartResult]] = {}
    tools, tables, sources, limits, kind = expect.tools, expect.tables, expect.sources, expect.limits, expect.answer
    if tools is not None and (tools.called or tools.order or tools.only is not None):
        parts["tools"] = lambda: _calls(trace, lambda calls: calls.wrong(tools), facts.dialect)
    if tools is not None and tools.never:
        parts["forbidden"] = lambda: _calls(_cautious(trace), lambda calls: calls.forbidden(tools.never), facts.dialect)
    named = [
        *([lambda: check_tables(tables, _cautious(trace), facts.sql, facts.dialect)] if tables is not None else []),
        *_named(expect, trace, facts),
    ]
    if named:
        parts["tables"] = lambda: _joined([one() for one in named])
    if sources is not None:
        parts["sources"] = lambda: _sources(sources, trace)
    if limits is not None:
        parts["limits"] = lambda: _limits(limits, prediction, trace)
    if kind is not None:
        parts["answer"] = lambda: _kind(kind, facts.kind or trace.kind)
    calls = None if trace.calls is None else len(trace.calls)
    return Checked({name: _guarded(part) for name, part in parts.items()}, calls, turn)


def parts_of(expect: Expect) -> list[str]:
    """The parts that a case expects something of, as :func:`check` names them."""
    tools = expect.tools
    wanted = {
        "tools": tools is not None and bool(tools.called or tools.order or tools.only is not None),
        "forbidden": tools is not None and bool(tools.never),
        "tables": any(one is not None for one in (expect.tables, expect.datasets, expect.metrics)),
        "sources": expect.sources is not None,
        "limits": expect.limits is not None,
        "answer": expect.answer is not None,
    }
    return [name for name, asked in wanted.items() if asked]


def _guarded(part: Callable[[], PartResult]) -> PartResult:
    try:
        return part()
    except (PatternTooSlow, NotSql) as error:
        return PartResult("error" if isinstance(error, PatternTooSlow) else "unknown", why=str(error))
    except ModuleNotFoundError as error:
        return PartResult("error", why=why_missing(error) or f"{type(error).__name__}: {error}")


def _calls(trace: Trace, wrong: Callable[[Calls], list[Finding]], dialect: str) -> PartResult:
    """What is wrong for certain. Where a trace does not say the arguments of a call, that is what is wrong whatever
    they are; what depends on them is unknown."""
    if trace.calls is None:
        return _unknown(trace)
    found = wrong(Calls(trace.calls, dialect))
    if all(call.arguments is not None for call in trace.calls):
        return result_of(found)
    other = wrong(Calls(trace.calls, dialect, unknown_fit=True))
    return result_of([one for one in found if one in other], "" if found == other else NO_ARGUMENTS)


def _cautious(trace: Trace) -> Trace:
    """The trace in which arguments that begin like an object and are none, such as JSON that was cut off, are unknown:
    nobody can say what is not in them."""
    if trace.calls is None or not any(map(_broken, trace.calls)):
        return trace
    calls = tuple(msgspec.structs.replace(one, arguments=None) if _broken(one) else one for one in trace.calls)
    return msgspec.structs.replace(trace, calls=calls)


def _broken(call: Call) -> bool:
    return isinstance(call.arguments, str) and call.arguments.lstrip().startswith("{")


def _unknown(trace: Trace) -> PartResult:
    why = UNREAD if trace.unread else NO_TRACE
    return PartResult("unknown", (Finding("no_trace", why),), why)


def _sources(expected: ExpectedSources, trace: Trace) -> PartResult:
    found = check_sources(expected, trace.sources)
    return PartResult("unknown", why=UNREAD) if found.state == "broken" and trace.unread else found


def _named(expect: Expect, trace: Trace, facts: AnswerFacts) -> list[Callable[[], PartResult]]:
    found: list[Callable[[], PartResult]] = []
    if (datasets := expect.datasets) is not None:
        known = facts.datasets if trace.datasets is None else (*trace.datasets, *(facts.datasets or ()))
        found.append(lambda: check_names(datasets, known, "datasets"))
    if (metrics := expect.metrics) is not None:
        used = facts.metrics if trace.metrics is None else (*trace.metrics, *(facts.metrics or ()))
        found.append(lambda: check_names(metrics, used, "metrics"))
    return found


def _joined(results: list[PartResult]) -> PartResult:
    for state in ("error", "broken", "unknown"):
        worst = [one for one in results if one.state == state]
        if worst and state == "broken":
            return PartResult("broken", tuple(finding for one in worst for finding in one.findings))
        if worst:
            return worst[0]
    return PartResult("held")


def _limits(limits: ExpectedLimits, prediction: Prediction, trace: Trace) -> PartResult:
    tokens = trace.tokens if prediction.tokens is None else prediction.tokens
    calls = None if trace.calls is None else len(trace.calls)
    found: list[Finding] = []
    unknown = ""
    checks: tuple[tuple[str, Reason, float | None, float | None], ...] = (
        ("seconds", "over_seconds", limits.seconds, prediction.latency),
        ("tokens", "over_tokens", limits.tokens, tokens),
        ("cost", "over_cost", limits.cost, prediction.cost),
        ("calls", "too_many_calls", limits.calls, calls),
    )
    for name, reason, limit, value in checks:
        if limit is None:
            continue
        if value is None or isnan(value):
            unknown = unknown or (_unknown(trace).why if name == "calls" else f"{name} not known")
        elif value > limit:
            text = f"{value:g} {name}, at most {limit:g} expected"
            found.append(Finding(reason, text, name, (f"≤ {limit:g}",), (f"{value:g}",)))
    if unknown in (NO_TRACE, UNREAD) and not found:
        return _unknown(trace)
    return result_of(found, unknown)


_WRONG: dict[Kind, Reason] = {
    "data": "refused_not_answered",
    "refusal": "answered_not_refused",
    "clarification": "not_clarified",
}


def _kind(expected: Kind, found: str) -> PartResult:
    """By fields alone. ``not_refusal`` says only that the answer is not a refusal."""
    if found == expected:
        return PartResult("held")
    if not found or (found == "not_refusal" and expected != "refusal"):
        why = f"needs review: no field of the answer says whether it is {_ARTICLES[expected]}"
        return PartResult("review", why=why)
    given = "no refusal" if found == "not_refusal" else found
    text = f"expected {_ARTICLES[expected]}, found {_ARTICLES.get(given, given)}"
    return PartResult("broken", (Finding(_WRONG[expected], text, "answer", (expected,), (given,)),))


_ARTICLES = {"data": "data", "refusal": "a refusal", "clarification": "a clarification"}
