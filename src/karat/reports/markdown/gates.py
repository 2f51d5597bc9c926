"""Verdicts of gates as Markdown: for a pull request, or the summary page of a job."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import count_of
from karat.reports.markdown.text import markdown_text as text
from karat.stats.gates.verdicts import Verdict


def gate_markdown(verdicts: Sequence[Verdict]) -> str:
    """The verdict first, then a row for each rule, the broken ones on top."""
    ordered = sorted(verdicts, key=lambda verdict: verdict.passed)
    lines = [f"### karat gate: {headline(verdicts)}", "", "| | run | rule | result |", "|---|---|---|---|"]
    for verdict in ordered:
        run = text(" ".join(part for part in (verdict.suite, verdict.run) if part))
        mark = "passed" if verdict.passed else "**failed**"
        lines.append(f"| {mark} | {run} | {text(verdict.rule)} | {text(verdict.words, 1000)} |")
    return "\n".join(lines) + "\n"


def headline(verdicts: Sequence[Verdict]) -> str:
    """``2 of 5 gates failed`` or ``5 gates passed``."""
    broken = sum(not verdict.passed for verdict in verdicts)
    return (
        f"{broken:,} of {count_of(len(verdicts), 'gate')} failed"
        if broken
        else f"{count_of(len(verdicts), 'gate')} passed"
    )
