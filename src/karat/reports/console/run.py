"""A result in the terminal: the answer first, the reason next, what to do last. It fits on one screen.

Nothing here is markup: texts from files and models are appended as plain text, with every character that could move the
cursor, change a colour or turn the writing direction made visible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from karat.core.metric import Kind, Metric
from karat.core.presentation.case_explanation import why_not_right
from karat.core.problems import count_of
from karat.core.results.result import CaseResult, MetricSummary, RunResult, interval_text, why_no_interval
from karat.core.results.usage import USAGE
from karat.core.suite import Advice
from karat.reports.console.advice import Origin, retry_command, show_command, typed
from karat.reports.console.overview import FEW, ROUNDING, Overview, badness, label, value_of
from karat.reports.console.page import LABEL, Page, Span, fit, plain
from karat.reports.sections.attempts import tries_line
from karat.reports.sections.failure_groups import failure_groups, group_lines
from karat.reports.sections.judged import judged_lines
from karat.reports.sections.reuse import reuse_words
from karat.reports.sections.reviews import reviewed_lines
from karat.stats.repeats import tries_of

if TYPE_CHECKING:
    from rich.console import Console

_USAGE = frozenset(metric.name for metric in USAGE)
WORST = 5
GROUPS = 5


def print_result(
    result: RunResult,
    metrics: Sequence[Metric],
    console: Console,
    *,
    highlights: Sequence[str] = (),
    advice: Sequence[Advice] = (),
    saved: Sequence[str] = (),
    brief: bool = False,
    every_case: bool = False,
    origin: Origin | None = None,
) -> None:
    """Print what a run found. ``highlights`` and ``advice`` are the suite's own; ``saved`` says where things were put.

    ``brief``: only the figures and what failed. ``every_case``: all cases that are not right, not just the worst, and
    every error. With ``origin``, how the result came about, the commands to type next are printed too.
    """
    page = Page(console)
    _heading(page, result)
    headline = [metric for metric in metrics if metric.headline] or list(metrics[:3])
    seen = Overview(result, headline, len(result.cases) if every_case else WORST)
    if result.cases:
        _table(page, result, headline, seen)
    if brief:
        _failures(page, result, seen, origin)
        return
    if result.cases:
        _also(page, result, metrics, headline)
        _usage(page, result)
        _tries_and_reviews(page, result, metrics)
        _suite_advice(page, advice, origin)
        if headline:
            _weakest_tags(page, seen, headline[0])
            _failure_groups(page, result)
            _worst_cases(page, result, seen, headline, origin)
        for line in highlights:
            page.line([(plain(line), "")])
        _failures(page, result, seen, origin)
        if every_case:
            _failed_cases(page, result)
    _saved(page, saved)


def _saved(page: Page, saved: Sequence[str]) -> None:
    """On one line where they fit; else each on its own, and whole: a name that is cut cannot be opened."""
    if not saved:
        return
    names = [plain(name) for name in saved]
    lines = [" · ".join(names)] if LABEL + len(" · ".join(names)) <= page.width else names
    for number, line in enumerate(lines):
        page.line([(("" if number else "saved").ljust(LABEL), "dim"), (line, "")], whole=True)


# -- the answer -------------------------------------------------------------------------------------------------------


def _heading(page: Page, result: RunResult) -> None:
    counts = result.status_counts()
    errors, missing, aside = counts.get("error", 0), counts.get("missing", 0), counts.get("not_applicable", 0)
    parts: list[Span] = [(f"{counts.get('scored', 0):,} scored", "")]
    if errors:
        parts.append((count_of(errors, "error"), "bold red"))
    if missing:
        parts.append((f"{missing:,} missing", "yellow"))
    if aside:
        parts.append((f"{aside:,} not applicable", ""))
    cases = count_of(len(result.cases), "case")
    parts.append((f"truth set {plain(result.run.truth_set)} ({cases})" if result.run.truth_set else cases, "dim"))
    if result.run.prompt:
        parts.append((f"prompt {plain(result.run.prompt)}", "dim"))
    name = plain(result.run.suite)
    length = sum(len(text) for text, _ in parts) + 3 * (len(parts) - 1)
    space = min(page.width - length, 44) - len(name)
    spans = [span for number, part in enumerate(parts) for span in ((" · ", "dim") if number else ("", ""), part)]
    if space >= 2:
        page.line([(name, "bold"), (" " * space, ""), *spans])
    else:
        page.line([(name, "bold")])
        page.line([("  ", ""), *spans])


def _table(page: Page, result: RunResult, headline: Sequence[Metric], seen: Overview) -> None:
    summaries = {item.metric: item for item in result.summary}
    shown = [(metric, summaries[metric.name]) for metric in headline if metric.name in summaries]
    errors = any(item.with_errors_as_zero is not None for _, item in shown)
    width = max([18, *(len(metric.title) for metric, _ in shown)]) if shown else 18
    head = f"  {'metric'.ljust(width)}  {'mean':>7}    {'95 % interval':<15}  {'over':>6}"
    page.line([(head + ("    errors as 0" if errors else ""), "dim")])
    for metric, item in shown:
        interval = (
            interval_text(item.low, item.high, partial(figure, kind=metric.kind))
            if item.low is not None and item.high is not None
            else why_no_interval(item.n)
        )
        row = f"    {interval:<15}  {item.n:>6,}"
        if errors:
            row += f"    {figure(item.with_errors_as_zero, metric.kind):>11}"
        start = f"  {fit(metric.title, width)}  "
        mean = f"{figure(item.mean, metric.kind):>7}"
        note = _undefined(seen, item)
        spans: list[Span] = [(start, ""), (mean, "bold"), (row, "")]
        if note and len(start + mean + row) + 3 + len(note) <= page.width:
            page.line([*spans, (f"   {note}", "dim")])
        else:
            page.line(spans)
            if note:
                page.line([(f"  {' ' * width}    {note}", "dim")])


def _undefined(seen: Overview, item: MetricSummary) -> str:
    """``5 undefined: nothing was selected``, with the commonest reason."""
    if not item.undefined:
        return ""
    reasons = seen.undefined.get(item.metric, Counter[str]())
    reason, count = reasons.most_common(1)[0] if reasons else ("", 0)
    often = "" if len(reasons) < 2 else "mostly " if 2 * count > item.undefined else "among them "
    return f"{item.undefined:,} undefined" + (f": {often}{plain(reason)}" if reason else "")


def figure(value: float | None, kind: Kind = "share") -> str:
    """A number as the terminal shows it."""
    if value is None:
        return "n/a"
    if kind != "quantity":
        return f"{value:.3f}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value >= 1 else f"{value:.4f}"


def _also(page: Page, result: RunResult, metrics: Sequence[Metric], headline: Sequence[Metric]) -> None:
    """The other metrics on one line: first those that look at a headline metric in another way, then as many as fit."""
    means = {item.metric: item.mean for item in result.summary}
    others = [m for m in metrics if m not in headline and m.kind != "quantity" and means.get(m.name) is not None]
    others.sort(
        key=lambda m: next((i for i, h in enumerate(headline) if m.name.startswith(f"{h.name}_")), len(headline))
    )
    texts = [f"{metric.title} {figure(means[metric.name], metric.kind)}" for metric in others]
    if not texts:
        return
    line, used = f"  also  {texts[0]}", 1
    for text in texts[1:]:
        rest = len(texts) - used - 1
        tail = f" · {rest} more in the reports" if rest else ""
        if len(f"{line} · {text}{tail}") <= page.width:
            line, used = f"{line} · {text}", used + 1
    rest = len(texts) - used
    page.line([(line, "dim"), (f" · {rest} more in the reports" if rest else "", "dim")])


def _usage(page: Page, result: RunResult) -> None:
    means = {item.metric: item.mean for item in result.summary if item.mean is not None}
    parts = [
        f"{name}{figure(means[key], 'quantity')}{unit}"
        for key, name, unit in (("latency", "", " s"), ("tokens", "", " tokens"), ("cost", "cost ", ""))
        if key in means
    ]
    if parts:
        page.line([(f"  per case      {' · '.join(parts)}", "dim")])
    if told := reuse_words(result):
        page.labelled("reused", [(plain(told), "")])


def _tries_and_reviews(page: Page, result: RunResult, metrics: Sequence[Metric]) -> None:
    """What several tries tell, and the rates with people's verdicts; nothing where there are none."""
    tries = tries_of(result, metrics)
    if tries is not None:
        page.parts("tries", tries_line(tries))
    for number, parts in enumerate(reviewed_lines(result, metrics)):
        page.parts("" if number else "with reviews", parts)
    for name, parts in judged_lines(result):
        page.parts(name, parts)


# -- the reasons ------------------------------------------------------------------------------------------------------


def _suite_advice(page: Page, advice: Sequence[Advice], origin: Origin | None) -> None:
    for item in advice:
        page.labelled(item.label, [(plain(item.text), "")])
        if origin is not None:
            _advise(page, typed(item.command), f"   ({item.note})" if item.note else "")


def _advise(page: Page, command: str, note: str = "") -> None:
    """A command to type, whole: one that is cut does not work."""
    if command:
        page.line([(" " * LABEL, ""), (f"→ {plain(command)}", "cyan"), (plain(note), "dim")], whole=True)


def _weakest_tags(page: Page, seen: Overview, metric: Metric) -> None:
    means = sorted(
        ((total / count, tag, count) for tag, (total, count) in seen.tags.items() if count >= 2),
        key=lambda item: (item[0] if metric.higher_is_better else -item[0], item[1]),
    )
    if len(means) < 2:
        return
    best = max(mean for mean, _, _ in means) if metric.higher_is_better else min(mean for mean, _, _ in means)
    weak = [
        (mean, tag, count)
        for mean, tag, count in means
        if (badness(mean, metric) if metric.kind != "quantity" else abs(mean - best)) > ROUNDING
    ]
    if not weak:
        return
    text = ""
    for mean, tag, count in weak[: FEW + 1]:
        part = f"{plain(tag)} {mean:.2f} ({count:,})"
        if text and len(text) + 3 + len(part) > page.width - LABEL:
            break
        text = f"{text}   {part}" if text else part
    page.labelled("weakest tags", [(text, "")])


def _failure_groups(page: Page, result: RunResult) -> None:
    """What is wrong most often: ``COUNTRY wrong: asked MEX, got USA · 41 cases``."""
    for number, (label_text, cases) in enumerate(group_lines(failure_groups(result), GROUPS)):
        room = max(16, page.width - LABEL - len(cases) - 3)
        spans: list[Span] = [(page.fitted(plain(label_text), room), ""), (f" · {cases}", "bold")]
        page.labelled("fails by" if not number else "", spans)


def _worst_cases(
    page: Page, result: RunResult, seen: Overview, headline: Sequence[Metric], origin: Origin | None
) -> None:
    worst = seen.worst()
    if not worst:
        return
    width = max(len(label(case)) for case in worst)
    figures = [_worst_figure(case, headline) for case in worst]
    figure_width = max(map(len, figures))
    if page.cuts:
        width = min(width, 48, max(8, page.width - LABEL - figure_width - 28))
    for number, (case, figure_text) in enumerate(zip(worst, figures, strict=True)):
        room = max(16, page.width - LABEL - width - figure_width - 4)
        page.labelled(
            "worst cases" if not number else "",
            [
                (fit(label(case), width), ""),
                (f"  {figure_text.ljust(figure_width)}  ", "bold"),
                (page.fitted(reason_of(result.run.suite, case), room), "dim"),
            ],
        )
    if origin is not None:
        _advise(page, show_command(result, origin, worst[0].id))


def _worst_figure(case: CaseResult, headline: Sequence[Metric]) -> str:
    """The figure that is bad: the first headline metric's; another one's, with its title, where the first is as good as
    it can be."""
    bad = next((metric for metric in headline if badness(value_of(case, metric), metric) > ROUNDING), headline[0])
    value = value_of(case, bad)
    number = f"{value:.2f}" if value is not None else "n/a"
    return number if bad is headline[0] else f"{bad.title} {number}"


def reason_of(suite: str, case: CaseResult) -> str:
    """Why a case is bad, in one line."""
    return plain(why_not_right(suite, case).headline)


# -- what to do -------------------------------------------------------------------------------------------------------


def _mend(page: Page, result: RunResult, origin: Origin, case: str) -> None:
    """What to do about errors: ask again where that may help, else look at the answer, and correct what is recorded."""
    _advise(page, retry_command(result, origin) or show_command(result, origin, case))
    if origin.recorded and origin.again:
        where = f"the answers are recorded: fix {plain(origin.recorded)}, then"
        page.line([(" " * LABEL, ""), (where, "")], whole=True)
        _advise(page, origin.again)


def _failures(page: Page, result: RunResult, seen: Overview, origin: Origin | None) -> None:
    groups = seen.errors.most_common()
    for number, (message, count) in enumerate(groups[:FEW]):
        count_text = f"{count:,} × "
        text = seen.error_text[message]
        page.wrapped("errors" if not number else "", [(count_text, "bold red"), (text, "")], most=FEW)
    if len(groups) > FEW:
        more = sum(count for _, count in groups[FEW:])
        page.labelled("", [(f"{more:,} more, with {count_of(len(groups) - FEW, 'other message')}", "")])
    if groups and origin is not None:
        _mend(page, result, origin, seen.first_error)
    if seen.missing:
        listed = ", ".join(seen.some_missing) + (", …" if seen.missing > FEW else "")
        page.wrapped("missing", [(f"{count_of(seen.missing, 'case')} without a prediction: {listed}", "")])


def _failed_cases(page: Page, result: RunResult) -> None:
    """Every case without a score, each with its state and its reason, whole."""
    for case in result.cases:
        if case.status != "scored":
            words = plain(case.error) or reason_of(result.run.suite, case)
            page.line(
                [(f"{case.status.replace('_', ' ')}".ljust(LABEL), "dim"), (f"{label(case)}  {words}", "")], whole=True
            )
