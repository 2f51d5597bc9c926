"""Reviews by several people: a verdict can settle a case for everybody, and says whether it was given blind. Verdicts
that were given before do neither."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision: str | None = "0006"

_ADDED = ("adjudication", "blind")


def upgrade() -> None:
    """Add both columns."""
    for name in _ADDED:
        op.add_column("reviews", sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drop them. What a verdict settled counts as any other again."""
    for name in _ADDED:
        op.execute(sa.text(f"ALTER TABLE reviews DROP COLUMN {name}"))
