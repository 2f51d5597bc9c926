"""Lines, so that long lists of cases are filtered and sorted by the database, and reviews: what people say of a
case."""

from __future__ import annotations

import json
import zlib
from typing import Any  # Any: rows and scores of the first form of the store

import sqlalchemy as sa
from alembic import op

from karat.core.json_types import JsonObject

revision = "0002"
down_revision: str | None = "0001"

_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_BATCH = 2000


def upgrade() -> None:
    """Make the tables, and a line for each case that was scored before."""
    op.create_index("ix_cases_case_id", "cases", ["run_id", "case_id"])
    texts = ("name", "question", "reason", "tags", "figures")
    op.create_table(
        "lines",
        sa.Column("scoring_id", _id, nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        _text("case_id"),
        _text("status"),
        *[_text(name) for name in texts],
        sa.Column("wants_review", sa.BigInteger(), nullable=False),
        _text("searched"),
        sa.PrimaryKeyConstraint("scoring_id", "position", name="pk_lines"),
        sa.ForeignKeyConstraint(["scoring_id"], ["scorings.id"], name="fk_lines_scoring_id", ondelete="CASCADE"),
    )
    op.create_index("ix_lines_case_id", "lines", ["scoring_id", "case_id"])
    op.create_table(
        "reviews",
        sa.Column("id", _id, sa.Identity(), nullable=False),
        sa.Column("run_id", _id, nullable=False),
        *[_text(name) for name in ("case_id", "verdict", "reviewer", "comment", "created", "undone")],
        sa.PrimaryKeyConstraint("id", name="pk_reviews"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_reviews_run_id", ondelete="CASCADE"),
    )
    op.create_index("ix_reviews_case_id", "reviews", ["run_id", "case_id"])
    _fill(op.get_bind())


def downgrade() -> None:
    """Drop the tables."""
    op.drop_table("reviews")
    op.drop_table("lines")
    op.drop_index("ix_cases_case_id", "cases")


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _fill(connection: sa.Connection) -> None:
    """Lines of the scorings that are there, as karat 0.1 of this version makes them."""
    lines = sa.table(
        "lines",
        *[
            sa.column(name)
            for name in (
                "scoring_id", "position", "case_id", "status", "name", "question", "reason", "tags", "figures",
                "wants_review", "searched",
            )
        ],
    )  # fmt: skip
    for scoring in connection.execute(sa.text("SELECT id FROM scorings")).scalars().all():
        found = sa.text("SELECT metric FROM summaries WHERE scoring_id = :id ORDER BY position")
        metrics = connection.execute(found, {"id": scoring}).scalars().all()
        begin = -1
        while True:
            rows = connection.execute(
                sa.text(
                    "SELECT position, case_id, status, codec, data FROM scores"
                    " WHERE scoring_id = :id AND position > :begin ORDER BY position LIMIT :count"
                ),
                {"id": scoring, "begin": begin, "count": _BATCH},
            ).all()
            if not rows:
                break
            connection.execute(sa.insert(lines), [_line(scoring, row, metrics) for row in rows])
            begin = rows[-1].position


def _line(scoring: int, row: Any, metrics: Any) -> JsonObject:
    data = bytes(row.data)
    case = json.loads(zlib.decompress(data) if row.codec == "zlib" else data)
    scores: JsonObject = case["scores"]
    tags = [" ".join(tag.split()) for tag in case.get("tags", ())]
    reasons = [score.get("reason", "") for score in scores.values()]
    error = case.get("error", "")
    said = error or case.get("details", {}).get("reason")
    reason = said if isinstance(said, str) else ""
    searched = (case["id"], case.get("name", ""), case.get("question", ""), *tags, reason, error, *set(reasons))
    line: JsonObject = {
        "name": case.get("name", "")[:400],
        "question": case.get("question", "")[:400],
        "reason": reason[:400],
        "tags": "\n" + "\n".join(tags) + "\n" if tags else "",
        "searched": "\n".join(part for part in searched if part)[:4000].casefold(),
    }
    # As the store writes text: NUL and ␀ in a form that both databases take.
    line = {name: value.replace("\u2400", "\u2400\u2400").replace("\x00", "\u24000;") for name, value in line.items()}
    values = [scores.get(metric, {}).get("value") for metric in metrics]
    return line | {
        "scoring_id": scoring,
        "position": row.position,
        "case_id": row.case_id,
        "status": row.status,
        "figures": json.dumps(values),
        "wants_review": int(bool(scores.get("needs_review", {}).get("value"))),
    }
