"""What a run is to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from karat.core.problems import Problem
from karat.core.records import AnyCase
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import System, SystemConfig
from karat.runs.calls.stopping import GRACE
from karat.runs.case_order import CaseOrder, Order
from karat.runs.tracing.spans import Traces


@dataclass(frozen=True)
class Job:
    """What to run: which cases, against what, how often."""

    suite: Suite
    cases: Sequence[AnyCase]
    """A million of them are read a chunk at a time (``core.bulk``): going through them is cheap, picking single ones is
    not."""
    options: SuiteOptions
    config: SystemConfig
    system: str
    """The name people know the system by."""
    name: str = ""
    cases_path: str = ""
    repeats: int = 1
    order: Order = "random"
    """In which order the cases are asked."""
    seed: int | None = None
    """Of a random order; None for the file's, or before the run has one."""
    grace: float = GRACE
    """Seconds that calls in flight have to finish after Ctrl-C."""
    tags: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: frozenset[str] | None = None
    """The ids of cases that were left out on purpose: recorded answers to them are nothing to report. None: nobody
    knows any more."""
    reuse: str = ""
    """A file of answers to take from and add to; see ``karat.runs.calls.reuse``."""
    traces: Traces | None = None
    """Where spans of the run go; None: nowhere."""
    opened: System | None = None
    """An open system, when it was given as a Python object and cannot be opened by its settings."""

    @cached_property
    def case_order(self) -> CaseOrder:
        """The places of the cases, as they are asked."""
        return CaseOrder(len(self.cases), self.seed)
