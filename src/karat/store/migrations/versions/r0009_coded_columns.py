"""Figures and words in blocks are kept as few values with a code for each case, and what a list of cases is filtered by
has blocks of its own. What was stored before is read as it is, so that nothing is written again here; an older Karat
could not read the new blocks, and is refused by the number.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sa
from alembic import op

from karat.core.results.columns.packed_numbers import Coded
from karat.store.blocks.block import Block, pack_block
from karat.store.scorings.columns import COLUMNS, PLAIN, Chunk

revision = "0009"
down_revision: str | None = "0008"

_blocks = sa.table(
    "scoring_blocks",
    *(sa.column(name) for name in ("scoring_id", "kind", "first", "rows", "checksum")),
    sa.column("data", sa.LargeBinary()),
)


def upgrade() -> None:
    """Nothing to change: both forms are read."""


def downgrade() -> None:
    """Figures as numbers again. Words, failures and marks go: an older Karat makes them from what it has."""
    connection = op.get_bind()
    connection.execute(sa.delete(_blocks).where(_blocks.c.kind.in_(("words", "failures", "marks"))))
    places = sa.select(_blocks.c.scoring_id, _blocks.c.first).where(_blocks.c.kind == COLUMNS)
    for scoring, first in connection.execute(places).all():
        own = (_blocks.c.scoring_id == scoring, _blocks.c.first == first, _blocks.c.kind == COLUMNS)
        row = connection.execute(sa.select(_blocks.c.rows, _blocks.c.checksum, _blocks.c.data).where(*own)).one()
        (data,) = Block(row.rows, row.checksum, bytes(row.data)).items()
        packed = pack_block([_plain(data)], row.rows)
        connection.execute(sa.update(_blocks).where(*own).values(checksum=packed.checksum, data=packed.data))


def _plain(data: bytes) -> bytes:
    chunk = msgspec.msgpack.decode(data, type=Chunk)
    figures = {}
    for name in chunk.figures:
        found = chunk.column(name)
        if found is not None:
            figures[name] = (found.table[found.codes] if isinstance(found, Coded) else found).astype("<f8").tobytes()
    return msgspec.msgpack.encode(msgspec.structs.replace(chunk, figures=figures, form=PLAIN))
