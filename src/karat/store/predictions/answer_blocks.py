"""Answers in blocks: the responses, and apart from them what each is an answer to, with its error and costs, as
columns; and the words of the answers, for searching."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

import msgspec
from sqlalchemy import Connection

from karat.core.records import CallError, Prediction, is_wrapped, join_trace, with_own_trace
from karat.core.replies.answer_text import answer_text
from karat.store.blocks.block import Block, DamagedBlock, in_blocks
from karat.store.blocks.tables import Stored, append_block, block_at, blocks_from, end_of
from karat.store.blocks.word_index import pack_word_index
from karat.store.codec import from_text, from_texts, to_text
from karat.store.schema import run_blocks

RESPONSES, KEYS = "responses", "answer_keys"
ANSWER_WORDS = "answer_words"
"""The words of a block of answers, for searching; not there where they would take too much room."""
_ASCII = bytes(range(128))
_MANY = 24
"""Characters above which folding them one after the other does not pay."""
NO_TURN = -1
"""The recording did not say which turn it answers."""


class Keys(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All of a block's answers but the responses. Only failed calls have an error, by their place in the block."""

    cases: list[str]
    turns: list[int]
    repeats: list[int]
    errors: dict[int, tuple[str, str, int]]
    latencies: list[float | None]
    tokens: list[int | None]
    costs: list[float | None]
    created: list[str]
    unfolded: str | None
    """For searching: the characters beyond ASCII that case folding changes. None where folding would move the
    responses, or a response is not its own text."""


class _CaseIds(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The first of these columns; the others are passed over."""

    cases: list[str]


class SearchKeys(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a search needs of these columns; the others are passed over."""

    cases: list[str]
    turns: msgspec.Raw
    repeats: msgspec.Raw
    errors: dict[int, tuple[str, str, int]]
    latencies: msgspec.Raw
    tokens: msgspec.Raw
    costs: msgspec.Raw
    created: msgspec.Raw
    unfolded: str | None


_decoder = msgspec.msgpack.Decoder(Keys)
_search_decoder = msgspec.msgpack.Decoder(SearchKeys)
_ids_decoder = msgspec.msgpack.Decoder(_CaseIds)


def append_answers(connection: Connection, run_id: int, answers: Iterable[tuple[Prediction, str]]) -> None:
    """(answer, when it came), after those in the blocks that are there."""
    first = end_of(connection, run_blocks, run_id, KEYS)
    for chunk in in_blocks(answers, lambda answer: len(answer[0].response) + len(answer[0].trace)):
        keys = msgspec.msgpack.encode(_keys([one for one, _ in chunk], [created for _, created in chunk]))
        append_block(connection, run_blocks, run_id, KEYS, first, [keys], len(chunk))
        append_block(connection, run_blocks, run_id, RESPONSES, first, [join_trace(one) for one, _ in chunk])
        words = pack_word_index([answer_text(one) for one, _ in chunk])
        if words is not None:
            append_block(connection, run_blocks, run_id, ANSWER_WORDS, first, [words], len(chunk))
        first += len(chunk)


LOST = ("damaged", "the stored answer was damaged, and is lost", 0)
"""The error in the place of an answer that a repair could not save."""


def append_lost(connection: Connection, run_id: int, stored: Stored) -> None:
    """A block of keys, written again at its place with an error for each of its answers."""
    keys = msgspec.structs.replace(
        _decoder.decode(stored.block.items()[0]), errors=dict.fromkeys(range(stored.block.rows), LOST)
    )
    append_block(connection, run_blocks, run_id, KEYS, stored.first, [msgspec.msgpack.encode(keys)], stored.block.rows)
    append_block(connection, run_blocks, run_id, RESPONSES, stored.first, [b""] * stored.block.rows)


def _keys(answers: Sequence[Prediction], created: list[str]) -> Keys:
    errors = {place: one.error for place, one in enumerate(answers) if one.error is not None}
    return Keys(
        cases=[to_text(one.case_id) for one in answers],
        turns=[NO_TURN if one.turn is None else one.turn for one in answers],
        repeats=[one.repeat for one in answers],
        errors={place: (to_text(one.kind), to_text(one.message), one.tries) for place, one in errors.items()},
        latencies=[one.latency for one in answers],
        tokens=[one.tokens for one in answers],
        costs=[one.cost for one in answers],
        created=created,
        unfolded=_unfolded(answers),
    )


def _unfolded(answers: Sequence[Prediction]) -> str | None:
    if any(one.error is not None or one.trace or is_wrapped(one.response) for one in answers):
        return None
    others = b"".join(one.response for one in answers).translate(None, _ASCII)
    try:
        changed = sorted(char for char in set(others.decode()) if char != char.casefold())
    except UnicodeDecodeError:
        return None
    moved = any(len(char.encode()) != len(char.casefold().encode()) for char in changed)
    return None if moved or len(changed) > _MANY else "".join(changed)


def keys_of(stored: Stored) -> Keys:
    """What a block of keys holds, with the ids as they were given."""
    found = _decoder.decode(stored.block.items()[0])
    return msgspec.structs.replace(found, cases=from_texts(found.cases))


def case_ids_of(stored: Stored) -> list[str]:
    """The ids of a block of keys alone, as they were given."""
    return from_texts(_ids_decoder.decode(stored.block.items()[0]).cases)


def error_at(keys: Keys | SearchKeys, place: int) -> CallError | None:
    """Why a call gave no answer; None when it gave one."""
    found = keys.errors.get(place)
    return None if found is None else CallError(from_text(found[0]), from_text(found[1]), found[2])


def answers_at(connection: Connection, run_id: int, first: int, wanted: Container[str]) -> list[Prediction]:
    """The answers to these cases in the block that begins here; none when it is not there (yet)."""
    stored = block_at(connection, run_blocks, run_id, KEYS, first)
    if stored is None:
        return []
    keys = keys_of(stored)
    places = [place for place, case in enumerate(keys.cases) if case in wanted]
    responses = dict(zip(places, _responses_block(connection, run_id, stored).items_at(places), strict=True))
    return [
        with_own_trace(
            Prediction(
                keys.cases[place],
                None if keys.turns[place] == NO_TURN else keys.turns[place],
                keys.repeats[place],
                responses[place],
                error_at(keys, place),
                keys.latencies[place],
                keys.tokens[place],
                keys.costs[place],
            )
        )
        for place in places
    ]


class AnswerBlock(msgspec.Struct, frozen=True):
    """The answers of a block without an object for each: the responses one after the other, and where each ends."""

    keys: SearchKeys
    responses: bytes
    ends: list[int]


def answer_blocks(connection: Connection, run_id: int) -> Iterator[AnswerBlock]:
    """All blocks of a run's answers, in the order in which they came."""
    held = blocks_from(connection, run_blocks, run_id, RESPONSES)
    for stored, answers in zip(blocks_from(connection, run_blocks, run_id, KEYS), held, strict=True):
        yield _answer_block(stored, answers.block)


def answer_block(connection: Connection, run_id: int, stored: Stored) -> AnswerBlock:
    """The answers that belong to a block of keys, for a search."""
    return _answer_block(stored, _responses_block(connection, run_id, stored))


def _answer_block(stored: Stored, responses: Block) -> AnswerBlock:
    keys = _search_decoder.decode(stored.block.items()[0])
    keys = msgspec.structs.replace(keys, cases=from_texts(keys.cases))
    return AnswerBlock(keys, *responses.joined())


def answers_of(connection: Connection, run_id: int, stored: Stored) -> list[Prediction]:
    """The answers that belong to a block of keys."""
    responses = _responses(connection, run_id, stored)
    keys = keys_of(stored)
    columns = zip(keys.cases, keys.turns, keys.repeats, responses, keys.latencies, keys.tokens, keys.costs, strict=True)
    if not keys.errors:
        found = [
            Prediction(case, None if turn == NO_TURN else turn, repeat, response, None, latency, tokens, cost)
            for case, turn, repeat, response, latency, tokens, cost in columns
        ]
    else:
        found = [
            Prediction(
                case, None if turn == NO_TURN else turn, repeat, response, error_at(keys, place), latency, tokens, cost
            )
            for place, (case, turn, repeat, response, latency, tokens, cost) in enumerate(columns)
        ]
    return [with_own_trace(one) for one in found]


def _responses(connection: Connection, run_id: int, stored: Stored) -> list[bytes]:
    return _responses_block(connection, run_id, stored).items()


def _responses_block(connection: Connection, run_id: int, stored: Stored) -> Block:
    held = block_at(connection, run_blocks, run_id, RESPONSES, stored.first)
    if held is None or held.first != stored.first:
        raise DamagedBlock("the responses of a block of answers are missing")
    return held.block
