"""One comparison by both sides: the fast functions and their literal re-statement."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from karat.suites.answers.spider2 import duckdb_match, table_match
from tests.suites.answers.spider2 import literal


def literally(match: Callable[..., bool], *args: Any, **options: Any) -> bool:
    """What the literal side says. An exception in a match scores 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return match(*args, **options)
        except Exception:
            return False


def assert_tables_agree(result: str, gold: Any, *args: Any, **options: Any) -> bool:
    """Both sides' one verdict on a CSV file."""
    expected = literally(literal.table_match, result, gold, *args, **options)
    verdict = table_match(result, gold, *args, **options)
    assert bool(verdict) == expected, (result, gold, args, options, verdict)
    return expected


def assert_duckdb_agrees(result: str, gold: str, *args: Any, **options: Any) -> bool:
    expected = literally(literal.duckdb_match, result, gold, *args, **options)
    verdict = duckdb_match(result, gold, *args, **options)
    assert bool(verdict) == expected, (result, gold, args, options, verdict)
    return expected
