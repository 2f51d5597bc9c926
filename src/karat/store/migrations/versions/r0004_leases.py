"""Who holds a run. A run that was left as running by an older karat has no holder, so it counts as interrupted from now
on."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"

_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the table, and correct the status of runs that were killed before it was there."""
    op.create_table(
        "leases",
        sa.Column("run_id", _id, nullable=False),
        sa.Column("part", sa.BigInteger(), nullable=False),
        *[sa.Column(name, sa.Text(), nullable=False) for name in ("holder", "host", "machine")],
        *[sa.Column(name, sa.BigInteger(), nullable=False) for name in ("pid", "born")],
        *[sa.Column(name, sa.Double(), nullable=False) for name in ("taken", "renewed")],
        sa.PrimaryKeyConstraint("run_id", "part", name="pk_leases"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_leases_run_id", ondelete="CASCADE"),
    )
    op.execute(sa.text("UPDATE runs SET status = 'interrupted' WHERE status = 'running'"))


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("leases")
