"""Suites, metrics, systems, models and engines by name, from entry points: another package can add one without touching
this one.

What Karat brings keeps its name: a package that gives the same name to something else is reported and not used. Where
two other packages give one name, neither is used. What cannot be used costs nothing else: it is named together with its
package.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: what an entry point gives is known to its caller alone

from karat.core.expect.findings import METRIC_NAMES
from karat.core.metric import Metric
from karat.core.metrics.guarded_metrics import guarded
from karat.core.problems import UnknownName, UserError, did_you_mean
from karat.core.suite import Suite, SuiteOptions

if TYPE_CHECKING:
    from karat.core.system import SystemType

OWN = "karat"
SUITES, METRICS, SYSTEMS, MODELS, ENGINES = (
    f"karat.{word}" for word in ("suites", "metrics", "systems", "models", "engines")
)
GROUPS = (SUITES, METRICS, SYSTEMS, MODELS, ENGINES)


class BrokenPlugin(UnknownName):
    """Something of another package that cannot be used. The message names the package.

    >>> import karat
    >>> error = karat.BrokenPlugin("the suite colours cannot be loaded", "colours", ["karat-colours"])
    >>> error.message, isinstance(error, karat.UserError)
    ('the suite colours cannot be loaded', True)
    """

    def __init__(self, message: str, name: str, packages: Sequence[str]) -> None:
        super().__init__(message, name, ())
        self.packages = tuple(packages)
        self.hint = f"Update or remove the package: pip uninstall {' or '.join(packages)}"


class PluginWarning(UserWarning):
    """Something of another package that was left out.

    >>> import warnings, karat
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always", karat.PluginWarning)
    ...     warnings.warn("a metric was left out", karat.PluginWarning, stacklevel=1)
    >>> str(told[0].message)
    'a metric was left out'
    """


@cache
def _installed() -> dict[str, tuple[EntryPoint, ...]]:
    """All entry points by their group. Python reads what every installed package has, whichever group is asked for."""
    points = entry_points()
    return {group: tuple(points.select(group=group)) for group in GROUPS}


@cache
def _points(group: str) -> dict[str, tuple[tuple[str, EntryPoint], ...]]:
    """Every name of a group with all that is behind it and its package: what is Karat's own first, then by package.
    To ask a point for its package reads a file each time."""
    found: dict[str, list[tuple[str, EntryPoint]]] = {}
    packed = [(package_of(point), point) for point in _installed().get(group, ())]
    for package, point in sorted(packed, key=lambda one: (one[0] != OWN, one[0])):
        found.setdefault(point.name, []).append((package, point))
    return {name: tuple(points) for name, points in found.items()}


def package_of(point: EntryPoint) -> str:
    """The package that an entry point comes from."""
    return point.dist.name if point.dist is not None else "(unknown)"


def names(group: str) -> list[str]:
    """What is installed in a group (``karat.suites``, ``karat.systems``), without importing any of it."""
    return sorted(_points(group))


def packages(group: str, name: str) -> tuple[str, ...]:
    """The packages that give this name, the one whose is used first; Karat's own is ``karat``."""
    return tuple(package for package, _ in _points(group).get(name, ()))


def is_own(group: str, name: str) -> bool:
    """Whether the name is Karat's own."""
    return packages(group, name)[:1] == (OWN,)


def clash(group: str, name: str) -> str:
    """What is wrong where several packages give one name; empty where only one does."""
    first, *others = packages(group, name)
    if not others:
        return ""
    listed = " and ".join(f'"{package}"' for package in others)
    if first == OWN:
        return f'the package {listed} also has a {_noun(group)} "{name}": Karat\'s own is used'
    return f'the packages "{first}" and {listed} all have a {_noun(group)} "{name}": none of them is used'


def load(group: str, name: str, kind: type | None = None) -> Any:
    """The object behind a name. An unknown name is the user's mistake; what cannot be loaded, or is no ``kind``, is a
    BrokenPlugin."""
    points = _points(group)
    if name not in points:
        sql = ": SQL is judged by the suite answers" if group == SUITES and "sql" in name.lower() else ""
        raise UnknownName(f'there is no {_noun(group)} "{name}"{sql}', name, points)
    package, point = points[name][0]
    if package == OWN:
        return point.load()
    if len(points[name]) > 1:
        raise BrokenPlugin(clash(group, name), name, packages(group, name))
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        raise broken(group, name, f"cannot be loaded: {type(error).__name__}: {error}") from error
    expected = kind or _expected(group)
    if expected is not None and not isinstance(found, expected):
        raise broken(group, name, f"is of type {type(found).__name__}, not {expected.__name__}")
    if expected is not None and found.name != name:
        raise broken(group, name, f'calls itself "{found.name}"; its entry point must have the same name')
    return found


def broken(group: str, name: str, why: str) -> BrokenPlugin:
    """The error of something that cannot be used."""
    package = packages(group, name)[0]
    return BrokenPlugin(f'the {_noun(group)} "{name}" of the package "{package}" {why}', name, [package])


def _noun(group: str) -> str:
    return group.rpartition(".")[2].rstrip("s")


def _expected(group: str) -> type[Suite] | type[SystemType] | None:
    if group == SUITES:
        return Suite
    if group == SYSTEMS:
        from karat.core.system import SystemType

        return SystemType
    return None


# -- suites, with the metrics that other packages add to them ---------------------------------------------------------


@cache
def load_suite(name: str) -> Suite:
    """A suite by its name, with its metrics and those that other packages add. An added metric that cannot be used is
    left out with a warning."""
    suite: Suite = load(SUITES, name)
    if not is_own(SUITES, name):
        suite = _checked(suite)
    metrics = list(suite.metrics)
    for point in names(METRICS):
        if point.partition(".")[0] != name:
            continue
        try:
            metrics += added_metrics(point, metrics)
        except UserError as error:
            warnings.warn(f"{error.message}. It is left out.", PluginWarning, stacklevel=2)
    return suite if len(metrics) == len(suite.metrics) else replace(suite, metrics=tuple(metrics))


def suites() -> Iterator[Suite]:
    """Every suite that can be used; a warning for each that cannot."""
    for name in names(SUITES):
        try:
            yield load_suite(name)
        except BrokenPlugin as error:
            warnings.warn(f"{error.message}. It is left out.", PluginWarning, stacklevel=2)


def added_metrics(point: str, known: Sequence[Metric] = ()) -> list[Metric]:
    """The metrics behind an entry point, whose name is ``SUITE.ANYTHING``; BrokenPlugin when they cannot be used beside
    the known ones."""
    suite = point.partition(".")[0]
    if suite not in names(SUITES):
        raise broken(
            METRICS,
            point,
            f'is for the suite "{suite}", which is not installed. {did_you_mean(suite, names(SUITES))}'.rstrip(),
        )
    found = load(METRICS, point)
    metrics = list(found) if isinstance(found, list | tuple) else [found]
    taken = {word for metric in known for word in (metric.name, metric.full_name)}
    package = packages(METRICS, point)[0]
    for metric in metrics:
        if not isinstance(metric, Metric):
            raise broken(METRICS, point, f"is of type {type(metric).__name__}, not Metric")
        if fault := _name_fault(metric.name):
            raise broken(METRICS, point, fault)
        if {metric.name, metric.full_name} & taken:
            raise broken(METRICS, point, f'has the name "{metric.name}", which the suite {suite} has already')
        taken |= {metric.name, metric.full_name}
    return [replace(guarded(metric, package), package=package) for metric in metrics]


def _checked(suite: Suite) -> Suite:
    """A suite of another package whose parts are what they must be, its metrics guarded."""
    package = packages(SUITES, suite.name)[0]
    metrics: object = suite.metrics  # a dataclass checks no types when it is made
    options: object = suite.options
    if not isinstance(metrics, tuple) or not metrics or not all(isinstance(metric, Metric) for metric in metrics):
        raise broken(SUITES, suite.name, "has no metrics: they must be a tuple of Metric")
    if not (isinstance(options, type) and issubclass(options, SuiteOptions)):
        raise broken(SUITES, suite.name, "has options that do not extend SuiteOptions")
    seen: set[str] = set()
    for metric in metrics:
        if fault := _name_fault(metric.name):
            raise broken(SUITES, suite.name, fault)
        if {metric.name, metric.full_name} & seen:
            raise broken(SUITES, suite.name, f'has two metrics with the name "{metric.name}"')
        seen |= {metric.name, metric.full_name}
    return replace(
        suite,
        metrics=tuple(guarded(metric, package) for metric in metrics),
        recognises=partial(_recognises, suite),
    )


def _recognises(suite: Suite, path: Path) -> bool:
    """A suite that fails when it is shown other suites' files does not recognise them."""
    try:
        return bool(suite.recognises(path))
    except Exception as error:
        message = f"{broken(SUITES, suite.name, 'cannot look at').message} {path}: {type(error).__name__}: {error}"
        warnings.warn(message, PluginWarning, stacklevel=2)
        return False


def _name_fault(name: object) -> str:
    """Why a metric cannot have this name; empty when it can. What every suite has keeps its name."""
    from karat.core.results.usage import USAGE

    if not isinstance(name, str) or not name or name != name.strip() or any(char in name for char in "<>:;\n\t\"'"):
        return f"has a metric whose name {name!r} cannot be used in a gate"
    if name in {"errors", *METRIC_NAMES, *(metric.name for metric in USAGE)}:
        return f'has a metric "{name}", which every suite has already'
    return ""
