"""Suites and systems by name, from entry points, so that another package can add one without touching this one."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from karat.core.problems import UnknownName
from karat.core.suite import Suite


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


def names(group: str) -> list[str]:
    """What is installed in a group (``karat.suites``, ``karat.systems``), without importing any of it."""
    return sorted(_points(group))


def load(group: str, name: str) -> Any:
    """The object behind a name; an unknown name is the user's mistake."""
    points = _points(group)
    if name not in points:
        noun = group.rpartition(".")[2].rstrip("s")
        raise UnknownName(f'there is no {noun} "{name}"', name, points)
    return points[name].load()


def load_suite(name: str) -> Suite:
    """A suite by its name."""
    suite = load("karat.suites", name)
    if not isinstance(suite, Suite):
        raise TypeError(f"entry point {name!r} in karat.suites is not a Suite")
    return suite
