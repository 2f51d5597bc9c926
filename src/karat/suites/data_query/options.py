"""The options of the suite, as they are in ``karat.yaml`` under ``options`` or on the command line after
``--option``."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.suite import SuiteOptions
from karat.suites.data_query.selection.outcomes import OutcomeRule

MOST_BETA = 1e6
"""With a larger one ``f_beta`` is recall to the last digit, and its square may be no number."""


class Options(SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How selections are compared."""

    dataset_aware: bool = False
    """Make the dataset part of the term, instead of pooling dimensions over datasets by their name."""
    strict_versions: bool = False
    """Compare the version of a dataset id too, where both sides name one."""
    ignore_defaults: bool = False
    """Leave out what the system filled in by itself (``is_default``)."""
    zero_division: Literal[0, 1] | None = None
    """What 0/0 counts as. None: undefined, and left out of the mean."""
    beta: float = 2.0
    """The weight of recall in ``f_beta``; 2 because users would rather see a term too many than miss one."""
    indicator_dimensions: tuple[str, ...] = ("INDICATOR",)
    """The dimensions that say what is measured, for the indicator metrics; the rest are "other" dimensions."""
    structures: tuple[str, ...] = ()
    """SDMX structure or CSV files: with them an operator ``all`` is expanded to the codes of its codelist."""
    codelists: dict[str, str] = msgspec.field(default_factory=dict)
    """Dimension name → codelist id, where the structures do not say."""
    outcome_from: tuple[OutcomeRule, ...] = ()
    """Rules that say what a response does where it does not say so itself; the first that applies counts."""

    stages_from: str = ""
    """Where a response lists its stages: keys and indices with dots between them. Empty: under ``stages``."""
    silence: Literal["not_stated", "out_of_scope", "no_data"] = "not_stated"
    """What an answer does that selects nothing and does not say why."""
    language: str = ""
    """The language of names in the structures, such as ``fr``. Without one English, else the first."""
    hierarchy_depth: int = 2
    """How many steps up or down a codelist still count as near, in the hierarchy metrics."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.beta <= MOST_BETA:
            raise ValueError(f"beta must be above 0 and at most {MOST_BETA:,.0f}")
        if self.hierarchy_depth < 0:
            raise ValueError("hierarchy_depth must not be below 0")
