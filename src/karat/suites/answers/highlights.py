"""What the terminal says of a submission beyond its figures: the verdicts that flip, and why the rest failed."""

from __future__ import annotations

from collections import Counter

from karat.core.problems import count_of
from karat.core.report import visible
from karat.core.result import CaseResult, RunResult
from karat.suites.answers.evidence import evidence_in_short
from karat.suites.answers.report import PROFILES


def highlights(result: RunResult) -> list[str]:
    """The flips between the profiles, then the commonest reasons with an example each."""
    return [*_flips(result), *_failures(result), *_doubtful_gold(result)]


def _flips(result: RunResult) -> list[str]:
    flipped = [case for case in result.cases if case.details.get("flips")]
    if not flipped:
        return ["no verdict flips between the profiles"]
    lines = [f"{len(flipped)} verdicts flip between the profiles"]
    for passing, failing in (PROFILES, PROFILES[::-1]):
        some = [case for case in flipped if case.details[passing]["state"] == "right"]
        if some:
            reasons = Counter(_flip_reason(case) for case in some).most_common()
            lines.append(
                f"  {len(some):>3} {passing} passes, {failing} fails    "
                + " · ".join(f"{n} {reason}" for reason, n in reasons)
            )
    return lines


def _flip_reason(case: CaseResult) -> str:
    normalised = case.details["strict"]["normalised"]
    return normalised[0] if normalised else str(case.details["reason"])


def _failures(result: RunResult) -> list[str]:
    """Why the answers that both profiles refuse are wrong, the commonest first, with a few examples."""
    failed = [c for c in result.cases if c.status == "scored" and c.details.get("strict", {}).get("state") == "wrong"]
    if not failed:
        return []
    reasons = Counter(str(case.details["reason"]) for case in failed)
    lines = ["why the rest failed    " + " · ".join(f"{reason} {count}" for reason, count in reasons.most_common())]
    for reason, _ in reasons.most_common(5):
        case = next(case for case in failed if case.details["reason"] == reason)
        lines.append(
            f"  {case.id:<16} {reason:<18} {visible(evidence_in_short(case.details['evidence']))}"[:200].replace(
                "\n", " "
            )
        )
    return lines


def _doubtful_gold(result: RunResult) -> list[str]:
    """Gold that looks wrong, and gold that is true for another date than the data."""
    lines = []
    suspect = [c for c in result.cases if c.details.get("gold_status", "good") != "good"]
    if suspect:
        first = suspect[0]
        count = count_of(len(suspect), "instance")
        lines.append(f"gold looks wrong in {count} ({first.id}: {first.details.get('gold_problem', '')})")
    dated = [case for case in result.cases if "as_of" in case.details]
    if dated:
        when = dated[0].details["as_of"]
        count = count_of(len(dated), "instance")
        lines.append(
            f"gold is valid for another date in {count} ({dated[0].id}: {when['gold']}, the data {when['data']})"
        )
    return lines
