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
    """The function that compares an answer with gold."""
    parameters: JsonObject = {}
    """What is right (``gold``), and the function's other parameters."""
    temporal: bool = False
    """Whether gold is recomputed by its own SQL on the same engine before it is compared."""


class GoldRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a gold file: an instance and how its answers are judged."""

    instance_id: str
    """The question's id."""
    instruction: str = ""
    """The question, as Spider2 names it."""
    question: str = ""
    """The question."""
    evaluation: Evaluation | tuple[Evaluation, ...] | None = None
    """How answers are compared; if there are several entries, any may pass."""
    condition_cols: Json = None
    """Flat gold: the columns that are compared."""
    ignore_order: Json = None
    """Flat gold: whether the order of rows does not matter."""
    ties: JsonObject | None = None
    """``{by: [column], at: N}``: a top N with ties at the cut-off. Any legal choice of the tied rows passes."""
    as_of: str = ""
    """The date or snapshot of the data that the gold is true for."""
    status: Literal["good", "suspect", "wrong", "unreadable", "draft", "accepted"] = "good"
    """``draft``: proposed by a program and not scored until a person accepts it."""
    temporal: bool = False
    """Whether gold is recomputed by its own SQL on the same engine before it is compared."""
    tags: Json = None
    """Words to group figures by: a list, or one word."""
    type: Json = None
    """A kind of question, used as a tag."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""


class QuestionRow(msgspec.Struct, frozen=True, kw_only=True):
    """A question with gold SQL, in the form of your own files, BIRD's, Spider's or defog's."""

    id: str | int | None = None
    """The question's id."""
    question_id: str | int | None = None
    """The same, as BIRD names it."""
    question: str = ""
    """The question."""
    sql: str | tuple[str, ...] | None = None
    """Gold SQL: one query, or several of which any may be matched."""
    query: str | tuple[str, ...] | None = None
    """The same, as Spider and defog name it."""
    SQL: str | tuple[str, ...] | None = None
    """The same, as BIRD names it."""
    gold_sql: str | tuple[str, ...] | None = None
    """The same, under another common name."""
    db: str = ""
    """The database that the question is about."""
    db_id: str = ""
    """The same, as Spider and BIRD name it."""
    db_name: str = ""
    """The same, as defog names it."""
    database: str = ""
    """The same, under another common name."""
    evidence: str = ""
    """What the assistant is given along with the question."""
    order: bool | None = None
    """Whether the order of rows counts; by default as the question and the gold query say."""
    difficulty: str = ""
    """How hard the question is; figures are reported by it."""
    dialect: str = ""
    """The kind of database that the SQL was written for."""
    tags: Json = None
    """Words to group figures by: a list, or one word."""
    as_of: str = ""
    """The date or snapshot of the data that the gold is true for."""
    prediction: str = ""
    """The assistant's SQL, if it is kept beside the question."""
    status: Literal["draft", "accepted"] = "accepted"
    """``draft``: proposed by a program and not scored until a person accepts it."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""


class SubmittedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of ``results_metadata.jsonl``, or of predicted SQL."""

    instance_id: str | int | None = None
    """The question's id."""
    id: str | int | None = None
    """The same, under a shorter name."""
    question_id: str | int | None = None
    """The same, as BIRD names it."""
    answer_type: Literal["answer", "file", "files", "sql"] | None = None
    """What ``answer_or_path`` contains: an answer, one file, several files, or SQL."""
    answer_or_path: Json = None
    """The answer itself, or the path of a file in the submission folder."""
    sql: Json = None
    """Predicted SQL."""
    error: Json = None
    """Why there is no answer."""
    tokens: Json = None
    """Tokens that the answer used: a number, or an object with ``total_tokens``."""
    latency: float | None = None
    """Seconds that the answer took."""
    cost: float | None = None
    """What the answer cost."""
