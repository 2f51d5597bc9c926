"""What the terminal says of answers to gold SQL: where figures disagree, which parts fail, what is wrong with gold."""

from __future__ import annotations

from collections import Counter

from karat.core.problems import count_of
from karat.core.report import visible
from karat.core.results.result import RunResult
from karat.suites.answers.text_to_sql.breakdown import passes_by_difficulty
from karat.suites.answers.text_to_sql.cost_report import SLOWER, Judged, slower
from karat.suites.answers.text_to_sql.report import disagreements, failing_parts, queried

MOST = 8


def sql_lines(result: RunResult) -> list[str]:
    """Empty where no gold is SQL."""
    cases = queried(result)
    if not cases:
        return []
    said = {problem.message for problem in result.problems}
    more = [line for line in (searched_only_in_sqlite(result),) if line and line not in said]
    return [
        *more,
        *_levels(cases),
        *_lucky(cases),
        *_disagreeing(cases),
        *_wrong(cases),
        *_gold(cases, result),
        *_slow(cases),
    ]


def searched_only_in_sqlite(result: RunResult) -> str:
    """That no counter-examples were looked for, where they were asked for and a database is not SQLite."""
    if not result.run.options.get("counterexamples"):
        return ""
    others = [sql.dialect for _, _, sql in queried(result) if sql.dialect != "sqlite"]
    if not others:
        return ""
    count, kinds = count_of(len(others), "question"), ", ".join(sorted(set(others)))
    return f"no counterexamples were looked for in {count} on {kinds}: they are made for SQLite only"


def _disagreeing(cases: list[Judged]) -> list[str]:
    found = disagreements(cases)
    if not found:
        return ["the public figures and strict agree on every question"]
    lines = [f"{count_of(sum(details.flips for _, details, _ in cases), 'question')} on which figures disagree"]
    figures = dict.fromkeys((name, says) for (name, says, _), _ in found.most_common())
    for name, says in figures:
        reasons = Counter({why: count for (n, s, why), count in found.items() if (n, s) == (name, says)})
        other = "passes" if says == "refuses" else "fails"
        shown = " · ".join(f"{count} {why}" for why, count in reasons.most_common(4))
        lines.append(f"  {reasons.total():>4} {name} {says}, strict {other}    {shown}")
    return lines


def _levels(cases: list[Judged]) -> list[str]:
    """Passes by difficulty, where there are several."""
    found = [(level, right, of) for level, right, of in passes_by_difficulty(cases) if of]
    if len(found) < 2:
        return []
    return [
        "strict by difficulty    " + " · ".join(f"{level} {right:,} of {of:,}" for level, right, of in found[:MOST])
    ]


def _lucky(cases: list[Judged]) -> list[str]:
    """Passes that made rows refute."""
    passed = [sql for _, details, sql in cases if details.strict.state == "right"]
    refuted = [sql.counterexample for sql in passed if sql.counterexample is not None]
    if not refuted:
        return []
    hard = sum(one.made_cause not in ("ties", "name_not_key") for one in refuted)
    return [f"{len(passed):,} pass, {len(refuted):,} of them refuted by made rows ({hard:,} not by ties or names)"]


def _wrong(cases: list[Judged]) -> list[str]:
    wrong = [(case, details, sql) for case, details, sql in cases if details.strict.state == "wrong"]
    if not wrong:
        return []
    reasons = Counter(details.reason for _, details, _ in wrong)
    lines = ["why the rest failed    " + " · ".join(f"{reason} {count}" for reason, count in reasons.most_common())]
    if parts := failing_parts(wrong):
        lines.append("parts that differ    " + " · ".join(f"{part} {n}" for (part, _), n in parts.most_common(MOST)))
    for case, _, sql in [one for one in wrong if one[2].sentence][:5]:
        lines.append(f"  {case.id:<10} {visible(sql.sentence)}"[:200].replace("\n", " "))
    return lines


def _gold(cases: list[Judged], result: RunResult) -> list[str]:
    lines = []
    states = Counter(sql.gold_status for _, _, sql in cases)
    failed = [case for case in result.cases if case.status == "not_applicable"]
    if failed:
        why = visible(failed[0].error.split("\n", 1)[0][:160])
        others = f"; also {', '.join(case.id for case in failed[1:MOST])}" if len(failed) > 1 else ""
        rest = f" and {len(failed) - MOST:,} more" if len(failed) > MOST else ""
        lines.append(
            f"gold fails in {count_of(len(failed), 'question')}, left out ({failed[0].id}: {why}{others}{rest})"
        )
    if states["unstable"]:
        ids = [case.id for case, _, sql in cases if sql.gold_status == "unstable"]
        lines.append(f"gold moves in {count_of(len(ids), 'question')}, left out of strict: {', '.join(ids[:8])}")
    if states["empty"]:
        lines.append(f"gold proves little in {count_of(states['empty'], 'question')}: no rows, only nulls, or a lone 0")
    if states["suspect"]:
        lines.append(
            f"gold is suspect in {count_of(states['suspect'], 'question')}: an order is asked for, gold has none"
        )
    return lines


def _slow(cases: list[Judged]) -> list[str]:
    slow = [f"{case.id} {ratio:.0f}×" for case, _, sql in cases if (ratio := slower(sql.cost)) is not None]
    return [f"slower than {SLOWER:.0f} × gold: {', '.join(slow[:MOST])}"] if slow else []
