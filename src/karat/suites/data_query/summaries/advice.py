"""What to do after a run: names that differ from the official ones are often a mistake in the cases."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.explanation import read_details
from karat.core.problems import count_of
from karat.core.results.result import RunResult
from karat.core.suite import Advice
from karat.suites.data_query.details import Details

FILE = "FILE"
"""Stands for a file that only the reader can name."""


def advice(result: RunResult, cases: str) -> Sequence[Advice]:
    """How to put the official names into the cases, where an answer has the right id under another name."""
    kept = (read_details(Details, case.details) for case in result.cases)
    found = [len(details.label_drift) for details in kept if details is not None and details.label_drift]
    if not found:
        return ()
    given = result.run.options.get("structures")
    structures = [str(file) for file in given] if isinstance(given, list | tuple) else []
    command = ["karat", "check", *([cases, "--suite", result.run.suite] if cases else [])]
    for file in structures or [FILE]:
        command += ["--structure", file]
    return (
        Advice(
            "label drift",
            f"{sum(found):,} in {count_of(len(found), 'case')}: right id, another name",
            (*command, "--fix-names"),
            "" if structures else f"{FILE}: the SDMX structures, or a CSV with codelist,id,name",
        ),
    )
