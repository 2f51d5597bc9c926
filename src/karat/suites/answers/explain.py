"""Why an answer is right or not: the reason from the suite's closed list, and the first evidence for it."""

from __future__ import annotations

from typing import Any  # Any: a member of stored evidence that may be a list

import msgspec

from karat.core.explanation import Explanation, Group, Part
from karat.core.json_types import JsonObject
from karat.suites.answers.details import Details
from karat.suites.answers.evidence import evidence_in_short
from karat.suites.answers.failures import failures_of_answer
from karat.suites.answers.records import Gold
from karat.suites.answers.text_to_sql.explain import groups_of, lines_of, parts_of
from karat.tables.explain.cells import cells_of

LONGEST = 300


def explain(details: Details, _gold: Gold | None) -> Explanation:
    """The strict profile says whether it is right; where only spider2 objects, its reason is given as its own."""
    state = details.strict.state
    # What is found in an answer that needs review may be the right text: it is not a part too much.
    label = "answer, by spider2" if state == "right" else "answer"
    texts = () if state == "needs_review" else _texts(details.evidence, label)
    return Explanation(
        outcome="not_applicable" if state == "gold_error" or state == "not_judged" else state,
        reason=details.reason,
        headline=_headline(details),
        note=_note(details) if state == "right" else "",
        parts=parts_of(details.sql) if details.sql is not None else texts,
        cells=cells_of(details.evidence),
        lines=lines_of(details.sql) if details.sql is not None else (),
        groups=groups_of(details.sql) if details.sql is not None else _functions(details),
        failures=tuple(failures_of_answer(details, () if details.sql is not None else texts)),
        extra=details,
    )


def _functions(details: Details) -> tuple[Group, ...]:
    return tuple(Group("function", name) for name in details.functions)


def _headline(details: Details) -> str:
    """The reason, and what it is seen by: the database's own words first, where it refused the query."""
    if not details.reason:
        return _only_refused(details)
    short = (details.sql.sentence if details.sql is not None else "") or evidence_in_short(details.evidence)
    problem = details.evidence.get("problem")
    if details.sql is not None and details.reason in ("sql_error", "timeout") and isinstance(problem, str):
        said = problem.removeprefix(f"{details.reason}: ")
        short = f"{said}; {details.sql.sentence}" if details.sql.sentence else said
    text = f"{details.reason}: {short}" if short else details.reason
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _only_refused(details: Details) -> str:
    """Which public figures refuse an answer that strict passes."""
    refusing = details.sql.against(True) if details.sql is not None and details.strict.state == "right" else ()
    if not refusing:
        return ""
    notes = f" ({', '.join(details.strict.normalised)})" if details.strict.normalised else ""
    return f"right by strict{notes}, not by {', '.join(refusing)}"


def _note(details: Details) -> str:
    """What was allowed so that the answer is right, and why the other profile rejects it all the same."""
    notes = list(details.strict.normalised)
    if details.sql is None and details.spider2.state == "wrong":
        notes.append(f"wrong by spider2: {details.spider2.reason}" if details.spider2.reason else "wrong by spider2")
    return ", ".join(notes)


def _texts(evidence: JsonObject, label: str) -> tuple[Part, ...]:
    """Texts and numbers that an answer lacks, and those that it has in their place."""
    missing, found = (_listed(evidence.get(key)) for key in ("missing", "found"))
    if missing:  # what was found instead may hold right ones too
        return (Part(label, missing=missing, note=f"found {', '.join(found)}" if found else ""),)
    return (Part(label, extra=found),) if found else ()


def _listed(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(item if isinstance(item, str) else msgspec.json.encode(item).decode() for item in items)
