"""Comparisons and verdicts in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.core.problems import count_of
from karat.core.results.html import folded, paragraph, table, whole
from karat.reports.compare.changes import SECTIONS, Change
from karat.reports.console.run import figure
from karat.reports.markdown.gates import headline

if TYPE_CHECKING:
    from karat.reports.compare.comparison import Compared
    from karat.stats.compare.runs import MetricComparison
    from karat.stats.gates.verdicts import Verdict

MOST_CASES = 100
"""Cases of a kind that are listed."""


def comparison_html(compared: Compared) -> str:
    """The sentence, a row for each metric, and the cases that changed in parts that open."""
    from karat.reports.compare.comparison import headline_sentence, label, outcome, same_prompt

    first, second = label(compared.a), label(compared.b)
    cases = f"{count_of(compared.comparison.n_shared, 'case')} in both runs{same_prompt(compared)}"
    warnings = [f"warning: {warning}" for warning in compared.comparison.warnings]
    metrics = compared.comparison.metrics
    shown = [metric for metric in metrics if metric.headline] or list(metrics[:3])
    rest = [metric for metric in metrics if metric not in shown and metric.difference is not None]
    head = ["metric", first, second, "difference", "95 % interval", "p (Holm)", "over", ""]
    tables = [
        table(head, [_metric(one) for one in some], [outcome(one) in ("better", "worse") for one in some])
        for some in (shown, rest)
    ]
    parts = [
        paragraph(f"{compared.b.suite}: {first} → {second}", headline_sentence(compared), cases, *warnings),
        tables[0],
        folded(count_of(len(rest), "more metric"), tables[1]),
    ]
    for section, word in SECTIONS.items():
        some = compared.changes.of_section(section)
        title = f"{word}: {count_of(len(some), 'case')}"
        title += f", the first {MOST_CASES}" if len(some) > MOST_CASES else ""
        listed = [_change(compared, change) for change in some[:MOST_CASES]]
        parts.append(folded(title, table(["case", "question", "what changed", "figures"], listed)))
    return whole(*parts)


def _metric(metric: MetricComparison) -> list[str]:
    from karat.reports.compare.comparison import outcome
    from karat.reports.console.comparison import change_text, interval, p_text

    found = metric.difference
    if found is None:
        return [metric.title, "n/a", "n/a", "n/a", "", "", "0", metric.undefined]
    numbers = [figure(found.mean_a, metric.kind), figure(found.mean_b, metric.kind)]
    numbers += [change_text(found.mean, metric.kind), interval(found, metric.kind), p_text(metric.p_adjusted)]
    return [metric.title, *numbers, f"{found.n:,}", outcome(metric)]


def _change(compared: Compared, change: Change) -> list[str]:
    from karat.reports.compare.comparison import answer_lines, moves_text

    return [change.id, change.question, "; ".join(answer_lines(change)), moves_text(compared, change)]


def verdicts_html(verdicts: Sequence[Verdict]) -> str:
    """A row for each rule, the broken ones first and bold."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.passed)
    rows = [["passed" if one.passed else "failed", f"{one.suite} {one.run}".strip(), one.words] for one in ordered]
    newly = [folded(f"new failures of {one.rule}", table(["case"], [[case] for case in one.cases])) for one in ordered]
    return whole(
        paragraph(headline(verdicts)), table(["", "run", "in words"], rows, [not one.passed for one in ordered]), *newly
    )
