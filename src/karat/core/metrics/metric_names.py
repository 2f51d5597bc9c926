"""A metric by any of its names: ``recall_at_10``, ``R@10`` and ``R(cutoff=10)`` are the same one, and so are ``rr`` and
``RR``, its title in reports."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import JsonObject
from karat.core.metric import Metric
from karat.core.metrics.parameters import distance, parse_name, read_values
from karat.core.problems import UnknownName, UserError

SHOWN = 12
"""Names that an error lists."""


def find_metric(text: str, metrics: Sequence[Metric], what: str = "") -> Metric:
    """The metric of that name. UnknownName, with the nearest one that there is, when none has it; UserError for a value
    that cannot be.

    ``what`` begins the message where "there is no metric" is not enough.
    """
    for metric in metrics:
        if text in (metric.name, metric.full_name):
            return metric
    titled = [metric for metric in metrics if metric.title == text]
    if len(titled) == 1:  # RR is the metric of that title; only RR@10 is one with a cutoff
        return titled[0]
    message = what or f'there is no metric "{text}"'
    known = list(dict.fromkeys(name for metric in metrics for name in (metric.name, metric.full_name)))
    parsed = parse_name(text)
    family = _family(parsed[0], metrics) if parsed else []
    if parsed is None or not family:
        raise UnknownName(message, text, known)
    _, named, first = parsed
    parameters = family[0].parameters
    if first is not None:
        if parameters[0].name in named:
            raise UserError(f'"{text}" gives {parameters[0].name} twice', hint=f"Write {family[0].full_name}.")
        named[parameters[0].name] = first
    values = read_values(parameters, dict(named), family[0].base)
    exact = [metric for metric in family if dict(metric.values) == values]
    if exact:
        return exact[0]
    raise _not_computed(message, text, family, values)


def has_metric(text: str, metrics: Sequence[Metric]) -> bool:
    """Whether a metric has that name."""
    try:
        find_metric(text, metrics)
    except UserError:
        return False
    return True


def _family(base: str, metrics: Sequence[Metric]) -> list[Metric]:
    """The metrics of one kind with different values; capitals count only where they are needed to tell two kinds
    apart."""
    own = [metric for metric in metrics if metric.values]
    exact = [metric for metric in own if metric.base == base]
    if exact:
        return exact
    alike = [metric for metric in own if metric.base.casefold() == base.casefold()]
    return alike if len({metric.base for metric in alike}) == 1 else []


def _not_computed(message: str, text: str, family: Sequence[Metric], values: JsonObject) -> UnknownName:
    """The error for values that the suite does not compute: which it does, the nearest first."""
    near = sorted(family, key=lambda metric: distance(metric.values, values))
    names = [metric.full_name for metric in family[:SHOWN]]
    more = f" and {len(family) - SHOWN} more" if len(family) > SHOWN else ""
    error = UnknownName(message, text, names)
    error.nearest = near[0].full_name
    error.hint = f'Did you mean "{near[0].full_name}"? Computed are {", ".join(names)}{more}.'
    return error
