"""What the expectations of a case add to its explanation."""

from __future__ import annotations

import msgspec

from karat.core.expect.findings import Checked, Finding, State
from karat.core.explanation import Explanation, Outcome, Part
from karat.core.json_types import JsonMapping

DETAILS = "expect"
"""The key of the details under which the checks of a case are kept."""


def own_details(details: JsonMapping) -> bool:
    """Whether the suite itself has details of the case, beside what the runner adds."""
    return any(key not in (DETAILS, "cluster") for key in details) or (bool(details) and DETAILS not in details)


def checks_in(details: JsonMapping) -> list[Checked]:
    """The checks that were kept; none where there are none, or another version wrote them."""
    try:
        return msgspec.convert(details.get(DETAILS) or [], list[Checked])
    except msgspec.ValidationError:
        return []


def with_expectations(found: Explanation, details: JsonMapping) -> Explanation:
    """The explanation of a case with what its expectations say. A broken one makes the case wrong; one that only a
    person can decide makes a right answer wait for review."""
    checks = checks_in(details)
    if not checks:
        return found
    findings = [one for check in checks for one in check.findings]
    states: tuple[State, ...] = ("error", "review", "unknown")
    why = next((why for state in states for check in checks if (why := check.first(state))), "")
    outcome: Outcome = found.outcome
    if findings and outcome == "right":
        outcome = "wrong"
    elif outcome == "right" and any(check.first("review") for check in checks):
        outcome = "needs_review"
    elif outcome == "right" and why and not own_details(details):
        outcome = "not_applicable"
    told = "; ".join(one.text for one in findings) or ("" if outcome == "right" else why)
    codes = [code for check in checks for code in check.codes]
    return msgspec.structs.replace(
        found,
        outcome=outcome,
        reason=found.reason or (findings[0].reason if findings else "" if outcome == "right" else why),
        codes=tuple(dict.fromkeys((*found.codes, *codes))),
        headline="; ".join(text for text in (found.headline, told) if text),
        note="; ".join(text for text in (found.note, why if outcome == "right" else "") if text),
        parts=(*found.parts, *map(_part, findings)),
    )


def _part(finding: Finding) -> Part:
    return Part(finding.label, missing=finding.expected, extra=finding.given, note=finding.text)
