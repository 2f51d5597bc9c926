"""The options of the suite, as they stand in ``karat.yaml`` under ``options`` or on the command line after ``--option``."""

from __future__ import annotations

from typing import Literal

from karat.core.suite import SuiteOptions
from karat.tables.options import CompareOptions

MOST_REPAIRS = 20
MOST_REPEATS = 100
LARGEST_SCALE = 1_024


class Options(SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How code is run, how its result is compared, and how often a system may mend it."""

    max_recovery_attempts: int = 2
    """How often a system is asked to mend code that did not run."""
    rel_tol: float = 1e-4
    """Two numbers of a result are equal within this share of the larger."""
    extra_columns: bool = False
    """Pass a result that has columns beside the expected ones; without this it is half right at most."""
    perturb: bool | Literal["yes", "quick", "no"] = "yes"
    """Run right code again on changed copies of the tables, where a reference says what is right there; ``quick`` takes one copy of each kind."""
    performance: bool = True
    """Measure right code against the reference."""
    repeats_for_timing: int = 3
    """How often each is measured; the median counts."""
    scales: tuple[int, ...] = (1, 4, 16)
    """How many times the rows of the tables are repeated when code is measured; the first is the data as it is."""
    python: str = ""
    """Another Python with pandas to run the code with: results differ between versions of pandas."""
    unsafe: bool = False
    """Run code although this machine has too few of the sandbox's layers. Your own word, see ``karat doctor``."""
    vocabulary: str = ""
    """A file of the words that questions are read by, in place of the English one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.max_recovery_attempts <= MOST_REPAIRS:
            raise ValueError(f"max_recovery_attempts must be 0 to {MOST_REPAIRS}")
        if self.perturb_level not in ("yes", "quick", "no"):
            raise ValueError("perturb must be yes, quick or no")
        if not 0 <= self.rel_tol < 1:
            raise ValueError("rel_tol must be at least 0 and below 1")
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
        return CompareOptions(rel_tol=self.rel_tol, allow_shape=True)
