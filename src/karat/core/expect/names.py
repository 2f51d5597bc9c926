"""Names that an answer used (tables, datasets, metrics) and what it cites, against what a case expects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from karat.core.expect.findings import NO_ARGUMENTS, NO_TRACE, UNREAD, Finding, PartResult, result_of
from karat.core.expect.patterns import fits
from karat.core.expect.records import ExpectedNames, ExpectedSources
from karat.core.expect.sql_tables import Fit, NotSql, looks_like_sql, named_table, table_fit, tables_of
from karat.core.json_types import Json
from karat.core.trace.records import Call, Source, Trace, address
from karat.core.trace.values import opened

WORDS = ("query",)
"""Arguments that hold SQL or words."""
SENTENCES = ("question", "prompt", "message", "instruction", "instructions", "task", "thought", "reason", "description")
"""Arguments that hold words, also where these begin like SQL."""


def check_tables(expected: ExpectedNames, trace: Trace, sql: Sequence[str], dialect: str) -> PartResult:
    """``sql``: the statements of the answer itself. Those of calls are in their arguments."""
    texts = [*sql, *(text for call in trace.calls or () for text in _sql_of(call, expected.sql_arguments))]
    if trace.calls is None and trace.tables is None and not texts:
        why = UNREAD if trace.unread else NO_TRACE
        return PartResult("unknown", (Finding("no_trace", why),), why)
    found = [named_table(name, dialect) for name in trace.tables or ()]
    silent = trace.tables is None and any(call.arguments is None for call in trace.calls or ())
    why = UNREAD if trace.unread else NO_ARGUMENTS if silent else ""
    if not why and trace.tables is None and (hidden := _other_sql(trace, expected.sql_arguments, dialect)):
        why = f'the argument "{hidden}" holds SQL: sql_arguments: [{hidden}] reads it'
    for text in texts:
        try:
            found += tables_of(text, dialect)
        except NotSql as error:
            why = str(error)
    tables = {table.name: table for table in found}

    def fit(pattern: str, name: str) -> Fit:
        return table_fit(pattern, tables[name], dialect)

    return _check(expected, list(tables), fit, "tables", why)


def check_names(expected: ExpectedNames, names: Sequence[str] | None, label: str) -> PartResult:
    """Datasets and metrics. None: the answer does not say which it used."""
    if names is None:
        why = f"the answer does not say which {label} it used"
        return PartResult("unknown", (Finding("no_trace", why),), why)
    return _check(expected, list(dict.fromkeys(names)), lambda one, name: "yes" if fits(one, name) else "no", label, "")


def _check(
    expected: ExpectedNames, names: Sequence[str], fit: Callable[[str, str], Fit], label: str, unread: str
) -> PartResult:
    """``unread``: why there may be further names. What is certain is said all the same."""
    findings: list[Finding] = []
    unclear = unread
    shown = ", ".join(names) or "none"
    for pattern in expected.used:
        found = {fit(pattern, name) for name in names}
        if "yes" in found:
            continue
        if "unclear" in found:
            unclear = unclear or _no_schema(pattern, names, fit)
        elif not unread:
            findings.append(Finding("table_missing", f"{pattern} was not used; {label}: {shown}", label, (pattern,)))
    for name in names:
        forbidden = [(pattern, fit(pattern, name)) for pattern in expected.never]
        allowed = None if expected.only is None else {fit(pattern, name) for pattern in expected.only}
        if any(found == "yes" for _, found in forbidden):
            findings.append(Finding("table_forbidden", f"{name} must never be used", label, (), (name,)))
        elif allowed is not None and not allowed & {"yes", "unclear"}:
            text = f"{name} is not one of the {label} that may be used: {', '.join(expected.only or ()) or 'none'}"
            findings.append(Finding("table_forbidden", text, label, (), (name,)))
        elif any(found == "unclear" for _, found in forbidden) or (allowed is not None and "yes" not in allowed):
            unclear = unclear or _no_schema(name, (), fit)
    return result_of(findings, unclear)


def _no_schema(pattern: str, names: Sequence[str], fit: Callable[[str, str], Fit]) -> str:
    name = next((one for one in names if fit(pattern, one) == "unclear"), pattern)
    return f"the SQL names {name} without its schema"


def _sql_of(call: Call, names: Sequence[str]) -> list[str]:
    """The SQL among the arguments of a call, at any depth. A ``query``, or arguments that are a bare text, need not be
    SQL: one that does not begin like it is a search for words."""
    found: list[str] = [call.arguments] if isinstance(call.arguments, str) and looks_like_sql(call.arguments) else []
    return found + [
        text
        for name, text in _texts(call)
        if name in names and text.strip() and (name not in WORDS or looks_like_sql(text))
    ]


def _other_sql(trace: Trace, names: Sequence[str], dialect: str) -> str:
    """The name of an argument that nobody said to be SQL, and that names tables as SQL does; empty where there is
    none."""
    for call in trace.calls or ():
        for name, text in _texts(call):
            if name not in (*names, *SENTENCES) and looks_like_sql(text):
                try:
                    if tables_of(text, dialect):
                        return name
                except NotSql:
                    continue
    return ""


def _texts(call: Call) -> Iterator[tuple[str, str]]:
    """(name, text) of the arguments of a call, at any depth, also in a text that is JSON."""
    waiting: list[Json] = [call.arguments]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            for name, value in one.items():
                texts = [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
                yield from ((name, text) for text in texts)
                waiting += [opened(text) for text in texts if text.lstrip()[:1] in ("{", "[")]
                waiting.append(value)
        elif isinstance(one, list):
            waiting += reversed(one)


def check_sources(expected: ExpectedSources, sources: Sequence[Source]) -> PartResult:
    """Addresses are compared without fragment and trailing slash."""
    patterns = [address(one) for one in expected.cited]
    names = [[address(name) for name in (source.name, *source.others)] for source in sources]
    shown = ", ".join(source.name for source in sources[:10]) or "none"
    findings = [
        Finding("source_missing", f"{given} is not cited; cited: {shown}", "sources", (given,))
        for given, pattern in zip(expected.cited, patterns, strict=True)
        if not any(fits(pattern, name) for known in names for name in known)
    ]
    counted = sum(not patterns or any(fits(one, name) for one in patterns for name in known) for known in names)
    if expected.at_least is not None and counted < expected.at_least and not findings:
        wanted = f"at least {expected.at_least}"
        text = f"{counted} sources are cited, expected {wanted}; cited: {shown}"
        findings.append(Finding("source_missing", text, "sources", (wanted,), (f"{counted}",)))
    return result_of(findings)
