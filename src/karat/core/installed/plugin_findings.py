"""What other packages add here, and what of it cannot be used and why, for ``karat doctor``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from karat.core import plugins
from karat.core.problems import UserError


class PluginFinding(msgspec.Struct, frozen=True):
    """Something of another package. ``fault``: why it cannot be used; empty when it can."""

    group: str
    name: str
    package: str
    summary: str = ""
    fault: str = ""

    @property
    def what(self) -> str:
        """``suite yes_no``."""
        return f"{self.group.rpartition('.')[2].rstrip('s')} {self.name}"


def plugin_findings(group: str, describe: Callable[[str], str]) -> Iterator[PluginFinding]:
    """All that other packages give a group. ``describe`` loads one and says what it is, or raises UserError."""
    for name in plugins.names(group):
        own = plugins.is_own(group, name)
        packages = plugins.packages(group, name)
        if fault := plugins.clash(group, name):
            for package in packages[1:] if own else packages:
                yield PluginFinding(group, name, package, fault=fault)
        elif not own:
            try:
                yield PluginFinding(group, name, packages[0], describe(name))
            except UserError as error:
                yield PluginFinding(group, name, packages[0], fault=error.message)


def describe_suite(name: str) -> str:
    """The summary of a suite."""
    return plugins.load_suite(name).summary


def describe_system(name: str) -> str:
    """The summary of a system."""
    return str(plugins.load(plugins.SYSTEMS, name).summary)


def describe_metrics(name: str) -> str:
    """The metrics behind an entry point, with the parameters that they have."""
    suite = (
        plugins.load_suite(name.partition(".")[0]) if name.partition(".")[0] in plugins.names(plugins.SUITES) else None
    )
    known = [metric for metric in suite.metrics if not metric.package] if suite is not None else []
    found = plugins.added_metrics(name, known)
    return f"for the suite {name.partition('.')[0]}: {', '.join(metric.name for metric in found)}"
