"""Whether every code of a proposed target is in the structures."""

from __future__ import annotations

from pathlib import Path

from karat.core.records import Case
from karat.suites.data_query.checks.cases import check_cases
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Target


def try_target(case: Case[Target], options: Options) -> str:
    """The first code, dataset or dimension that the structures do not have. Without structures nothing can be said."""
    if not options.structures:
        return ""
    found = check_cases([case], [Path(file) for file in options.structures], options)
    return next((problem.message for problem in found.problems if problem.severity == "error"), "")
