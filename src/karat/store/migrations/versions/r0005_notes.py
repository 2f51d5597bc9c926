"""Notes of a run. Until now the first answer of a sheet's own search, and the details of its scores, held the tuning of
the whole run."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any  # Any: tables that are named in text, and details of cases as JSON

import sqlalchemy as sa
from alembic import op

from karat.core.json_types import JsonObject

revision = "0005"
down_revision: str | None = "0004"

_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_BATCH = 1000
_LARGE = 2048
_NAME = "tuning"
_PARTS = ("fields", "pareto", "curves", "questions_detail")
"""Lists that every tuning has. What another program's answer may call by the same name has them not."""


def upgrade() -> None:
    """Make the table, and move the tuning of each run into it."""
    op.create_table(
        "notes",
        sa.Column("run_id", _id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("codec", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "name", name="pk_notes"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_notes_run_id", ondelete="CASCADE"),
    )
    connection = op.get_bind()
    for run_id, created in connection.execute(sa.text("SELECT id, created FROM runs WHERE suite = 'retrieval'")).all():
        found = _from_answers(connection, run_id)
        scored = _from_scores(connection, run_id)
        if (tuning := found or scored) is not None:
            codec, data = _packed(tuning)
            note = {"run_id": run_id, "name": _NAME, "codec": codec, "data": data, "created": created}
            connection.execute(sa.insert(_table("notes", *note)), note)


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("notes")


def _from_answers(connection: sa.Connection, run_id: int) -> Any:
    """The tuning in the first answer that has one; it is taken out of all of them."""
    first = None
    answers = _table("predictions", "id", "run_id", "codec", "response")
    where = answers.c.run_id == run_id
    for row, answer in _rows_with_tuning(connection, answers, answers.c.id, answers.c.response, where):
        if isinstance(answer.get("fields"), dict) and _is_tuning(answer.get(_NAME)):
            tuning = answer.pop(_NAME)
            codec, data = _packed(answer)
            connection.execute(sa.update(answers).where(answers.c.id == row.key).values(codec=codec, response=data))
            first = first or tuning
    return first


def _from_scores(connection: sa.Connection, run_id: int) -> Any:
    """The same for the details of scored cases, the newest scoring first."""
    first = None
    scores = _table("scores", "scoring_id", "position", "codec", "data")
    query = sa.text("SELECT id FROM scorings WHERE run_id = :id ORDER BY id DESC")
    for scoring in connection.execute(query, {"id": run_id}).scalars().all():
        where = scores.c.scoring_id == scoring
        for row, case in _rows_with_tuning(connection, scores, scores.c.position, scores.c.data, where):
            told = [one["details"] for one in (case, *case.get("repeats", ())) if isinstance(one.get("details"), dict)]
            taken = [details.pop(_NAME) for details in told if _is_tuning(details.get(_NAME))]
            if taken:
                codec, data = _packed(case)
                change = sa.update(scores).where(where, scores.c.position == row.key)
                connection.execute(change.values(codec=codec, data=data))
                first = first or taken[0]
    return first


def _rows_with_tuning(
    connection: sa.Connection, table: Any, key: Any, data: Any, where: Any
) -> Iterator[tuple[Any, JsonObject]]:
    """The rows whose JSON object has a tuning somewhere, in the order of their key. What cannot be read stays as it
    is."""
    query = sa.select(key.label("key"), table.c.codec, data.label("data")).where(where).order_by(key).limit(_BATCH)
    begin = -1
    while rows := connection.execute(query.where(key > begin)).all():
        for row in rows:
            try:
                text = zlib.decompress(bytes(row.data)) if row.codec == "zlib" else bytes(row.data)
                found = json.loads(text) if f'"{_NAME}"'.encode() in text else None
            except (ValueError, zlib.error, RecursionError):
                continue
            if isinstance(found, dict):
                yield row, found
        begin = rows[-1].key


def _is_tuning(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), list) for name in _PARTS)


def _packed(value: Any) -> tuple[str, bytes]:
    """As the store writes values: compressed when large."""
    data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    small = zlib.compress(data, 1) if len(data) > _LARGE else data
    return ("zlib", small) if len(small) < len(data) else ("raw", data)


def _table(name: str, *columns: str) -> Any:
    return sa.table(
        name, *[sa.column(column, sa.LargeBinary() if column in ("data", "response") else None) for column in columns]
    )
