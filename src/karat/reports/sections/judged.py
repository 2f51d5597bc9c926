"""A judge in a report: the corrected rate beside the one by rule, the judge's figures, and where people differ.

The rate by rule comes first, always. A judge that does not count is shown with the reason, and never a mean alone.
"""

from __future__ import annotations

from karat.core.report import Cell, Column, Sheet, Table, visible
from karat.core.results.judged import CorrectedFigure, JudgeFigures, JudgeSummary, verdict_words
from karat.core.results.result import Estimate, RunResult, interval_text

MOST_LINES = 4


def judged_lines(result: RunResult) -> list[tuple[str, list[str]]]:
    """For the terminal: a label and the parts of its line. ``corrected`` for each rate, then why the judge does not
    count."""
    seen = result.judge
    if seen is None:
        return []
    lines: list[tuple[str, list[str]]] = [("judge", [seen.version, *verdict_words(seen)])]
    for number, figure in enumerate(seen.corrected[:MOST_LINES]):
        lines.append(("" if number else "corrected", corrected_words(figure, seen)))
    lines += [("" if number else "not counted", [miss]) for number, miss in enumerate(seen.misses)]
    return lines


def corrected_words(figure: CorrectedFigure, seen: JudgeSummary) -> list[str]:
    """``strict 0.580 (0.53–0.63) over 500``, ``60 of the 200 reviewed``, ``people alone: …``."""
    if figure.mean is None:
        return [f"{figure.title} is not known: no case that was drawn at random is reviewed yet"]
    shown = f"{figure.title} {figure.mean:.3f}{_interval(figure.low, figure.high)} over {figure.n:,}"
    parts = [shown, f"{seen.reviewed:,} of the {seen.asked:,} reviewed"]
    if figure.method == "people":
        return [*parts, f"people alone: {figure.why}"]
    if figure.people is not None:
        parts.append(f"people alone {figure.people:.3f}{_interval(figure.people_low, figure.people_high)}")
    return parts


def judge_sheet(result: RunResult) -> Sheet | None:
    """The judge's figures, the corrected rates, and every case on which people and judge differ; None without a
    judge."""
    seen = result.judge
    if seen is None:
        return None
    return Sheet("Judge", (_about(seen), _rates(result, seen), *_doubts(seen)), freeze_columns=1)


def _about(seen: JudgeSummary) -> Table:
    rows: list[tuple[Cell, ...]] = [
        ("judge", seen.version),
        ("model", visible(seen.model)),
        ("answers asked about", f"{seen.asked:,}: {', '.join(verdict_words(seen))}"),
        ("drawn and reviewed", f"{seen.reviewed:,}"),
        *_calibrated(seen.calibration),
        ("tokens", f"{seen.tokens:,}" if seen.tokens else ""),
        ("cost", f"{seen.cost:.4g}" if seen.cost else ""),
        ("counts", "yes" if seen.counts else f"no: {'; '.join(seen.misses)}"),
    ]
    kept = tuple(row for row in rows if row[1] not in ("", "n/a"))
    return Table((Column("judge", width=28), Column("", "wrapped", 80)), kept)


def _calibrated(found: JudgeFigures | None) -> list[tuple[Cell, ...]]:
    if found is None:
        return [("calibrated", "never")]
    return [
        ("calibrated", found.created[:16].replace("T", " ")),
        ("people say right", _figure(found.base_rate)),
        ("agreement with people", _estimate(found.agreement)),
        ("a judge that always says the same", _figure(found.constant)),
        ("kappa", _estimate(found.kappa)),
        ("sensitivity", _estimate(found.sensitivity)),
        ("specificity", _estimate(found.specificity)),
        ("people among themselves (alpha)", _estimate(found.people)),
        ("asked again, the same verdict", _figure(found.consistency)),
        ("verdicts changed by order", _figure(found.order_changed)),
        ("more right when padded", "n/a" if found.length_effect is None else _estimate(found.length_effect)),
        ("attacks passed", "n/a" if found.attacks is None else f"{found.attacks_passed} of {found.attacks}"),
    ]


def _rates(result: RunResult, seen: JudgeSummary) -> Table:
    by_rule = {item.metric: item for item in result.summary}
    rows: list[tuple[Cell, ...]] = []
    for figure in seen.corrected:
        rule = by_rule[figure.metric]
        rows.append(
            (figure.title, rule.mean, rule.n, figure.mean, figure.low, figure.high, figure.n, figure.method, figure.why)
        )
    columns = (
        Column("metric", width=28),
        Column("by rule", "score", 12),
        Column("over", "count", 10),
        Column("corrected", "score", 12),
        Column("low", "score", 10),
        Column("high", "score", 10),
        Column("over", "count", 10),
        Column("method", width=14),
        Column("why", "wrapped", 50),
    )
    return Table(
        columns, tuple(rows), "By rule, and corrected", "The rate by rule comes first: a judge changes no score."
    )


def _doubts(seen: JudgeSummary) -> tuple[Table, ...]:
    if not seen.doubts:
        return ()
    columns = (
        Column("case", "wrapped", 38),
        Column("run", width=10),
        Column("people", width=12),
        Column("judge", width=12),
        Column("the judge's reason", "wrapped", 60),
        Column("comment", "wrapped", 60),
    )
    rows = tuple(
        (one.case, one.run, one.people, one.judge, visible(one.reason), visible(one.comment)) for one in seen.doubts
    )
    return (Table(columns, rows, "Where people and judge differ"),)


def _estimate(given: Estimate) -> str:
    return f"{_figure(given.mean)}{_interval(given.low, given.high)}"


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" ({interval_text(low, high, '{:.2f}'.format, '–')})"
