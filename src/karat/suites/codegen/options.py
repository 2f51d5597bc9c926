"""The options of the suite, as they are in ``karat.yaml`` under ``options`` or on the command line after
``--option``."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.suite import SuiteOptions
from karat.environments import Environment
from karat.tables.options import CompareOptions, Normalise, WholeNumbers

MOST_REPAIRS = 20
MOST_REPEATS = 100
MOST_SAMPLES = 100
LARGEST_SCALE = 1_024
FLOAT_NOISE = 1e-12
"""How far apart two numbers with the same digits may be, after arithmetic with floats."""


Strategy = Literal["repair", "fresh", "repair_tests", "restart"]


class Options(SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How code is run, how its result is compared, and how often a system may repair it."""

    max_recovery_attempts: int = 2
    """How often a system is asked to fix code that did not run."""
    strategies: tuple[Strategy, ...] = ()
    """Ways of asking again to compare, each from the same wrong first answer."""
    samples: int = 3
    """Rows of each table that a system sees when it is asked to repair its code."""
    rel_tol: float = 1e-4
    """The relative tolerance: numbers that are not both whole are equal within this share of the larger."""
    abs_tol: float = 1e-9
    """The absolute tolerance: such numbers are also equal within this distance."""
    whole_numbers: WholeNumbers = "exact"
    """``exact``: two whole numbers must be identical; ``tolerance``: they may differ like other numbers."""
    normalise: Normalise = Normalise()
    """The differences in notation that are accepted as equal, including ``rounding``."""
    asked_digits: bool = True
    """Digits must agree exactly if the question asks for a precision or the reference rounds."""
    extra_columns: bool = False
    """Accept a result with more columns than expected; otherwise its correctness is at most 0.5."""
    perturb: bool | Literal["yes", "quick", "no"] = "yes"
    """Run right code again on changed copies of the tables, if there is a reference; ``quick`` uses one copy of each
    kind."""
    relations: bool | Literal["auto", "no"] = "auto"
    """``auto``: also run right code on tables with other orders of rows and columns, and report what depends on
    them."""
    performance: bool = True
    """Measure right code against the reference."""
    timing: Literal["auto", "paired", "instructions"] = "auto"
    """How time is measured: ``paired`` by the clock, in pairs of runs; ``instructions`` by the processor's counter;
    ``auto`` by the counter if this machine has one."""
    repeats_for_timing: int = 9
    """How many pairs of runs (code and reference) are made first at each scale."""
    growth: bool = False
    """Measure how the time of right code grows with the rows of the tables."""
    scales: tuple[int, ...] = (1, 4, 16)
    """The sizes of the tables at which code is measured, as multiples of their rows; 1 is the task's own tables."""
    session_timeout: float = 120.0
    """Seconds that the code of all steps of a session may take together."""
    max_calls: int | None = None
    """How often a system may be called for one session; steps after that are missing."""
    max_tokens: int | None = None
    """Tokens that one session may take, as far as the system reports them."""
    max_cost: float | None = None
    """What one session may cost, as far as the system reports it."""
    python: str = ""
    """Another Python to run the code with: results differ between versions of pandas."""
    environment: str = ""
    """The environment for tasks that name none."""
    environments: dict[str, Environment] = msgspec.field(default_factory=dict)
    """The environments of the project, filled in from ``karat.yaml``."""
    unsafe: bool = False
    """Run code even if this machine has too few sandbox layers (see ``karat doctor``), at your own risk."""
    vocabulary: str = "auto"
    """The language that questions are read in: ``en``, ``de``, ``fr``, ``es``, or a vocabulary file of your own.
    ``auto`` recognises it in each question."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.max_recovery_attempts <= MOST_REPAIRS:
            raise ValueError(f"max_recovery_attempts must be 0 to {MOST_REPAIRS}")
        if len(set(self.strategies)) < len(self.strategies):
            raise ValueError("strategies must name each strategy once")
        if not 0 <= self.samples <= MOST_SAMPLES:
            raise ValueError(f"samples must be 0 to {MOST_SAMPLES}")
        if self.perturb_level not in ("yes", "quick", "no"):
            raise ValueError("perturb must be yes, quick or no")
        if self.relations not in (True, False, "auto", "no"):
            raise ValueError("relations must be auto or no")
        for name in ("rel_tol", "abs_tol"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1")
        for name in ("session_timeout", "max_calls", "max_tokens", "max_cost"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} must be above 0")
        if not 1 <= self.repeats_for_timing <= MOST_REPEATS:
            raise ValueError(f"repeats_for_timing must be 1 to {MOST_REPEATS}")
        if not self.scales or any(not 1 <= scale <= LARGEST_SCALE for scale in self.scales):
            raise ValueError(f"scales must name at least one whole number, each 1 to {LARGEST_SCALE}")

    @property
    def perturb_level(self) -> Literal["yes", "quick", "no"]:
        """``perturb`` as a word: ``true`` is yes, ``false`` is no."""
        if isinstance(self.perturb, bool):
            return "yes" if self.perturb else "no"
        return self.perturb

    def compare_options(self) -> CompareOptions:
        """What counts as equal, in the words of the tables. A row as a series is as good as a row of a frame."""
        switches = msgspec.structs.asdict(self.normalise)
        return CompareOptions(
            self.rel_tol,
            self.abs_tol,
            allow_shape=True,
            whole_numbers=self.whole_numbers,
            nested=True,
            **switches,
        )

    def with_exact_digits(self) -> Options:
        """The same options, under which no rounding is forgiven and floats differ by noise only."""
        return msgspec.structs.replace(
            self,
            rel_tol=min(self.rel_tol, FLOAT_NOISE),
            abs_tol=min(self.abs_tol, FLOAT_NOISE),
            whole_numbers="exact",
            normalise=msgspec.structs.replace(self.normalise, rounding=False),
        )
