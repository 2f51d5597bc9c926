"""The words of answers, beside their blocks: written with the answers, and read by a search in their place. A block
without them, of an older store or where they would take too much room, is searched itself."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from sqlalchemy import Connection, delete

from karat.store.blocks.tables import blocks_from
from karat.store.blocks.word_index import WordIndex
from karat.store.predictions.answer_blocks import ANSWER_WORDS, KEYS, AnswerBlock, answer_block, case_ids_of
from karat.store.schema import run_blocks


class IndexedAnswers(msgspec.Struct, frozen=True):
    """A block of answers, of which only the cases and the words were read."""

    cases: list[str]
    words: WordIndex


def drop_answer_words(connection: Connection, run_id: int) -> None:
    """Answers of this run were moved or replaced."""
    own = [run_blocks.c.run_id == run_id, run_blocks.c.kind == ANSWER_WORDS]
    connection.execute(delete(run_blocks).where(*own))


def searched_answers(connection: Connection, run_id: int) -> Iterator[IndexedAnswers | AnswerBlock]:
    """All blocks of a run's answers in the order in which they came: their words, or all of them where those are not
    kept."""
    indexes = blocks_from(connection, run_blocks, run_id, ANSWER_WORDS)
    index = next(indexes, None)
    for stored in blocks_from(connection, run_blocks, run_id, KEYS):
        while index is not None and index.first < stored.first:
            index = next(indexes, None)
        if index is not None and (index.first, index.block.rows) == (stored.first, stored.block.rows):
            yield IndexedAnswers(case_ids_of(stored), WordIndex(index.block.items()[0]))
        else:
            yield answer_block(connection, run_id, stored)
