"""The results of the cases of a scoring, in and out of its blocks: each as JSON; beside them the lines of the list of
cases, what is searched of them, and their figures as columns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection

from karat.core.bulk.gc_pause import no_collecting
from karat.core.explanation import Explanation
from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.columns.case_words import CaseWords, pack_words, unpack_words
from karat.core.results.columns.columns import Columns
from karat.core.results.failures.failure_columns import pack_failures
from karat.core.results.result import CaseResult
from karat.store.blocks.block import DamagedBlock, in_blocks
from karat.store.blocks.tables import Stored, append_block, block_at, blocks_from, end_of
from karat.store.cases.case_lines import LINES, SEARCHED, CaseLine, line_of, pack_lines, pack_searched
from karat.store.cases.case_marks import MARKS, pack_marks
from karat.store.codec import to_json
from karat.store.schema import scoring_blocks
from karat.store.scorings.columns import COLUMNS, pack_columns, unpack_columns
from karat.store.scorings.failure_blocks import FAILURES
from karat.store.scorings.scorings import read_summary

RESULTS, WORDS = "results", "words"

_decoder = msgspec.json.Decoder(CaseResult)


class Lined(msgspec.Struct, frozen=True, gc=False):
    """A result with what is kept beside it."""

    case: CaseResult
    data: bytes
    """Its JSON."""
    line: CaseLine
    explanation: Explanation | None = None
    """None: of an older store, which kept the line alone."""


def append_results(connection: Connection, scoring: int, suite: str, results: Sequence[CaseResult]) -> None:
    """Results of cases, after those that the scoring already has."""
    append_lined(connection, scoring, [_lined(suite, case) for case in results], suite)


def _lined(suite: str, case: CaseResult) -> Lined:
    explanation = explanation_of(suite, case)  # once: the line and the words are both made from it
    return Lined(case, to_json(case), line_of(case, explanation), explanation)


def append_lined(connection: Connection, scoring: int, results: Sequence[Lined], suite: str = "") -> None:
    """The same with the JSON and the line of each case. Without the suite, the words of the cases are not kept: they
    are made from the results when they are asked for."""
    first = end_of(connection, scoring_blocks, scoring, RESULTS)
    for chunk in in_blocks(results, lambda item: len(item.data)):
        lines = [item.line for item in chunk]
        rows = len(chunk)
        append_block(connection, scoring_blocks, scoring, RESULTS, first, [item.data for item in chunk])
        columns = {
            COLUMNS: pack_columns([item.case for item in chunk]),
            LINES: pack_lines(lines),
            SEARCHED: pack_searched(lines),
            MARKS: pack_marks(lines),
        }
        if suite:
            explained = [(item.case, item.explanation) for item in chunk]
            columns[WORDS] = pack_words(suite, explained)
            columns[FAILURES] = pack_failures(suite, explained)
        for kind, packed in columns.items():
            append_block(connection, scoring_blocks, scoring, kind, first, [packed], rows)
        first += rows


def count_results(connection: Connection, scoring: int) -> int:
    """How many cases a scoring has."""
    return end_of(connection, scoring_blocks, scoring, RESULTS)


def results_from(connection: Connection, scoring: int, begin: int) -> tuple[CaseResult, ...]:
    """The results from this position to the end of its block; none past the last."""
    found = block_at(connection, scoring_blocks, scoring, RESULTS, begin)
    return () if found is None else _decoded(found)[begin - found.first :]


def read_result(connection: Connection, scoring: int, position: int) -> CaseResult | None:
    """One case of a scoring; None when it has no such position."""
    found = block_at(connection, scoring_blocks, scoring, RESULTS, position) if position >= 0 else None
    return None if found is None else _decoder.decode(found.block.items()[position - found.first])


def read_results_at(connection: Connection, scoring: int, positions: Sequence[int]) -> list[CaseResult]:
    """The results at these positions, in this order. Of a block only those are decoded."""
    found: dict[int, CaseResult] = {}
    left = sorted(set(positions))
    while left:
        stored = block_at(connection, scoring_blocks, scoring, RESULTS, left[0])
        if stored is None:
            raise DamagedBlock(f"the result of the case {left[0]} is missing")
        here, left = _divided(left, stored.end)
        items = stored.block.items_at([position - stored.first for position in here])
        found |= zip(here, map(_decoder.decode, items), strict=True)
    return [found[position] for position in positions]


def _divided(positions: Sequence[int], end: int) -> tuple[list[int], list[int]]:
    """Sorted positions before the end, and from it on."""
    place = bisect_left(positions, end)
    return list(positions[:place]), list(positions[place:])


def read_columns(connection: Connection, scoring: int) -> Columns:
    """The figures of all cases; without their tags and groups."""
    metrics = [item.metric for item in read_summary(connection, scoring)]
    count = end_of(connection, scoring_blocks, scoring, COLUMNS)
    blocks = blocks_from(connection, scoring_blocks, scoring, COLUMNS)
    return unpack_columns((found.block.items()[0] for found in blocks), count, metrics, unpack_words(()))


def has_words(connection: Connection, scoring: int) -> bool:
    """Whether the words of all cases are kept. A scoring from an older store has none."""
    return end_of(connection, scoring_blocks, scoring, WORDS) == count_results(connection, scoring)


def read_words(connection: Connection, scoring: int) -> CaseWords:
    """The tags and groups of all cases."""
    blocks = blocks_from(connection, scoring_blocks, scoring, WORDS)
    return unpack_words(found.block.items()[0] for found in blocks)


def _decoded(stored: Stored) -> tuple[CaseResult, ...]:
    with no_collecting():
        return tuple(map(_decoder.decode, stored.block.items()))
