"""Saved filters and sets of cases; and for each line of a list its cluster, and a reason where no one had said one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any  # Any: rows of the store as it was before this migration

import sqlalchemy as sa
from alembic import op

from karat.core.json_types import JsonObject

revision = "0003"
down_revision: str | None = "0002"

_BATCH = 2000


def upgrade() -> None:
    """Make the tables and the column, and fill it from the cases that were scored before."""
    for table, own in (("saved_filters", ("suite", "name")), ("set_cases", ("suite", "name", "case_id"))):
        more = ("query", "created") if table == "saved_filters" else ("created",)
        texts = [sa.Column(name, sa.Text(), nullable=False) for name in (*own, *more)]
        op.create_table(table, *texts, sa.PrimaryKeyConstraint(*own, name=f"pk_{table}"))
    op.add_column("lines", sa.Column("cluster", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("lines") as lines:
        lines.alter_column("cluster", server_default=None)
    connection = op.get_bind()
    change = sa.text(
        "UPDATE lines SET cluster = :cluster, reason = CASE WHEN reason = '' THEN :reason ELSE reason END"
        " WHERE scoring_id = :scoring AND position = :position"
    )
    for scoring in connection.execute(sa.text("SELECT id FROM scorings")).scalars().all():
        for rows in _batches(connection, scoring):
            found = [{**_told(row), "scoring": scoring, "position": row.position} for row in rows]
            changed = [item for item in found if item["cluster"] or item["reason"]]
            if changed:
                connection.execute(change, changed)


def downgrade() -> None:
    """Drop the tables and the column."""
    op.drop_table("set_cases")
    op.drop_table("saved_filters")
    with op.batch_alter_table("lines") as lines:
        lines.drop_column("cluster")


def _batches(connection: sa.Connection, scoring: int) -> Iterator[Any]:
    query = sa.text(
        "SELECT position, codec, data FROM scores"
        " WHERE scoring_id = :id AND position > :begin ORDER BY position LIMIT :count"
    )
    begin = -1
    while rows := connection.execute(query, {"id": scoring, "begin": begin, "count": _BATCH}).all():
        yield rows
        begin = rows[-1].position


def _told(row: Any) -> dict[str, str]:
    data = bytes(row.data)
    details = json.loads(zlib.decompress(data) if row.codec == "zlib" else data).get("details", {})
    parts = details.get("dimensions")
    found = [_part(part) for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    told = {"cluster": str(details.get("cluster") or ""), "reason": next((text for text in found if text), "")[:400]}
    # As the store writes text: NUL and ␀ in a form that both databases take.
    return {name: text.replace("\u2400", "\u2400\u2400").replace("\x00", "\u24000;") for name, text in told.items()}


def _part(part: JsonObject) -> str:
    right, missed, wrong = (bool(part.get(key)) for key in ("true_positives", "false_negatives", "false_positives"))
    if wrong:
        word = "wrong" if part.get("in_target", True) else "not asked for"
    elif missed:
        word = "incomplete" if right else "not selected"
    else:
        return ""
    return f"{part.get('dimension', '')} {word}"
