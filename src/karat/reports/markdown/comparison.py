"""A comparison as Markdown, for a comment on a pull request. Nothing from a file or a model can leave its cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from karat.core.problems import count_of
from karat.reports.compare.changes import SECTIONS, Change
from karat.reports.compare.comparison import (
    Compared,
    answer_lines,
    differ_in_system,
    headline_sentence,
    label,
    moves_text,
    outcome,
    same_prompt,
)
from karat.reports.compare.several import Matrix
from karat.reports.console.comparison import change_text, interval, p_text
from karat.reports.console.run import figure
from karat.reports.markdown.several import matrix_markdown
from karat.reports.markdown.text import markdown_text as text
from karat.reports.sections.failure_groups import change_words

if TYPE_CHECKING:
    from karat.stats.compare.paired import Difference
    from karat.stats.compare.runs import MetricComparison

MOST_CASES = 100
"""Cases of a kind in one comment: GitHub takes 65,536 characters."""
ROOM = 60_000


def comparison_markdown(compared: Sequence[Compared], matrix: Matrix | None = None) -> str:
    """All comparisons, one below the other, in no more characters than a comment takes; where there are several runs,
    first all of them beside each other."""
    parts = [matrix_markdown(matrix)] if matrix is not None else []
    parts += ["\n".join(_lines(item)) for item in compared]
    whole = "\n\n".join(parts)
    if len(whole) > ROOM:
        cut = whole.rfind("\n", 0, ROOM)
        closing = "\n\n</details>" if whole.count("<details>", 0, cut) > whole.count("</details>", 0, cut) else ""
        whole = f"{whole[:cut]}{closing}\n\n… truncated here; `karat compare --json` has everything"
    return whole + "\n"


def _lines(item: Compared) -> Iterable[str]:
    first, second = text(label(item.a)), text(label(item.b))
    yield f"### {text(item.b.suite)}: A {first} → B {second}"
    yield ""
    yield f"**{text(headline_sentence(item))}**"
    yield ""
    systems = f" · {text(item.a.system)} → {text(item.b.system)}" if differ_in_system(item) else ""
    yield f"{count_of(item.comparison.n_shared, 'case')} in both runs{systems}{text(same_prompt(item))}"
    if item.comparison.warnings:
        yield ""
        yield from (f"> **warning** {text(warning, 1000)}  " for warning in item.comparison.warnings)
    yield ""
    yield from _table(
        ["metric", first, second, "difference", "95 % interval", "p (Holm)", "over", ""],
        [_metric(metric) for metric in item.comparison.metrics if not _empty(item, metric)],
    )
    empty = [metric.title for metric in item.comparison.metrics if metric.headline and _empty(item, metric)]
    if empty:
        yield ""
        yield f"No case has a value in either run: {text(', '.join(empty), 1000)}"
    tags = [(tag.tag, tag.metric, tag.difference) for tag in item.comparison.tags]
    yield from _folded("By tag", ["tag", *_PART], [_part(item, *tag) for tag in tags])
    for kind in dict.fromkeys(group.kind for group in item.comparison.groups):
        rows = [
            _part(item, group.name, group.metric, group.difference)
            for group in item.comparison.groups
            if group.kind == kind
        ]
        yield from _folded(f"By {text(kind)}", [text(kind), *_PART], rows)
    groups = item.failure_groups.groups if item.failure_groups is not None else ()
    compared = [
        [text(g.label), f"{g.baseline or 0:,}", f"{g.on_same_cases or 0:,}", change_words(g)]
        for g in groups
        if g.baseline or g.on_same_cases
    ]
    yield from _folded("Failure groups, on the cases of both runs", ["what went wrong", first, second, ""], compared)
    for section, word in SECTIONS.items():
        some = item.changes.of_section(section)
        title = f"{word.capitalize()}: {len(some):,} case{'' if len(some) == 1 else 's'}"
        if len(some) > MOST_CASES:
            title += f", the first {MOST_CASES}"
        heads = ["case", "question", f"what changed from {first} to {second}", "figures"]
        yield from _folded(title, heads, [_change(item, change) for change in some[:MOST_CASES]])
    if item.judge is not None:
        changed = item.judge.changes
        title = f"Judge {item.judge.version}: {len(changed):,} of {count_of(item.judge.both, 'verdict')} changed"
        rows = [[text(one.case), text(str(one))] for one in changed[:MOST_CASES]]
        yield from _folded(title, ["case", "verdict"], rows)


def _empty(item: Compared, metric: MetricComparison) -> bool:
    """Whether no shared case has a value in either run: these cases do not ask for the metric."""
    neither = metric.difference is None and not metric.only_a and not metric.only_b
    return bool(item.comparison.n_shared) and neither


def _metric(metric: MetricComparison) -> list[str]:
    found = metric.difference
    title = f"**{text(metric.title)}**" if metric.headline else text(metric.title)
    if found is None:
        return [title, "n/a", "n/a", "n/a", "", "", "0", text(metric.undefined)]
    numbers = [figure(found.mean_a, metric.kind), figure(found.mean_b, metric.kind)]
    numbers += [change_text(found.mean, metric.kind), interval(found, metric.kind), p_text(metric.p_adjusted)]
    said = outcome(metric)
    return [title, *numbers, f"{found.n:,}", f"**{said}**" if said in ("better", "worse") else said]


_PART = ["metric", "before", "now", "difference", "95 % interval", "over"]


def _part(item: Compared, name: str, metric: str, found: Difference | None) -> list[str]:
    start = [text(name), text(item.title(metric))]
    if found is None:
        return [*start, "n/a", "n/a", "n/a", "", "0"]
    kind = item.kind(metric)
    means = [figure(found.mean_a, kind), figure(found.mean_b, kind)]
    return [*start, *means, change_text(found.mean, kind), interval(found, kind), f"{found.n:,}"]


def _change(item: Compared, change: Change) -> list[str]:
    parts = " <br> ".join(text(line) for line in answer_lines(change))
    return [text(change.id), text(change.question), parts, text(moves_text(item, change))]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _folded(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """A table that opens on a click; nothing when it has no rows."""
    if rows:
        yield f"\n<details><summary>{title}</summary>\n"
        yield from _table(heads, rows)
        yield "\n</details>"
