"""The options of the suite, as they are in ``karat.yaml`` under ``options`` or on the command line after
``--option``."""

from __future__ import annotations

from typing import Literal

from karat.core.problems import UserError
from karat.core.suite import SuiteOptions
from karat.search.choose.limits import passes_share


class Options(SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What counts as relevant, and how much of what was retrieved is looked at."""

    relevance_level: int = 1
    """The lowest relevance at which a key counts as relevant (``-l`` of trec_eval). nDCG takes every relevance above 0
    as a gain, whatever this is."""
    max_results: int | None = None
    """Use only the first N results of a question (``-M`` of trec_eval); by default all."""
    no_relevant: Literal["zero", "leave_out"] = "zero"
    """A question with judgements of which none is relevant counts 0 in every metric, as in trec_eval, and is pointed
    out; ``leave_out``: it is not applicable."""

    budget_tokens: int = 2000
    """For a sheet: tokens that the retrieved values of all fields together may take, in the worst question."""
    max_n: int | None = None
    """For a sheet: the most values to retrieve for a field. None: as many as the budget allows."""
    models: tuple[str, ...] = ("bm25", "wordllama")
    """For a sheet: the models to choose from."""
    encoding: Literal["o200k_base", "cl100k_base"] = "o200k_base"
    """For a sheet: how tokens are counted."""
    passes: str | float = "all"
    """For a sheet: which of its truths must be found for a question to pass in the choice of n and model: ``all``,
    ``any``, or a share such as 0.5."""
    require: tuple[str, ...] = ()
    """For a sheet: fields that may not be left out, such as ``T[f]``; their n is at least 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.relevance_level < 1:
            raise ValueError("relevance_level must be at least 1")
        if self.max_results is not None and self.max_results < 1:
            raise ValueError("max_results must be at least 1")
        if self.budget_tokens < 1 or (self.max_n is not None and self.max_n < 1):
            raise ValueError("budget_tokens and max_n must be at least 1")
        try:
            passes_share(str(self.passes))
        except UserError as error:
            raise ValueError(f"passes: {error.message}. {error.hint}") from None
        if not self.models:
            raise ValueError("models must name at least one model")
