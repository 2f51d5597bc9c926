"""A field of chunks: every way to cut with every model is an option; the truths are spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from karat.core.problems import UserError
from karat.search.chunks.chunk import Chunk, Cutting, Document
from karat.search.chunks.cover import cover_rank, places_of, touching
from karat.search.chunks.spans import SpanTruth, read_span
from karat.search.records import FieldRanks, Model, ModelRanks

if TYPE_CHECKING:
    from karat.search.models.vectors import VectorCache
    from karat.search.ranks.dense import Watch
    from karat.search.ranks.ranking import Spread

_LABELLED = re.compile(r"(.*\S)\s+@\s*(\d+)/(\d+)\s*", re.DOTALL)


def chunks_in(values: Sequence[str]) -> list[Chunk]:
    """The values, if they are chunks; UserError when only some are."""
    chunks = [value for value in values if isinstance(value, Chunk)]
    if chunks and len(chunks) != len(values):
        raise UserError("a field has both chunks and other texts", hint="Put chunks into a field of their own.")
    return chunks


def cuttings_of(chunks: Sequence[Chunk]) -> list[Cutting]:
    """The ways in which chunks were cut, in their order."""
    return list(dict.fromkeys(chunk.cutting for chunk in chunks))


def documents_of(chunks: Sequence[Chunk]) -> dict[str, Document]:
    """The documents of chunks by name."""
    return {chunk.document.name: chunk.document for chunk in chunks}


def split_label(label: str) -> tuple[str, str]:
    """``bm25 @ 200/50`` as (model, cutting); without a cutting it is empty."""
    found = _LABELLED.fullmatch(label)
    return (found[1], f"{int(found[2])}/{int(found[3])}") if found else (label, "")


def chosen_chunks(label: str, values: Sequence[str]) -> tuple[str, Sequence[str]]:
    """(the model, the values to search) for a label such as ``bm25 @ 200/50``. Raises :class:`UserError` when values
    are cut in several ways and the label does not say which."""
    chunks = chunks_in(values)
    if not chunks:
        return label, values
    name, wanted = split_label(label)
    ways = cuttings_of(chunks)
    if not wanted and len(ways) == 1:
        return name, values
    own = [chunk for chunk in chunks if chunk.cutting.label == wanted]
    if not own:
        which = ", ".join(way.label for way in ways)
        said = f"the chunks are cut in {len(ways)} ways" if not wanted else f'no chunks are cut as "{wanted}"'
        raise UserError(f"{said}: {which}", hint=f'Name one after the model: "{name or "bm25"} @ {ways[0].label}".')
    return name, own


def rank_chunks(
    field: str,
    chunks: Sequence[Chunk],
    questions: Sequence[str],
    truths: Sequence[Sequence[str]],
    models: Sequence[Model],
    *,
    depth: int,
    encoding: str | None,
    cache: VectorCache | None,
    watch: Watch,
    spread: Spread | None,
) -> FieldRanks:
    """The rank of every span for every model and every way to cut; labels are ``bm25 @ 200/50`` where there are
    several ways. Overlapping text is paid twice."""
    from karat.search.ranks.ranking import TokenCosts, rank_passes

    documents = documents_of(chunks)
    spans = {written: read_span(written, documents) for row in truths for written in row}
    ways = cuttings_of(chunks)
    options = []
    for number, way in enumerate(ways):
        own = [chunk for chunk in chunks if chunk.cutting == way]
        places = places_of(own)
        near = {written: touching(span, own, places) for written, span in spans.items()}
        wanted = [list(dict.fromkeys(place for written in row for place in near[written])) for row in truths]
        costs = TokenCosts([str(chunk) for chunk in own], encoding)

        def of_all(done: int, of: int, number: int = number) -> None:
            watch(number * of + done, len(ways) * of)

        passes = rank_passes(models, questions, [str(chunk) for chunk in own], wanted, depth, cache, of_all, spread)
        for model, (ranks, positions, _) in zip(models, passes, strict=True):
            found = []
            for row, asked, own_ranks in zip(truths, wanted, ranks, strict=True):
                known = dict(zip(asked, own_ranks.tolist(), strict=True))
                found.append(np.array([_rank(spans[one], own, near[one], known, way) for one in row], np.int64))
            label = model.name if len(ways) == 1 else f"{model.name} @ {way.label}"
            options.append(ModelRanks(label, model.cost, tuple(found), np.cumsum(costs.of(positions), axis=1)))
    return FieldRanks(field, tuple(tuple(row) for row in truths), tuple(options))


def _rank(span: SpanTruth, chunks: Sequence[Chunk], near: Sequence[int], known: dict[int, int], way: Cutting) -> int:
    return cover_rank(span, chunks, {place: known[place] for place in near}, way.cover)
