"""What the terminal says of code beyond its figures: how far repairs got, the commonest errors, what requirements were
missed."""

from __future__ import annotations

from collections import Counter

from karat.core.problems import count_of
from karat.core.results.facts import facts_of
from karat.core.results.result import Estimate, RunResult
from karat.suites.codegen.perturb.unchecked import unchecked_passes
from karat.suites.codegen.published.official_figures import official_figure
from karat.suites.codegen.repair.figures import most_repairs, task_tries
from karat.suites.codegen.repair.strategy_figures import strategy_figures, tried_strategies
from karat.suites.codegen.summaries.counts import error_counts, funnel, missing_counts

SHOWN = 4
NO_ESTIMATE = Estimate(None, 0, None, None)
LABEL = 15
"""As wide as the labels of the lines above and below."""


def highlights(result: RunResult) -> list[str]:
    """Seven lines at most; a line that has nothing to say is left out."""
    found = (
        _funnel(result),
        _repairs(result),
        _strategies(result),
        _errors(result),
        _missing(result),
        _unchecked(result),
        _official(result),
    )
    return [line for line in found if line]


def _funnel(result: RunResult) -> str:
    steps = funnel(result)
    if not steps:
        return ""
    ran, right = " → ".join(str(step.ran) for step in steps), " → ".join(str(step.right) for step in steps)
    after = f" (first → {steps[-1].name})" if len(steps) > 1 else ""
    noun = "tries" if facts_of(result.cases).most_tries else "tasks"
    return _labelled(f"of {steps[0].tries} {noun}", f"{ran} ran · {right} right{after}")


def _repairs(result: RunResult) -> str:
    """The share of wrong first tries that were right in the end; with the interval of the metric where both are over
    the same tries."""
    tasks = task_tries(result)
    most = most_repairs(tasks)
    wrong = [tried for task in tasks for tried in task.tries if not tried.right_by(0)]
    if not most or not wrong:
        return ""
    right = sum(tried.right_by(most) for tried in wrong)
    figure = f"{right / len(wrong):.2f}"
    item = next((item for item in result.summary if item.metric == "repaired"), None)
    if item is not None and item.n == len(wrong) and item.low is not None and item.high is not None:
        figure += f", {item.low:.2f}–{item.high:.2f}"
    tries = count_of(len(wrong), "wrong first try", "wrong first tries")
    return _labelled("repairs", f"{right} of {tries} right after ≤ {most} ({figure})")


def _strategies(result: RunResult) -> str:
    """How many wrong first answers each strategy made right, and at what price where that is known."""
    found = strategy_figures(tried_strategies(result), lambda _values, _kind, _clusters=None: NO_ESTIMATE)
    words = []
    for one in found:
        price = f" ({one.cost_each:.3g} each)" if one.cost_each else ""
        words.append(f"{one.strategy} {one.right}{price}")
    tries = count_of(found[0].wrong_at_first, "wrong first try", "wrong first tries") if found else ""
    return _labelled("strategies", f"of {tries} right: {' · '.join(words)}") if found else ""


def _errors(result: RunResult) -> str:
    counts = error_counts(result)
    return _labelled("first errors", _listed(counts)) if counts else ""


def _missing(result: RunResult) -> str:
    counts = missing_counts(result)
    return _labelled("not done", _listed(counts)) if counts else ""


def _unchecked(result: RunResult) -> str:
    """Right answers that a constant could have given as well."""
    counts = unchecked_passes(result)
    why = " · ".join(f"{reason} ({count:,})" if len(counts) > 1 else reason for reason, count in counts.most_common())
    return _labelled("not checked", f"{count_of(counts.total(), 'right answer')}: {why}") if counts else ""


def _official(result: RunResult) -> str:
    """The set's own scorer beside the strict one."""
    figure = official_figure(result)
    if figure is None:
        return ""
    words = f"{figure.official:.3f} by the set's own scorer, {figure.strict:.3f} strict, over {figure.answers}"
    return _labelled("official", words)


def _labelled(label: str, text: str) -> str:
    return f"{label:<{LABEL - 1}} {text}"


def _listed(counts: Counter[str]) -> str:
    shown = [f"{name} {count}" for name, count in counts.most_common(SHOWN)]
    more = len(counts) - len(shown)
    return " · ".join(shown) + (f" · {count_of(more, 'kind')} more" if more > 0 else "")
