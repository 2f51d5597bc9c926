"""What judges say: a verdict for each answer of a run, replies kept for all runs, versions of judges, and how each came
out against people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision: str | None = "0007"

_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "judge_versions",
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("rubric", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("stale", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("version", name="pk_judge_versions"),
    )
    op.create_table(
        "judge_replies",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("tokens", sa.BigInteger()),
        sa.Column("cost", sa.Double()),
        sa.Column("latency", sa.Double()),
        sa.Column("created", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_judge_replies"),
    )
    op.create_table(
        "judgements",
        sa.Column("run_id", _id, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("case_id", sa.Text(), nullable=False),
        sa.Column("turn", sa.BigInteger(), nullable=False),
        sa.Column("repeat", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "version", "case_id", "turn", "repeat", name="pk_judgements"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_judgements_run_id", ondelete="CASCADE"),
    )
    op.create_table(
        "calibrations",
        sa.Column("id", _id, sa.Identity(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.Column("created", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_calibrations"),
    )
    op.create_index("ix_calibrations_version", "calibrations", ["version"])


def downgrade() -> None:
    """Drop them. Verdicts of people stay."""
    for name in ("calibrations", "judgements", "judge_replies", "judge_versions"):
        op.drop_table(name)
