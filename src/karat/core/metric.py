"""What a metric is: a named number of one comparison, with its formula, its kind and its parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar  # Any: a plain ``Metric`` is one of any comparison

from karat.core.metrics.parameters import Parameter, Value, read_values, suffix_of
from karat.core.scores import Score

if TYPE_CHECKING:  # a plain ``Metric`` is one of anything; only the type checker needs to know that
    from typing_extensions import TypeVar as TypeVarWithDefault

    Comparison = TypeVarWithDefault("Comparison", default=Any)
else:
    Comparison = TypeVar("Comparison")

Kind = Literal["share", "rate", "quantity"]
"""``share``: a number in 0…1. ``rate``: 0 or 1 a case, so the mean is a pass rate. ``quantity``: seconds, tokens,
money."""


@dataclass(frozen=True)
class Metric(Generic[Comparison]):
    """A named number of one comparison, with its whole meaning in ``formula``.

    >>> import karat
    >>> def right(answer: str) -> karat.Score:
    ...     return karat.scored(float(answer == "37"))
    >>> metric = karat.Metric("right", "right answers", "1 if the answer is 37, else 0", right, kind="rate")
    >>> metric.score("37").value
    1.0
    """

    name: str
    title: str
    formula: str
    score: Callable[[Comparison], Score]
    kind: Kind = "share"
    higher_is_better: bool = True
    headline: bool = False
    """Shown in the terminal's table; the others are in the reports."""
    zero_on_error: bool = True
    """Whether ``errors: zero`` gives a failed call 0 here. False where the case may not ask for this at all."""
    counts_all: bool = False
    """A failed or missing answer is simply not right here: it counts 0, so that the mean is over all cases."""
    noise: float = 0.0
    """How far apart the values of one case may be when nothing has changed: more than 0 where time is measured."""
    parameters: tuple[Parameter, ...] = ()
    """What can be set, such as a cutoff. ``score`` takes each as a keyword with the same default, and ``formula`` may
    name it: ``{cutoff}``."""
    values: tuple[tuple[str, Value], ...] = ()
    """The value of each parameter, see :meth:`with_parameters`."""
    base: str = ""
    """The name without values: ``R`` of ``R@10``."""
    noted: bool = False
    """Its scores come from the notes of a run (``Suite.noted``); a run without them does not list it."""
    held_out_by: str = ""
    """The metric that says the same without bias. Where a run has that one, this one is shown as in-sample."""
    package: str = ""
    """The package that added the metric to a suite of another; filled in when it is loaded."""

    def __post_init__(self) -> None:
        if self.parameters and not self.values:
            known = signature(self.score).parameters
            for one in self.parameters:
                if one.name not in known or known[one.name].default != one.default:
                    raise TypeError(f"the score of the metric {self.name} must take {one.name}={one.default!r}")

    def with_parameters(self, **given: Value) -> Metric[Comparison]:
        """The metric with these values, the default for what is left out: ``R.with_parameters(cutoff=10)`` is
        ``R@10``."""
        if self.values or not self.parameters:
            raise TypeError(f"the metric {self.name} has no parameters left to set")
        values = read_values(self.parameters, given, self.name)
        suffix = suffix_of(self.parameters, values)
        return replace(
            self,
            name=self.name + suffix,
            title=self.title + suffix,
            formula=self.formula.format(**values),
            score=partial(self.score, **values),
            values=tuple(values.items()),
            base=self.name,
        )

    @property
    def full_name(self) -> str:
        """The name with its values, such as ``R@10``; just the name where there are none."""
        return self.base + suffix_of(self.parameters, dict(self.values)) if self.values else self.name


_SAID_OF_A_CASE = re.compile(r"(right|fully|correct|\w+ed)\b", re.IGNORECASE)


def right_words(right: int, of: int, title: str, *, partly: int = 0) -> str:
    """``85 of 118 fully right``, ``4 of 16 passed``; of a title that does not describe a case ``158 of 199 right by
    spider2``. ``partly``: cases with some of their turns right, which the mean counts and the number of right ones does
    not."""
    said = title if _SAID_OF_A_CASE.match(title) else f"right by {title}"
    return f"{right:,} of {of:,} {said}{f' ({partly:,} in part)' if partly else ''}"


def pass_metric(metrics: Sequence[Metric]) -> Metric | None:
    """The metric by which a case of the suite is right: the first headline rate, else the first rate, else the first
    share."""
    good = [metric for metric in metrics if metric.higher_is_better and metric.kind != "quantity"]
    good.sort(key=lambda metric: (metric.kind != "rate", not metric.headline))
    return good[0] if good else None


def in_sample(metric: Metric[Comparison], headline: Sequence[str]) -> Metric[Comparison]:
    """Its title says so where the run has the same figure held out."""
    if metric.held_out_by not in headline or not metric.held_out_by:
        return metric
    return replace(metric, title=f"{metric.title}, in-sample")
