"""What blocks of each kind hold, for checking a store: that a block can be read, and that it makes sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any  # Any: each kind of block holds something else

import msgspec

from karat.core.results.columns.case_words import unpack_words
from karat.core.results.failures.failure_columns import unpack_failures
from karat.core.results.result import CaseResult
from karat.store.blocks.block import Block, check_block
from karat.store.blocks.word_index import WordIndex
from karat.store.cases.case_lines import LINES, SEARCHED, unpack_lines, unpack_searched
from karat.store.cases.case_marks import MARKS, unpack_marks
from karat.store.cases.cases import CASES, IDS
from karat.store.codec import from_bytes
from karat.store.live import LIVE, read_batch
from karat.store.predictions.answer_blocks import ANSWER_WORDS, KEYS, RESPONSES, Keys
from karat.store.scorings.columns import COLUMNS, unpack_chunk
from karat.store.scorings.failure_blocks import FAILURES
from karat.store.scorings.figures_copy import FIGURES, read_figures
from karat.store.scorings.results import RESULTS, WORDS
from karat.store.settings_copy import SETTINGS, read_settings

CASE_KINDS = (CASES, IDS)
SCORING_KINDS = (RESULTS, LINES, SEARCHED, COLUMNS)
"""Kinds of blocks that every run with cases, and every scoring, has for all of its cases."""

READERS: Mapping[str, Callable[[bytes], Any]] = MappingProxyType(
    {
        CASES: msgspec.json.decode,
        IDS: from_bytes,
        RESPONSES: bytes,
        KEYS: msgspec.msgpack.Decoder(Keys).decode,
        ANSWER_WORDS: WordIndex,
        RESULTS: msgspec.json.Decoder(CaseResult).decode,
        LINES: unpack_lines,
        SEARCHED: unpack_searched,
        MARKS: unpack_marks,
        COLUMNS: unpack_chunk,
        WORDS: lambda item: unpack_words([item]),
        FAILURES: unpack_failures,
        FIGURES: read_figures,
        LIVE: read_batch,
        SETTINGS: read_settings,
    }
)
"""How one item of a block is read."""


def fault_of(kind: str, rows: int, checksum: int, data: bytes) -> str:
    """What is wrong with a stored block; empty when all of it can be read."""
    if kind not in READERS:
        return f'"{kind}" is no kind of block'
    if fault := check_block(rows, checksum, data):
        return fault
    try:
        for item in Block(rows, checksum, data).items():
            found = READERS[kind](item)
            if isinstance(found, Keys) and len(found.cases) != rows:
                return f"a block of {kind} is for {len(found.cases)} answers and says that it has {rows}"
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError) as error:
        return f"an item of a block of {kind} cannot be read: {error}"
    return ""
