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
    """Ways of asking again that are compared, each from the same first answer, if that is wrong."""
    samples: int = 3
    """Rows of each table that a system sees when it is asked to repair its code."""
    rel_tol: float = 1e-4
    """Two numbers of a result, not both whole, are equal within this share of the larger."""
    abs_tol: float = 1e-9
    """And always within this distance."""
    whole_numbers: WholeNumbers = "exact"
    """Two whole numbers must be the same; ``tolerance``: they may differ as others do."""
    normalise: Normalise = Normalise()
    """What else is taken as equal, ``rounding`` among it."""
    asked_digits: bool = True
    """Where the question asks for a precision, or the reference rounds, the digits of numbers must agree exactly."""
    extra_columns: bool = False
    """Pass a result that has columns beside the expected ones; without this it is half right at most."""
    perturb: bool | Literal["yes", "quick", "no"] = "yes"
    """Run right code again on changed copies of the tables, where a reference says what is right there; ``quick`` takes
    one copy of each kind."""
    relations: bool | Literal["auto", "no"] = "auto"
    """Whether right code is also run on tables with other orders of rows and columns, and what depends on them is
    reported."""
    performance: bool = True
    """Measure right code against the reference."""
    timing: Literal["auto", "paired", "instructions"] = "auto"
    """What times are taken by: pairs of runs by the server's clock, or the processor's counter of instructions;
    ``auto``: the counter where this machine has one."""
    repeats_for_timing: int = 9
    """How many pairs of runs, of the code and of the reference, each scale begins with."""
    growth: bool = False
    """Measure how the time of right code grows with the rows of the tables."""
    scales: tuple[int, ...] = (1, 4, 16)
    """How many times the rows of the tables there are when code is measured; 1 is the data as it is."""
    session_timeout: float = 120.0
    """Seconds that the code of all steps of a session may take together."""
    max_calls: int | None = None
    """How often a system is called for one session; the steps after that are missing."""
    max_tokens: int | None = None
    """Tokens that one session may take, as far as the system reports them."""
    max_cost: float | None = None
    """The same for its cost."""
    python: str = ""
    """Another Python to run the code with: results differ between versions of pandas."""
    environment: str = ""
    """The environment of the project that tasks run in which name none."""
    environments: dict[str, Environment] = msgspec.field(default_factory=dict)
    """The environments of the project, filled in from ``karat.yaml``."""
    unsafe: bool = False
    """Run code although this machine has too few of the sandbox's layers. Your own word, see ``karat doctor``."""
    vocabulary: str = "auto"
    """The words that questions are read by: ``en``, ``de``, ``fr``, ``es``, or a file of your own. ``auto``: those of
    the question's own language."""

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
