"""What each connection has committed, so that a commit whose answer is lost is known to be there or not, also when the
server crashed meanwhile."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision: str | None = "0009"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "writers",
        sa.Column("writer", sa.Text(), nullable=False),
        sa.Column("serial", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("writer", name="pk_writers"),
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("writers")
