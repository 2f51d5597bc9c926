"""How good predictions are: the metrics of DA-Code's models and DSBench's competitions, over columns of equal length.

Numbers are floats; labels are texts, compared but for case and blanks at their ends. A metric that cannot be computed
raises :class:`NoMetric` with the reason: a prediction that is missing or no number, one class only, other columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias  # Any: arrays of numpy, which is imported when models are judged

from karat.sandbox import Plain
from karat.suites.codegen.published.plain_answers import number_of, text_of

Values: TypeAlias = Sequence[Plain]
LOWER_IS_BETTER = frozenset(
    {
        "mae",
        "mse",
        "rmse",
        "rmsle",
        "msle",
        "medae",
        "smape",
        "smape_share",
        "logloss",
        "logloss_class",
        "logloss_total",
    }
)
LEAST = 1e-15


class NoMetric(Exception):
    """Why there is no figure."""


def value_of(metric: str, truth: Sequence[Values], given: Sequence[Values], average: str = "") -> float:
    """The metric over columns that belong together; of several columns the mean, except where a row of them is one
    answer."""
    if metric in TOGETHER:
        return _finite(TOGETHER[metric](_matrix(truth), _matrix(given)))
    if metric == "f1":
        return _f1(_labels(truth[0]), _labels(given[0]), average or "weighted")
    if metric in OF_TEXTS:
        return _finite(sum(OF_TEXTS[metric](a, b) for a, b in zip(truth, given, strict=True)) / len(truth))
    if metric not in OF_NUMBERS:
        raise NoMetric(f"the metric {metric} is not known")
    found = [OF_NUMBERS[metric](_numbers(a), _numbers(b)) for a, b in zip(truth, given, strict=True)]
    return _finite(sum(found) / len(found))


def silhouette(features: Sequence[Values], labels: Values) -> float:
    """The mean silhouette of clusters by Euclidean distance; a row that is alone in its cluster counts 0."""
    import numpy

    points, names = _matrix(features), _labels(labels)
    kinds = sorted(set(names))
    if len(kinds) < 2:
        raise NoMetric("there is only one cluster")
    masks = [numpy.array([name == kind for name in names]) for kind in kinds]
    found = []
    for place, name in enumerate(names):
        distances = numpy.sqrt(((points - points[place]) ** 2).sum(axis=1))
        own = next(number for number, kind in enumerate(kinds) if kind == name)
        count = int(masks[own].sum())
        inside = distances[masks[own]].sum() / (count - 1) if count > 1 else 0.0
        beside = min(distances[mask].mean() for number, mask in enumerate(masks) if number != own)
        largest = max(inside, beside)
        found.append((beside - inside) / largest if count > 1 and largest > 0 else 0.0)
    return _finite(float(numpy.mean(found)))


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise NoMetric("it is not a number")
    return float(value)


def _numbers(values: Values) -> Any:
    import numpy

    found = [float(one) if isinstance(one, bool) else number_of(one) for one in values]
    words = {"true": 1.0, "false": 0.0}
    found = [
        words.get(text_of(raw).strip().lower()) if one is None else one for one, raw in zip(found, values, strict=True)
    ]
    if any(one is None for one in found):
        raise NoMetric("a value is missing or no number")
    return numpy.array(found, dtype=float)


def _matrix(columns: Sequence[Values]) -> Any:
    import numpy

    return numpy.column_stack([_numbers(column) for column in columns])


def _labels(values: Values) -> list[str]:
    """Whole floats are whole numbers: 1.0 is the label 1."""
    found = []
    for value in values:
        number = None if isinstance(value, bool) else number_of(value)
        said = str(int(value)) if isinstance(value, bool) else text_of(value).strip().lower()
        said = {"true": "1", "false": "0"}.get(said, said)
        found.append(str(int(number)) if number is not None and number == int(number) else said)
    return found


# -- one column of numbers --------------------------------------------------------------------------------------------


def _r2(truth: Any, given: Any) -> float:
    spread = float(((truth - truth.mean()) ** 2).sum())
    left = float(((truth - given) ** 2).sum())
    if spread == 0:
        return 1.0 if left == 0 else 0.0
    return 1 - left / spread


def _rmsle(truth: Any, given: Any) -> float:
    return math.sqrt(_msle(truth, given))


def _msle(truth: Any, given: Any) -> float:
    import numpy

    if (given <= -1).any() or (truth <= -1).any():
        raise NoMetric("the logarithm of a value does not exist")
    return float(((numpy.log1p(given) - numpy.log1p(truth)) ** 2).mean())


def _smape(truth: Any, given: Any) -> float:
    import numpy

    size = (numpy.abs(truth) + numpy.abs(given)) / 2
    there = size > 0
    return float((numpy.abs(truth - given)[there] / size[there]).sum() / len(truth))


def _auc(truth: Any, given: Any) -> float:
    """The chance that a positive row is ranked above a negative one; ties count half."""
    import numpy

    kinds = numpy.unique(truth)
    if len(kinds) != 2:
        raise NoMetric("the truth has not two classes")
    positive = truth == kinds[1]
    _, places, counts = numpy.unique(given, return_inverse=True, return_counts=True)
    ends = numpy.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[places]
    ones, others = int(positive.sum()), int((~positive).sum())
    return float((ranks[positive].sum() - ones * (ones + 1) / 2) / (ones * others))


def _gini(truth: Any, given: Any) -> float:
    """Normalised: that of the predictions by that of the truth."""
    return _gini_of(truth, given) / _gini_of(truth, truth)


def _gini_of(truth: Any, given: Any) -> float:
    import numpy

    ordered = truth[numpy.lexsort((numpy.arange(len(truth)), -given))]
    if ordered.sum() == 0:
        raise NoMetric("the truth has one class")
    return float(ordered.cumsum().sum() / ordered.sum() - (len(truth) + 1) / 2) / len(truth)


def _kappa(truth: Any, given: Any) -> float:
    """Cohen's, with quadratic weights."""
    import numpy

    if (truth != truth.round()).any() or (given != given.round()).any():
        raise NoMetric("a label is not a whole number")
    kinds, places = numpy.unique(numpy.concatenate([truth, given]), return_inverse=True)
    if len(kinds) > 1_000:
        raise NoMetric("there are more than 1,000 labels")
    first, second = places[: len(truth)], places[len(truth) :]
    seen = numpy.zeros((len(kinds), len(kinds)))
    numpy.add.at(seen, (first, second), 1)
    weights = (numpy.arange(len(kinds))[:, None] - numpy.arange(len(kinds))[None, :]) ** 2
    chance = numpy.outer(seen.sum(axis=1), seen.sum(axis=0)) / len(truth)
    expected = float((weights * chance).sum())
    return 1.0 if expected == 0 else 1 - float((weights * seen).sum()) / expected


def _binary_logloss(truth: Any, given: Any) -> float:
    import numpy

    share = numpy.clip(given, LEAST, 1 - LEAST)
    return float(-(truth * numpy.log(share) + (1 - truth) * numpy.log(1 - share)).mean())


def _pearson(truth: Any, given: Any) -> float:
    import numpy

    if truth.std() == 0 or given.std() == 0:
        raise NoMetric("a column is constant")
    return float(numpy.corrcoef(truth, given)[0, 1])


def _spearman(truth: Any, given: Any) -> float:
    return _pearson(_ranks(truth), _ranks(given))


def _ranks(values: Any) -> Any:
    import numpy

    _, places, counts = numpy.unique(values, return_inverse=True, return_counts=True)
    return (numpy.cumsum(counts) - (counts - 1) / 2)[places]


OF_NUMBERS: dict[str, Callable[[Any, Any], float]] = {
    "r2": _r2,
    "mae": lambda truth, given: float(abs(truth - given).mean()),
    "mse": lambda truth, given: float(((truth - given) ** 2).mean()),
    "rmse": lambda truth, given: math.sqrt(float(((truth - given) ** 2).mean())),
    "medae": lambda truth, given: (
        float(sorted(abs(truth - given))[len(truth) // 2])
        if len(truth) % 2
        else float(sum(sorted(abs(truth - given))[len(truth) // 2 - 1 : len(truth) // 2 + 1]) / 2)
    ),
    "rmsle": _rmsle,
    "msle": _msle,
    "smape": lambda truth, given: 100 * _smape(truth, given),
    "smape_share": _smape,
    "roc_auc_score": _auc,
    "gini": _gini,
    "quadratic_weighted_kappa": _kappa,
    "logloss": _binary_logloss,
    "pearson": _pearson,
    "spearman": _spearman,
}


# -- one column of texts ----------------------------------------------------------------------------------------------


def _accuracy(truth: Values, given: Values) -> float:
    return sum(a == b for a, b in zip(_labels(truth), _labels(given), strict=True)) / len(truth)


def _f1(truth: list[str], given: list[str], average: str) -> float:
    if average == "micro":
        return sum(a == b for a, b in zip(truth, given, strict=True)) / len(truth)
    kinds = sorted({*truth, *given})
    found: dict[str, float] = {}
    for kind in kinds:
        both = sum(a == b == kind for a, b in zip(truth, given, strict=True))
        found[kind] = 2 * both / (truth.count(kind) + given.count(kind))
    if average == "binary":
        return found.get("1", 0.0)
    if average == "macro":
        return sum(found.values()) / len(found)
    return sum(found[kind] * truth.count(kind) for kind in kinds) / len(truth)


def _jaccard(truth: Values, given: Values) -> float:
    found = 0.0
    for one, other in zip(truth, given, strict=True):
        first, second = set(text_of(one).lower().split()), set(text_of(other).lower().split())
        found += len(first & second) / len(first | second) if first | second else 1.0
    return found / len(truth)


def _in_first_three(truth: Values, given: Values) -> float:
    return sum(text_of(a) in text_of(b).split()[:3] for a, b in zip(truth, given, strict=True)) / len(truth)


OF_TEXTS: dict[str, Callable[[Values, Values], float]] = {
    "accuracy": _accuracy,
    "jaccard": _jaccard,
    "in_first_three": _in_first_three,
}


# -- rows of several columns ------------------------------------------------------------------------------------------


def _class_logloss(truth: Any, given: Any) -> float:
    """Shares of classes: natural logarithms, the mean over the rows."""
    import numpy

    share = numpy.clip(given, LEAST, 1 - LEAST)
    share = share / share.sum(axis=1, keepdims=True)
    return float(-(truth * numpy.log(share)).sum() / len(truth))


def _half_bits(truth: Any, given: Any) -> Any:
    """As DA-Code has it: logarithms to the base 2, halved, of shares that add up to 1 in a row of several."""
    import numpy

    total = given.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise NoMetric("the shares of a row add up to 0")
    share = numpy.clip(given / total, LEAST, 1 - LEAST)
    return -(truth * numpy.log2(share)).sum(axis=0) / 2


TOGETHER: dict[str, Callable[[Any, Any], float]] = {
    "class_logloss": _class_logloss,
    "logloss_class": lambda truth, given: float((_half_bits(truth, given) / (truth != 0).sum(axis=0)).sum()),
    "logloss_total": lambda truth, given: float(_half_bits(truth, given).sum() / len(truth)),
    "mean_absolute": lambda truth, given: float(abs(truth - given).mean()),
}
