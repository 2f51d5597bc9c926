"""What a judge replied, read strictly: the last JSON object of its text that has the fields of a verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal, get_args

import msgspec

from karat.core.json_types import Json, JsonObject

Word = Literal["right", "wrong", "cannot_tell"]
WORDS: tuple[Word, ...] = get_args(Word)
Why = Literal["", "unreadable", "error", "budget", "tampered", "suspicious"]
"""Why there is no verdict: the reply could not be read, the call failed, the budget was spent, the reply gave away a
word of the system message, or the answer tried to talk to the judge."""

NO_REPLY: tuple[Why, ...] = ("error", "budget")
"""Where the judge said nothing at all, which proves nothing of it."""

LONGEST_REASON = 400
_MOST_STARTS = 2_000
_LONGEST = 200_000
_BRACE = re.compile(r"[{}]")


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the judge says of one answer."""

    verdict: Word
    reason: str = ""
    confidence: float | None = None
    gold_suspect: bool = False
    why: Why = ""
    suspicious: bool = False
    """Whether the answer looks like an attempt to talk to the judge, whatever the verdict."""
    missing: dict[str, int] = {}
    """Replies that there are none of, by what kept them out: ``error``, or the budget that was spent."""
    tokens: int = 0
    cost: float = 0.0
    """Of all replies that the verdict rests on."""
    changed: bool = False
    """Whether it said something else when it was asked again."""


class Fault(Exception):
    """A reply that is not a verdict. The judge gets this text when it is asked once more."""


class Tampered(Exception):
    """The reply contains the word that must not come back: the document got the better of the judge."""


SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "token": {"type": "string"},
        "verdict": {"type": "string", "enum": list(WORDS)},
        "reason": {"type": "string", "maxLength": LONGEST_REASON},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "gold_suspect": {"type": "boolean"},
    },
    "required": ["token", "verdict", "reason", "confidence", "gold_suspect"],
    "additionalProperties": False,
}
"""The form of a reply, for endpoints that take one."""


def read_reply(text: str, token: str, canary: str) -> Verdict:
    """The verdict in a reply. Raises Fault where there is none, Tampered where the canary came back."""
    if canary.lower() in text.lower():
        raise Tampered
    found = [one for one in _objects(text) if "verdict" in one]
    if not found:
        raise Fault('the reply has no JSON object with "token" and "verdict"')
    return checked(found[-1], token)


def object_of(text: bytes) -> JsonObject | None:
    """The object that a reply consists of; None where it is something else. Raises Fault where a key comes twice."""
    try:
        found = _DECODER.decode(text.decode())
    except _TwiceError:
        raise Fault("an object of the reply has a key twice") from None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def checked(given: JsonObject, token: str | None) -> Verdict:
    """A verdict from its fields. ``token``: the one that must be among them; None where the judge gets no token."""
    if token is not None and given.get("token") != token:
        raise Fault(f'"token" must be "{token}"')
    word = given.get("verdict")
    if word not in WORDS:
        raise Fault(f'"verdict" must be one of {", ".join(WORDS)}')
    reason, confidence = given.get("reason", ""), given.get("confidence")
    if not isinstance(reason, str):
        raise Fault('"reason" must be a text')
    if confidence is not None and not _is_share(confidence):
        raise Fault('"confidence" must be a number from 0 to 1')
    suspect = given.get("gold_suspect", False)
    if not isinstance(suspect, bool):
        raise Fault('"gold_suspect" must be true or false')
    sure = None if confidence is None else float(confidence)
    return Verdict(WORDS[WORDS.index(word)], reason[:LONGEST_REASON], sure, suspect)


def _is_share(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once)


def _objects(text: str) -> Iterator[JsonObject]:
    """The outermost JSON objects of a text, from left to right. One that has a key twice, or that is cut off, is an
    unreadable reply: what is inside a broken object is not what the judge says."""
    place, starts, text = 0, 0, text[-_LONGEST:]
    unclosed = _unclosed(text)
    while (place := text.find("{", place)) >= 0 and starts < _MOST_STARTS:
        starts += 1
        try:
            value, place = _DECODER.raw_decode(text, place)
        except _TwiceError:
            raise Fault("an object of the reply has a key twice") from None
        except (ValueError, RecursionError):
            if place in unclosed:
                raise Fault("an object of the reply is not closed") from None
            place += 1
            continue
        yield value


def _unclosed(text: str) -> set[int]:
    """Where braces open that nothing closes. Braces inside texts count too: at worst a reply is asked for once more."""
    opened: list[int] = []
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            opened.pop()
    return set(opened)
