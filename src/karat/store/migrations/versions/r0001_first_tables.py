"""The first tables: runs, their cases, predictions, scorings with summaries and scores."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None

_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    _runs_and_cases()
    _predictions()
    _scorings()


def downgrade() -> None:
    """Drop the tables."""
    for table in ("scores", "summaries", "scorings", "predictions", "cases", "runs"):
        op.drop_table(table)


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _whole(name: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=nullable)


def _number(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=True)


def _own_id(table: str) -> tuple[sa.Column[int], sa.PrimaryKeyConstraint]:
    return sa.Column("id", _id, sa.Identity(), nullable=False), sa.PrimaryKeyConstraint("id", name=f"pk_{table}")


def _parent(table: str, column: str, parent: str) -> tuple[sa.Column[int], sa.ForeignKeyConstraint]:
    key = sa.ForeignKeyConstraint([column], [f"{parent}.id"], name=f"fk_{table}_{column}", ondelete="CASCADE")
    return sa.Column(column, _id, nullable=False), key


def _runs_and_cases() -> None:
    own_id, primary = _own_id("runs")
    texts = ("suite", "name", "system", "status", "created", "started", "finished", "today", "truth_set")
    op.create_table(
        "runs",
        own_id,
        *[_text(name) for name in texts],
        _whole("cases"),
        _whole("repeats"),
        *[_text(name) for name in ("karat", "options", "config", "tags")],
        primary,
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_suite", "runs", ["suite"])
    parent, key = _parent("cases", "run_id", "runs")
    op.create_table(
        "cases",
        parent,
        _whole("position"),
        _text("case_id"),
        _text("codec"),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "position", name="pk_cases"),
        key,
    )


def _predictions() -> None:
    own_id, primary = _own_id("predictions")
    parent, key = _parent("predictions", "run_id", "runs")
    op.create_table(
        "predictions",
        own_id,
        parent,
        _text("case_id"),
        *[_whole(name) for name in ("turn", "repeat", "attempt")],
        _text("codec"),
        sa.Column("response", sa.LargeBinary(), nullable=False),
        _text("error_kind", nullable=True),
        _text("error_message", nullable=True),
        _whole("error_tries", nullable=True),
        _number("latency"),
        _whole("tokens", nullable=True),
        _number("cost"),
        _text("created"),
        primary,
        sa.UniqueConstraint("run_id", "case_id", "turn", "repeat", "attempt", name="uq_predictions"),
        key,
    )


def _scorings() -> None:
    own_id, primary = _own_id("scorings")
    parent, key = _parent("scorings", "run_id", "runs")
    texts = ("created", "karat", "truth_set", "options", "info")
    op.create_table(
        "scorings", own_id, parent, *[_text(name) for name in texts], primary, key, sqlite_autoincrement=True
    )
    op.create_index("ix_scorings_run_id", "scorings", ["run_id"])
    parent, key = _parent("summaries", "scoring_id", "scorings")
    op.create_table(
        "summaries",
        parent,
        _whole("position"),
        _text("metric"),
        _number("mean"),
        _whole("n"),
        _number("low"),
        _number("high"),
        _whole("undefined"),
        _number("with_errors_as_zero"),
        sa.PrimaryKeyConstraint("scoring_id", "position", name="pk_summaries"),
        key,
    )
    parent, key = _parent("scores", "scoring_id", "scorings")
    op.create_table(
        "scores",
        parent,
        _whole("position"),
        _text("case_id"),
        _text("status"),
        _text("codec"),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("scoring_id", "position", name="pk_scores"),
        key,
    )
