"""The strict profile: right instead of compatible. Whole rows agree, numbers have a relative tolerance, nulls are not
zeros."""

from __future__ import annotations

from karat.suites.answers.strict.duckdb_files import duckdb_match
from karat.suites.answers.strict.judge import judge
from karat.suites.answers.strict.numbers import number_match
from karat.suites.answers.strict.strings import string_match
from karat.suites.answers.strict.tables import table_match, tables_match

__all__ = ["duckdb_match", "judge", "number_match", "string_match", "table_match", "tables_match"]
