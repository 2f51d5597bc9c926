"""What the terminal says of a submission beyond its figures: the verdicts that flip, and why the rest failed."""

from __future__ import annotations

from collections import Counter

from karat.core.problems import count_of
from karat.core.report import visible
from karat.core.results.result import RunResult
from karat.suites.answers.comparison import UNREADABLE_GOLD
from karat.suites.answers.details import Details, judged
from karat.suites.answers.evidence import evidence_in_short
from karat.suites.answers.report import PROFILES
from karat.suites.answers.text_to_sql.highlights import sql_lines


def highlights(result: RunResult) -> list[str]:
    """The flips between the profiles, then the commonest reasons with an example each."""
    if found := sql_lines(result):
        return found
    unusable = [case for case in result.cases if case.status == "not_applicable"]
    if unusable and not judged(result):
        count = count_of(len(unusable), "case")
        return [f"gold fails in {count}, nothing is judged ({unusable[0].id}: {visible(unusable[0].error)})"[:300]]
    return [*_flips(result), *_failures(result), *_doubtful_gold(result)]


def _flips(result: RunResult) -> list[str]:
    found = [details for _, details in judged(result)]
    flipped = [details for details in found if details.flips]
    if not flipped:
        return ["no verdict flips between the profiles"] if found else []
    flip = "flips" if len(flipped) == 1 else "flip"
    lines = [f"{count_of(len(flipped), 'verdict')} {flip} between the profiles"]
    for passing, failing in (PROFILES, PROFILES[::-1]):
        some = [details for details in flipped if details.state(passing) == "right"]
        if some:
            reasons = Counter(_flip_reason(details) for details in some).most_common()
            lines.append(
                f"  {len(some):>3} {passing} passes, {failing} fails    "
                + " · ".join(f"{n} {reason}" for reason, n in reasons)
            )
    return lines


def _flip_reason(details: Details) -> str:
    return details.strict.normalised[0] if details.strict.normalised else details.reason


def _failures(result: RunResult) -> list[str]:
    """Why the answers that both profiles refuse are wrong, the commonest first, with a few examples."""
    failed = [(c, details) for c, details in judged(result) if c.status == "scored" and details.strict.state == "wrong"]
    if not failed:
        return []
    reasons = Counter(details.reason for _, details in failed)
    lines = ["why the rest failed    " + " · ".join(f"{reason} {count}" for reason, count in reasons.most_common())]
    for reason, _ in reasons.most_common(5):
        case, details = next(item for item in failed if item[1].reason == reason)
        line = f"  {case.id:<16} {reason:<18} {visible(evidence_in_short(details.evidence))}"
        lines.append(line[:200].replace("\n", " "))
    return lines


def _doubtful_gold(result: RunResult) -> list[str]:
    """Gold that cannot be used or looks wrong, and gold that is true for another date than the data."""
    lines = []
    unusable = [(case, case.error) for case in result.cases if case.error.startswith(UNREADABLE_GOLD)]
    unusable += [
        (case, evidence_in_short(details.evidence))
        for case, details in judged(result)
        if details.strict.state == "gold_error"
    ]
    if unusable:
        first, why = unusable[0]
        shown = visible(why.removeprefix(f"{UNREADABLE_GOLD}: "))
        lines.append(f"gold cannot be used in {count_of(len(unusable), 'case')} ({first.id}: {shown})"[:300])
        lines.append("  → karat check lists them")
    suspect = [(case, details) for case, details in judged(result) if details.gold_status]
    if suspect:
        first, details = suspect[0]
        count = count_of(len(suspect), "instance")
        lines.append(f"gold looks wrong in {count} ({first.id}: {details.gold_problem or ''})")
    dated = [(case, details.as_of) for case, details in judged(result) if details.as_of is not None]
    if dated:
        first, when = dated[0]
        count = count_of(len(dated), "instance")
        lines.append(f"gold is valid for another date in {count} ({first.id}: {when.gold}, the data {when.data})")
    return lines
