"""A second copy of the figures of a scoring, under a checksum.

A mean in a row of its own that changes by itself, on a disk that loses bits, looks like any other mean. ``karat store
check`` compares the rows with this copy, and a repair writes them again from it. Scorings of an older karat have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any  # Any: figures of a scoring as they are compared, whatever they have become

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from karat.core.results.result import MetricSummary
from karat.store.blocks.block import DamagedBlock
from karat.store.blocks.tables import append_block, block_at
from karat.store.codec import to_json
from karat.store.schema import scoring_blocks, scorings, summaries

FIGURES = "figures"
_ORIGIN = ("karat", "truth_set", "options", "info")
_FIGURES = MetricSummary.__struct_fields__

read_figures = msgspec.json.Decoder(tuple[dict[str, str], list[dict[str, Any]]]).decode
"""What the scoring says of itself, and its figures in their order."""


def keep_figures(connection: Connection, scoring: int) -> None:
    """The copy of a scoring that was just finished."""
    append_block(connection, scoring_blocks, scoring, FIGURES, 0, [_as_rows(connection, scoring)])


def changed_figure(connection: Connection, scoring: int) -> str:
    """How the rows of a scoring differ from its copy, in words; empty where they do not, or there is no copy."""
    kept = _kept(connection, scoring)
    there = _as_rows(connection, scoring)
    if kept is None or kept == there:
        return ""
    return next(_differences(read_figures(kept), msgspec.json.decode(there)), "has other figures than were written")


def restore_figures(connection: Connection, scoring: int) -> None:
    """Write the rows again as they were."""
    kept = _kept(connection, scoring)
    if kept is None:
        return
    origin, figures = read_figures(kept)
    connection.execute(update(scorings).where(scorings.c.id == scoring).values(**origin))
    connection.execute(delete(summaries).where(summaries.c.scoring_id == scoring))
    if figures:
        rows = [{"scoring_id": scoring, "position": position, **one} for position, one in enumerate(figures)]
        connection.execute(insert(summaries), rows)


def _kept(connection: Connection, scoring: int) -> bytes | None:
    stored = block_at(connection, scoring_blocks, scoring, FIGURES, 0)
    try:
        return None if stored is None else bytes(stored.block.items()[0])
    except DamagedBlock:  # a finding of its own
        return None


def _as_rows(connection: Connection, scoring: int) -> bytes:
    origin = connection.execute(select(*(scorings.c[name] for name in _ORIGIN)).where(scorings.c.id == scoring)).one()
    query = select(*(summaries.c[name] for name in _FIGURES)).where(summaries.c.scoring_id == scoring)
    rows = connection.execute(query.order_by(summaries.c.position)).all()
    return to_json((dict(zip(_ORIGIN, origin, strict=True)), [dict(zip(_FIGURES, row, strict=True)) for row in rows]))


def _differences(kept: tuple[dict[str, str], list[dict[str, Any]]], there: Any) -> Iterator[str]:
    origin, figures = there
    for name, value in kept[0].items():
        if origin[name] != value:
            yield f"has another {name} than was written"
    if len(figures) != len(kept[1]):
        yield f"has {len(figures)} of {len(kept[1])} rows of summaries"
    for was, now in zip(kept[1], figures, strict=False):
        for name, value in was.items():
            if now[name] != value:
                yield f"{name} of {was['metric']} is {now[name]!r} and was written as {value!r}"
