"""Models of DA-Code and competitions of DSBench: predictions in a table, held against the true labels by a metric.

The figure says where the metric lies between a bound that counts 0 and one that counts 1. Strict: rows belong together
by their id where both tables have one, and a metric that is better when it is lower counts from the higher bound down.
Official: rows by their place; DA-Code counts every metric from ``lower_bound`` up, so that worse predictions get more
where a lower metric is better and its lower bound is the smaller one.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.suite import NotApplicable
from karat.sandbox import Column, Plain, Table
from karat.suites.codegen.published.csv_columns import csv_columns
from karat.suites.codegen.published.model_metrics import LOWER_IS_BETTER, NoMetric, Values, silhouette, value_of
from karat.suites.codegen.published.plain_answers import text_of
from karat.suites.codegen.records import Published

MOST_ROWS = 6_000
LABELS = ("label", "labels", "class", "classes", "result", "results", "target", "prediction")


class ModelFigures(msgspec.Struct, frozen=True):
    """Both figures, the metric behind the strict one, and why there is none."""

    official: float
    strict: float | None
    metric: float | None = None
    problem: str = ""


class ModelRule(msgspec.Struct, frozen=True):
    """How predictions are judged."""

    metric: str
    zero: float
    """What the metric is for a figure of 0, and ``one`` for a figure of 1."""
    one: float
    columns: tuple[str, ...] = ()
    """The columns that are predicted; none: found in the gold."""
    average: str = ""
    rest: bool = False
    """All columns but the id are predicted."""
    exact: bool = False
    """The columns and ids are those of the gold."""
    clipped: bool = True
    """Whether the official figure ends at 1."""
    official_zero: float | None = None
    official_one: float | None = None


def figures(rule: ModelRule, gold: str, result: Plain) -> ModelFigures:
    """What predictions are worth."""
    truth = csv_columns(gold)
    if not isinstance(result, Table):
        return ModelFigures(0.0, 0.0, problem="it left no table of predictions")
    if len(truth) == 0 or not truth[0].values:
        raise NotApplicable("gold_error: the true labels are empty")
    targets = _targets(rule, truth)
    given = [_column(result.columns, name) for name in targets]
    missing = [name for name, column in zip(targets, given, strict=True) if column is None]
    if missing and len(targets) == 1 and len(result.columns) == 1:
        given, missing = [result.columns[0]], []
    if missing:
        return ModelFigures(0.0, 0.0, problem=f'there is no column "{missing[0]}"')
    if rule.exact and len(result.columns) != len(truth):
        return ModelFigures(0.0, 0.0, problem=f"its columns are not {_names(truth)}")
    height = len(truth[0].values)
    if result.height != height:
        return ModelFigures(0.0, 0.0, problem=f"{result.height} rows of predictions for {height}")
    wanted = [_values(_column(truth, name)) for name in targets]
    columns = [_values(column) for column in given]
    by_place = _metric(rule, wanted, columns)
    order = _order(truth, result.columns, targets)
    if isinstance(order, str):
        by_place = order if rule.exact else by_place
    by_id: float | str
    if isinstance(order, str):
        by_id = order
    elif order is None:
        by_id = by_place
    else:
        by_id = _metric(rule, wanted, [[one[place] for place in order] for one in columns])
    if rule.official_zero is not None and rule.metric in ("accuracy", "f1") and _unheard_of(wanted[0], columns[0]):
        by_place = "a label that is not among the true ones"
    zero = rule.zero if rule.official_zero is None else rule.official_zero
    one = rule.one if rule.official_one is None else rule.official_one
    official = 0.0 if isinstance(by_place, str) else max(0.0, _scaled(by_place, zero, one))
    official = min(1.0, official) if rule.clipped else official
    if isinstance(by_id, str):
        return ModelFigures(official, 0.0, problem=by_id)
    return ModelFigures(official, min(1.0, max(0.0, _scaled(by_id, rule.zero, rule.one))), by_id)


def cluster_figure(rule: ModelRule, result: Plain) -> ModelFigures:
    """A clustering has no truth: the answer brings the features that its clusters are measured by. So there is an
    official figure and no verdict. Of many rows an even part is measured."""
    if not isinstance(result, Table):
        return ModelFigures(0.0, 0.0, problem="it left no table of clusters")
    labels = _column(result.columns, "Cluster")
    if labels is None:
        return ModelFigures(0.0, 0.0, problem='there is no column "Cluster"')
    features = [column for column in result.columns if not _is_id(column)]
    step = max(1, -(-result.height // MOST_ROWS))
    try:
        found = silhouette([column.values[::step] for column in features], labels.values[::step])
    except NoMetric as problem:
        return ModelFigures(0.0, 0.0, problem=str(problem))
    return ModelFigures(min(1.0, max(0.0, _scaled(max(0.0, found), rule.zero, rule.one))), None, found)


def dacode_rule(options: JsonMapping) -> ModelRule:
    """The rule of a task of DA-Code. Raises NotApplicable where its bounds say nothing."""
    metric = str(options.get("metric") or "").strip().lower().replace(" ", "_")
    lower, upper = options.get("lower_bound", 0.0), options.get("upper_bound", 0.9)
    if not isinstance(lower, int | float) or not isinstance(upper, int | float) or lower == upper:
        raise NotApplicable("gold_error: its bounds are not two numbers")
    best, worst = (min(lower, upper), max(lower, upper)) if metric in LOWER_IS_BETTER else (upper, lower)
    named = next((str(options[key]) for key in options if "target" in key and options[key]), "")
    return ModelRule(
        metric,
        float(worst),
        float(best),
        (named,) if named and not options.get("competition") else (),
        str(options.get("average") or ""),
        rest=bool(options.get("competition")),
        exact=bool(options.get("competition")),
        official_zero=float(lower),
        official_one=float(upper),
    )


def _scaled(value: float, zero: float, one: float) -> float:
    return (value - zero) / (one - zero)


def _metric(rule: ModelRule, wanted: Sequence[Values], given: Sequence[Values]) -> float | str:
    try:
        return value_of(rule.metric, wanted, given, rule.average)
    except NoMetric as problem:
        return f"the metric {rule.metric} cannot be computed: {problem}"


def _unheard_of(wanted: Values, given: Values) -> bool:
    """Whether texts are predicted that the truth does not have: DA-Code gives nothing for such a table."""
    if not all(isinstance(one, str) for one in wanted):
        return False
    known = {text_of(one).strip().lower() for one in wanted}
    return any(text_of(one).strip().lower() not in known for one in given)


def _targets(rule: ModelRule, truth: Sequence[Column]) -> list[str]:
    """The columns of the gold that are predicted."""
    if rule.columns:
        found = [_column(truth, name) for name in rule.columns]
        if all(column is not None for column in found):
            return [str(column.name) for column in found if column is not None]
        if len(truth) > 1:
            raise NotApplicable(f"gold_error: the true labels have no column {', '.join(rule.columns)}")
    if len(truth) == 1:
        return [str(truth[0].name)]
    left = [column for column in truth if not _is_id(column)]
    if rule.rest or len(left) == 1:
        return [str(column.name) for column in left]
    named = [column for column in left if str(column.name).strip().lower() in LABELS]
    if len(named) != 1:
        raise NotApplicable(f"gold_error: which column is predicted is not stated: {_names(left)}")
    return [str(named[0].name)]


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(str(column.name) for column in columns[:10])


def _column(columns: Sequence[Column], name: str) -> Column | None:
    """By its name; else but for case and blanks."""
    exact = [column for column in columns if str(column.name) == name]
    alike = [column for column in columns if _folded(str(column.name)) == _folded(name)]
    return exact[0] if exact else alike[0] if len(alike) == 1 else None


def _folded(name: str) -> str:
    return "".join(name.lower().replace("_", " ").split())


def _values(column: Column | None) -> Values:
    return () if column is None else column.values


def _is_id(column: Column) -> bool:
    """A column of names of rows: called so, and nearly all different."""
    name = str(column.name).lower()
    parts = name.replace("_", " ").replace("-", " ").split()
    called = not name.strip() or name.startswith("unnamed") or "id" in parts or name.endswith(("id", "identifier"))
    return called and len({text_of(value) for value in column.values}) > 0.8 * len(column.values)


def _order(truth: Sequence[Column], given: Sequence[Column], targets: Sequence[str]) -> list[int] | str | None:
    """For each row of the gold, the row of the predictions with its id; None where there are no ids in both, a text
    where they are others."""
    for column in truth:
        if str(column.name) in targets or not _is_id(column):
            continue
        other = _column(given, str(column.name))
        if other is None:
            continue
        places = {text_of(value): place for place, value in enumerate(other.values)}
        names = [text_of(value) for value in column.values]
        if len(set(names)) < len(names):
            continue
        if set(places) != set(names):
            return f'the ids in "{column.name}" are not those of the rows to predict'
        return [places[name] for name in names]
    return None


def rule_of(published: Published) -> ModelRule:
    """The rule of an answer; DSBench's loader has written it down."""
    if published.scorer == "dacode_model":
        return dacode_rule(published.options)
    return msgspec.convert(published.options, ModelRule)


def as_options(rule: ModelRule) -> dict[str, Json]:
    """A rule as plain data."""
    found: dict[str, Json] = msgspec.to_builtins(rule)
    return found
