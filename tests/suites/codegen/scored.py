"""Scoring a question and a piece of code in one step, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.suites.codegen.analysis import analyse
from karat.suites.codegen.metrics.coverage import RequirementCoverage, coverage_of
from karat.suites.codegen.metrics.understanding import PromptUnderstanding, understanding_of
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Schema

PEOPLE = Schema({"people": ("name", "age", "salary", "city", "department")})
SHOP = Schema({"orders": ("order_id", "customer_id", "amount"), "customers": ("customer_id", "country")})
VALUES = {"city": ["Berlin", "Paris"], "department": ["IT"]}


def understanding(
    question: str, code: str, schema: Schema = PEOPLE, values: Mapping[str, Sequence[str]] | None = None
) -> PromptUnderstanding:
    asked = read_question(question, schema, values=VALUES if values is None else values)
    return understanding_of(asked, analyse(code, schema))


def coverage(
    question: str, code: str, schema: Schema = PEOPLE, values: Mapping[str, Sequence[str]] | None = None
) -> RequirementCoverage:
    asked = read_question(question, schema, values=VALUES if values is None else values)
    return coverage_of(asked, analyse(code, schema))


def both(question: str, code: str, schema: Schema = PEOPLE, values: Mapping[str, Sequence[str]] | None = None) -> float:
    """The mean of the two scores."""
    first, second = understanding(question, code, schema, values), coverage(question, code, schema, values)
    return (first.understanding_score + second.coverage_score) / 2
