"""``karat explain`` and ``karat.explain``: what a metric measures, or what a reason means, in every suite that has it.

Nothing is written here by hand: a metric's meaning, edge cases and examples come from the docstring of its module
("Edge cases:" and "By hand:" begin their paragraphs), its formula and kind from the metric itself, worked examples and
notes on reasons from the suite.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from inspect import cleandoc, getdoc, getmodule, unwrap

import msgspec

from karat.core import plugins
from karat.core.expect.metrics import METRICS as EXPECTED
from karat.core.expect.notes import METRIC_EXAMPLES, REASON_NOTES
from karat.core.metric import Metric
from karat.core.metrics.metric_names import find_metric
from karat.core.metrics.worked_examples import ReasonNote, read_examples
from karat.core.problems import UnknownName, UserError
from karat.core.results.failures.failures import BEFORE
from karat.core.results.failures.group_notes import GROUP_NOTES, group_named
from karat.core.results.usage import USAGE
from karat.core.suite import Suite

EXAMPLE, EDGES = "By hand", "Edge cases"
ASIDE = re.compile(r"\s+\((?:see|contract)\b[^()]*\)|\s+See\s+``[\w/]+\.py``[^.]*\.")
MOST_EXAMPLES = 2
SHARED = (*EXPECTED, *USAGE)
"""The metrics that every suite has."""
KINDS = {
    "share": "a number from 0 to 1; its mean is over the cases that have it",
    "rate": "0 or 1 for each case; its mean is the share of cases with 1",
    "quantity": "a number of any size",
}


class Explained(msgspec.Struct, frozen=True):
    """A metric or a reason of one suite in words.

    >>> import karat
    >>> (found,) = karat.explain("retrieval.recall")
    >>> found.kind, found.formula
    ('metric', 'relevant keys retrieved / relevant keys')
    """

    suite: str
    """The suite it belongs to; empty if every suite has it and none was named."""
    name: str
    """The name of the metric or reason."""
    kind: str
    """``metric``, ``reason``, or ``group``: the name of a failure group or a note."""
    title: str = ""
    """How reports name it."""
    meaning: str = ""
    """What it says."""
    formula: str = ""
    """How a metric is computed."""
    edge_cases: tuple[str, ...] = ()
    """What happens in special cases."""
    cause: str = ""
    """What usually causes a reason."""
    examples: tuple[str, ...] = ()
    """Examples, computed by the tests."""
    package: str = ""
    """The package that added the metric, if it is not the suite's own."""


def explain(name: str, *, suite: str = "") -> tuple[Explained, ...]:
    """What a metric or a reason means: one explanation for each suite that has it.

    ``name`` is a metric (``macro_recall``, ``R@10``), a reason (``wrong_term``), or one of them with its suite
    (``data_query.macro_recall``). UnknownName with the nearest name where there is none.

    >>> import karat
    >>> for found in karat.explain("recall"):
    ...     print(found.suite, "|", found.formula)
    retrieval | relevant keys retrieved / relevant keys
    """
    prefix, dot, rest = name.partition(".")
    if dot and prefix in plugins.names(plugins.SUITES) and not suite:
        suite, name = prefix, rest.removeprefix("reason.")
    chosen = [plugins.load_suite(suite)] if suite else list(plugins.suites())
    found = [one for each in chosen for one in _in_suite(each, name)] or list(_in_every_suite(name, suite))
    found = found or list(_groups(chosen, name, suite))
    if not found:
        where = f" in {suite}" if suite else ""
        raise UnknownName(f'there is no metric and no reason "{name}"{where}', name, list(_names(chosen)))
    return tuple(found)


def names_to_explain(suite: str = "") -> dict[str, dict[str, tuple[str, ...]]]:
    """Suite → its metrics and reasons, for a list of what can be explained."""
    chosen = [plugins.load_suite(suite)] if suite else list(plugins.suites())
    return {
        each.name: {"metrics": tuple(metric.name for metric in each.metrics), "reasons": _reasons(each)}
        for each in chosen
    }


def names_of_every_suite() -> dict[str, tuple[str, ...]]:
    """The metrics and reasons that every suite has: expectations, and what an answer took."""
    return {"metrics": tuple(metric.name for metric in SHARED), "reasons": tuple(REASON_NOTES)}


def _names(suites: list[Suite]) -> Iterator[str]:
    yield from (*(metric.name for metric in SHARED), *REASON_NOTES)
    for suite in suites:
        yield from (name for metric in suite.metrics for name in (metric.name, metric.full_name))
        yield from _reasons(suite)


def _reasons(suite: Suite) -> tuple[str, ...]:
    """The reasons that can be explained: those of the closed list, else those that have a note."""
    return suite.reasons or tuple(suite.reason_notes)


def _in_suite(suite: Suite, name: str) -> Iterator[Explained]:
    with contextlib.suppress(UserError):
        yield explained_metric(suite, find_metric(name, suite.metrics))
    if name in _reasons(suite):
        yield explained_reason(suite, name)


def _in_every_suite(name: str, suite: str) -> Iterator[Explained]:
    with contextlib.suppress(UserError):
        metric = find_metric(name, SHARED)
        home = cleandoc((getmodule(metric.score) or metric).__doc__ or "")
        yield Explained(
            suite,
            metric.name,
            "metric",
            title=metric.title,
            meaning=home.partition("\n\n")[0].replace("\n", " "),
            formula=metric.formula,
            edge_cases=tuple(_rules(metric)),
            examples=(METRIC_EXAMPLES[metric.name],),
        )
    if name in REASON_NOTES:
        yield _reason(suite, name, REASON_NOTES[name], ())


def _groups(suites: list[Suite], name: str, suite: str) -> Iterator[Explained]:
    """A failure group by the name that reports print: a reason in words or after its outcome (``needs review:
    rows_scrambled``), a group of a suite, or one that every suite may have."""
    head, _, rest = name.partition(": ")
    for said in dict.fromkeys((rest if head in BEFORE.values() else "", name, head)):
        reason = said.replace(" ", "_")
        found = [explained_reason(each, reason) for each in suites if reason in _reasons(each)]
        known = [(each.name, group_named(said, each.group_notes)) for each in suites]
        known = [one for one in known if one[1]] or [(suite, group_named(said, GROUP_NOTES))]
        found += [_reason(where, one[0], one[1], (), "group") for where, one in known if one and not found]
        if found:
            yield from found
            return


def explained_reason(suite: Suite, name: str) -> Explained:
    """A reason of the suite's closed list."""
    note = suite.reason_notes.get(name)
    examples = [one.text for one in read_examples(suite.worked_examples) if name in one.reasons]
    if note is None:
        meaning = "The suite has no note on this reason."
        return Explained(suite.name, name, "reason", meaning=meaning, examples=tuple(examples[:MOST_EXAMPLES]))
    return _reason(suite.name, name, note, tuple(examples))


def _reason(suite: str, name: str, note: ReasonNote, examples: tuple[str, ...], kind: str = "reason") -> Explained:
    shown = (note.example, *examples)[:MOST_EXAMPLES]
    return Explained(suite, name, kind, meaning=note.meaning, cause=note.cause, examples=shown)


def explained_metric(suite: Suite, metric: Metric) -> Explained:
    """A metric of a suite."""
    others = {one.name for one in suite.metrics} - {metric.name}
    paragraphs = [part for part in _paragraphs(_docstring(metric)) if part.partition(":")[0] not in others]
    by_hand = [part for part in paragraphs if part.startswith(EXAMPLE)]
    edges = [part for part in paragraphs if part.startswith(EDGES)]
    meaning = [part for part in paragraphs if part not in (*by_hand, *edges)]
    return Explained(
        suite.name,
        metric.name,
        "metric",
        title=metric.title,
        meaning="\n\n".join(meaning),
        formula=metric.formula,
        edge_cases=(*(part.removeprefix(EDGES).lstrip(": ") for part in edges), *_rules(metric)),
        examples=(*_worked(suite, metric), *(part.partition(":")[2].strip() for part in by_hand))[:MOST_EXAMPLES],
        package=metric.package,
    )


def _worked(suite: Suite, metric: Metric) -> Iterator[str]:
    """The worked examples in which the metric has a value, those that are neither 0 nor 1 first."""
    found = [one for one in read_examples(suite.worked_examples) if metric.name in one.values]
    for one in sorted(found, key=lambda each: each.values[metric.name] in (0, 1)):
        yield f"{one.text}\n{metric.name} = {one.values[metric.name]:.4g}"


def _rules(metric: Metric) -> Iterator[str]:
    """What follows from how the metric is declared."""
    better = "higher is better" if metric.higher_is_better else "lower is better"
    yield f"It is {KINDS[metric.kind]}; {better}."
    if metric.counts_all:
        yield "A failed or missing answer counts 0, so the mean is over all cases."
    elif metric.zero_on_error:
        yield "A failed call is left out of the mean and counted as an error; with errors: zero it counts 0."
    else:
        yield "A failed call is left out of the mean, also with errors: zero: the case may not ask for this at all."
    for parameter in metric.parameters:
        value = dict(metric.values).get(parameter.name, parameter.default)
        yield f"{parameter.name} = {value}: {parameter.summary}"
    if metric.noise:
        yield f"Time is measured: values of one case may differ by {metric.noise:g} when nothing has changed."


def _docstring(metric: Metric) -> str:
    """The docstring of the module that the metric is computed in; of the function, where it has one of its own."""
    score: Callable[..., object] = metric.score
    while (inner := score.func if isinstance(score, partial) else unwrap(score)) is not score:
        score = inner
    module = getmodule(score)
    own = getdoc(score) or ""
    home = (module.__doc__ if module is not None else "") or ""
    return cleandoc(own if metric.package and own else home or own)


def _paragraphs(text: str) -> list[str]:
    """Paragraphs, each on one line; those that are indented or listed keep their lines. What they say to readers of the
    code, such as "(see ``matching``)", is left out."""
    parts = [part for part in ASIDE.sub("", text).replace("``", "").split("\n\n") if part.strip()]
    return [part if part.startswith(("    ", "- ")) else " ".join(part.split()) for part in parts]
