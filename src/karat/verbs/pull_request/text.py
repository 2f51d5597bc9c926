"""The comment on a pull request: the verdicts of the gates, then each suite against its baseline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core import plugins
from karat.core.problems import UserError
from karat.core.report import visible
from karat.core.results.result import RunResult, interval_text
from karat.core.results.text import figure
from karat.reports.markdown.comparison import ROOM, comparison_markdown
from karat.reports.markdown.gates import gate_markdown
from karat.reports.markdown.text import markdown_text as text
from karat.reports.sections.reuse import reuse_words
from karat.runs.baseline import baselines_in
from karat.stats.gates.rules import BASELINE
from karat.store.store import Store
from karat.verbs.compare import compare_stored
from karat.verbs.gate import gate
from karat.verbs.inputs.projects import open_store_here, project_here


def comment_text(
    *, store: str | Path = "", config: str | Path | None = None, baseline: str = "", link: str = ""
) -> str:
    """The comment, as Markdown, on the newest run of each suite. ``link`` leads to the full report."""
    project = project_here(config)
    named = baseline or (project.baseline if project else "")
    suites = list(dict.fromkeys(entry.suite for entry, _ in project.suites)) if project else []
    parts = [_gates(store, config, baseline)] if project is not None and project.gates else []
    with open_store_here(store, config) as opened:
        rows = [row for suite in suites or plugins.names("karat.suites") for row in opened.runs(1, suite)]
        if not rows:
            raise UserError("there is no run to write about", hint="karat run makes one.")
        for row in rows:
            if row.scoring is None:
                parts.append(f"### {text(row.suite)}\n\nThe run is {row.status} and not scored.\n")
            else:
                parts.append(_suite(opened, opened.result(row.id), named))
    if link:
        parts.append(f"[Full report]({_safe_link(link)})\n")
    whole = "\n".join(parts)
    if len(whole) > ROOM:
        cut = whole.rfind("\n", 0, ROOM)
        closing = "\n\n</details>" if whole.count("<details>", 0, cut) > whole.count("</details>", 0, cut) else ""
        whole = f"{whole[:cut]}{closing}\n\n… truncated here; the report has everything\n"
    return whole


def _gates(store: str | Path, config: str | Path | None, baseline: str) -> str:
    return gate_markdown(gate(None, (), baseline=baseline, store=store, config=config).verdicts)


def _suite(store: Store, result: RunResult, named: str) -> str:
    before = baselines_in(store, result.run.suite, result.run.id, named)(BASELINE)
    if isinstance(before, str):
        lines = [f"### {text(result.run.suite)} {text(result.run.id)}", "", f"No comparison: {text(before)}.", ""]
        lines += ["| metric | mean | 95 % interval | over |", "|---|---|---|---|", *_figures(result)]
        shown = "\n".join(lines) + "\n"
    else:
        shown = comparison_markdown(compare_stored(store, [before.run.id, result.run.id], ()))
    counts = result.status_counts()
    trouble = [f"{counts[state]:,} {state}" for state in ("error", "missing") if counts.get(state)]
    told = [f"**Not answered: {', '.join(trouble)}.**"] if trouble else []
    told += [f"Reused: {text(words)}."] if (words := reuse_words(result)) else []
    return shown + "".join(f"\n{line}\n" for line in told)


def _figures(result: RunResult) -> Sequence[str]:
    from karat.core.results.text import headline_metrics

    rows = []
    for metric, item in headline_metrics(result):
        ends = interval_text(item.low, item.high, figure) if item.low is not None and item.high is not None else ""
        rows.append(f"| {text(metric.title)} | {figure(item.mean)} | {ends} | {item.n:,} |")
    return rows


def _safe_link(link: str) -> str:
    """A link that stays one."""
    if not link.startswith(("https://", "http://")) or visible(link) != link or any(sign in link for sign in " ()<>"):
        raise UserError(f"not a link: {visible(link)}", hint="--link takes an address that starts with https://")
    return link
