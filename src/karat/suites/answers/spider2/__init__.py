"""The ``spider2`` profile: the verdicts of the public Spider2 evaluator, quirks included.

Its functions never raise over what they read: an exception in a match scores 0, and the verdict says what it was.
"""

from __future__ import annotations

from karat.suites.answers.spider2.duckdb_files import duckdb_match
from karat.suites.answers.spider2.judge import judge
from karat.suites.answers.spider2.numbers import number_match
from karat.suites.answers.spider2.strings import string_match
from karat.suites.answers.spider2.tables import table_match, tables_match

__all__ = ["duckdb_match", "judge", "number_match", "string_match", "table_match", "tables_match"]
