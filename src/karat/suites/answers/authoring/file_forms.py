"""The forms of gold rows, questions and submissions for editors. They say which keys there are; further keys are kept.

``cases``, ``text_to_sql.questions`` and ``predictions`` read these files, each row by its keys.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.suites.answers.records import Function


class Evaluation(msgspec.Struct, frozen=True):
    """How an answer is judged."""

    func: Function
    parameters: JsonObject = {}
    """What is right: ``gold``, and what the function takes beside it."""
    temporal: bool = False


class GoldRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a gold file: an instance and how its answers are judged."""

    instance_id: str
    instruction: str = ""
    question: str = ""
    evaluation: Evaluation | tuple[Evaluation, ...] | None = None
    condition_cols: Json = None
    """Flat gold: the columns that are compared."""
    ignore_order: Json = None
    """Flat gold: whether the order of rows does not matter."""
    ties: JsonObject | None = None
    as_of: str = ""
    """The date or snapshot of the data that the gold is true for."""
    status: Literal["good", "suspect", "wrong", "unreadable", "draft", "accepted"] = "good"
    """``draft``: proposed by a program; not scored until a person accepts it."""
    temporal: bool = False
    tags: Json = None
    type: Json = None
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""


class QuestionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A question with gold SQL, in the form of your own files, BIRD's, Spider's or defog's."""

    id: str | int | None = None
    question_id: str | int | None = None
    question: str = ""
    sql: str | tuple[str, ...] | None = None
    """Gold SQL: a text, or several of which any may pass."""
    query: str | tuple[str, ...] | None = None
    SQL: str | tuple[str, ...] | None = None
    gold_sql: str | tuple[str, ...] | None = None
    db: str = ""
    """The database that the question is about."""
    db_id: str = ""
    db_name: str = ""
    database: str = ""
    evidence: str = ""
    """What the assistant receives with the question."""
    order: bool | None = None
    """Whether the order of rows counts; as the question and the gold say when left out."""
    difficulty: str = ""
    dialect: str = ""
    """The kind of database that the SQL was written for."""
    tags: Json = None
    as_of: str = ""
    prediction: str = ""
    """The SQL of an assistant, where it is kept beside the question."""
    status: Literal["draft", "accepted"] = "accepted"
    """``draft``: proposed by a program; not scored until a person accepts it."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""


class SubmittedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of ``results_metadata.jsonl``, or of predicted SQL."""

    instance_id: str | int | None = None
    id: str | int | None = None
    question_id: str | int | None = None
    answer_type: Literal["answer", "file", "files", "sql"] | None = None
    answer_or_path: Json = None
    sql: Json = None
    """Predicted SQL."""
    error: Json = None
    tokens: Json = None
    latency: float | None = None
    cost: float | None = None
