"""People's verdicts in a report: the rates by rule and with reviews, and each verdict with who, why and when."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.report import Cell, Column, Sheet, Table, estimate_cells, estimate_columns, visible
from karat.core.results.result import Estimate, RunResult, interval_text
from karat.stats.compare.pairing import value_of
from karat.stats.pass_rates import pass_rates
from karat.stats.reviewed import disputed_cases, reviewed_rates, verdict_counts

VERDICTS = {"pass": "right", "fail": "wrong", "gold_wrong": "gold is wrong", "accept": "accept this too"}
MOST_LINES = 4
MEANING = (
    "A verdict replaces the rule's: right and accept this too count 1, wrong counts 0; "
    "a case whose gold is wrong is left out of the rate. All other cases count by rule."
)


def reviewed_table(result: RunResult, metrics: Sequence[Metric]) -> Table | None:
    """The pass rates by rule and with reviews, side by side; None without reviews."""
    rates = reviewed_rates(result, metrics)
    if not rates:
        return None
    columns = [Column("metric", width=36), *estimate_columns("by rule"), *estimate_columns("with reviews")]
    rows = tuple((rate.title, *estimate_cells((rate.rule, rate.reviewed))) for rate in rates)
    return Table(tuple(columns), rows, "By rule, and with reviews", f"{reviewed_words(result)}. {MEANING}")


def reviews_sheet(result: RunResult, metrics: Sequence[Metric]) -> Sheet | None:
    """One row per verdict, oldest first, with what the rule says; None without reviews."""
    if not result.reviews:
        return None
    rule = next(iter(pass_rates(metrics)), None)
    cases = {case.id: case for case in result.cases}
    rows: list[tuple[Cell, ...]] = []
    for review in result.reviews:
        case = cases.get(review.case)
        by_rule: tuple[Cell, ...] = () if rule is None else (value_of(case, rule.name) if case else None,)
        final = " (adjudicated)" if review.adjudication else ""
        given = (
            verdict_words(review.verdict) + final,
            visible(review.reviewer),
            visible(review.comment),
            when(review.created),
        )
        question = visible(case.question) if case else ""
        rows.append((review.case, question, *given, *by_rule, case.status if case else "not in this scoring"))
    columns = (
        Column("case", "wrapped", 38),
        Column("question", "wrapped", 50),
        Column("verdict", width=16),
        Column("who", "wrapped", 18),
        Column("comment", "wrapped", 60),
        Column("when (UTC)", width=17),
        *(() if rule is None else (Column(f"{rule.title}, by rule", "score", 14),)),
        Column("status", "status", 14),
    )
    return Sheet("Reviews", (Table(columns, tuple(rows)),), freeze_columns=1)


def reviewed_lines(result: RunResult, metrics: Sequence[Metric]) -> list[list[str]]:
    """For the terminal: a line for each pass rate, in parts. ``passed 0.534 (0.41–0.65) over 58``, ``by rule 0.517``,
    ``3 reviewed``."""
    lines = []
    for rate in reviewed_rates(result, metrics)[:MOST_LINES]:
        shown = f"{rate.title} {estimate_words(rate.reviewed, 3)} over {rate.reviewed.n:,}"
        lines.append([shown, f"by rule {_figure(rate.rule.mean, 3)}"])
    if lines:
        waiting = len(disputed_cases(result))
        lines[0].append(f"{sum(verdict_counts(result).values()) + waiting:,} reviewed")
        if waiting:
            lines[0].append(f"{waiting:,} disputed")
    return lines


def reviewed_words(result: RunResult) -> str:
    """``3 cases reviewed: 2 right, 1 gold is wrong``."""
    counts = verdict_counts(result)
    each = [f"{counts[word]:,} {title}" for word, title in VERDICTS.items() if word in counts]
    waiting = len(disputed_cases(result))
    each += [f"{waiting:,} disputed, which count by rule until somebody adjudicates"] if waiting else []
    return f"{count_of(sum(counts.values()) + waiting, 'case')} reviewed: {', '.join(each)}"


def estimate_words(found: Estimate, decimals: int = 2) -> str:
    """``0.534 (0.41–0.65)``: a mean with its interval, where there is one."""
    interval = (
        ""
        if found.low is None or found.high is None
        else f" ({interval_text(found.low, found.high, '{:.2f}'.format, '–')})"
    )
    return f"{_figure(found.mean, decimals)}{interval}"


def verdict_words(verdict: str) -> str:
    """A verdict as people read it."""
    return VERDICTS.get(verdict, verdict)


def when(time: str) -> str:
    """A UTC time to the minute."""
    return time[:16].replace("T", " ")


def _figure(value: float | None, decimals: int) -> str:
    return "n/a" if value is None else f"{value:.{decimals}f}"
