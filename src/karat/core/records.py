"""The shared types: a case, its turns, and what a system answered.

All are frozen msgspec structs. ``T`` is the suite's own target type: what the right answer to a turn looks like.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from karat.core.bulk.sequence import LazySequence
from karat.core.bulk.sorted_parts import in_order
from karat.core.expect.records import Expect
from karat.core.files.limits import REPEATS
from karat.core.json_types import JsonObject
from karat.core.trace.values import MOST_TOKENS

T = TypeVar("T")

Role = Literal["user", "assistant", "system"]
Status = Literal["accepted", "draft"]
"""A draft was proposed by a program. It is never scored before a person has accepted it, see
``core.case_files.drafts``."""


class Where(msgspec.Struct, frozen=True, gc=False):
    """The place in a file where a case begins: the file, which document or list item in it, the line.

    >>> import karat
    >>> karat.Where("cases.yaml", line=12).line
    12
    """

    file: str = ""
    """The path of the file."""
    document: int = 0
    """The number of the YAML document in the file, from 0."""
    item: int | None = None
    """The number of the list item in the document, from 0; None if the document is not a list."""
    line: int = 0
    """The line where the case begins, from 1; 0 if it is not known."""


class Turn(msgspec.Struct, Generic[T], frozen=True, omit_defaults=True):
    """One message of a conversation. A user turn with a target is scored, and one with expectations is
    checked.

    >>> import karat
    >>> karat.Turn("user", "How many ships?", target={"answer": 37}).content
    'How many ships?'
    """

    role: Role
    """Who speaks."""
    content: str
    """What is said."""
    target: T | None = None
    """The right answer to this turn."""
    expect: Expect | None = None
    """What is asserted about the way to the answer: tools, tables, sources, limits."""


class Case(msgspec.Struct, Generic[T], frozen=True, omit_defaults=True):
    """One question, or conversation, with what a right answer must hold.

    >>> import karat
    >>> case = karat.Case("ships", (karat.Turn("user", "How many ships?", target={"answer": 37}),), tags=("count",))
    >>> case.question, case.scored_turns
    ('How many ships?', (0,))
    """

    id: str
    """The case's id, unique in its suite."""
    conversation: tuple[Turn[T], ...]
    """The messages; a user turn with a target is scored."""
    name: str = ""
    """A readable name."""
    tags: tuple[str, ...] = ()
    """Words to group figures by."""
    comments: str = ""
    """Notes for people; not used."""
    metadata: JsonObject = {}
    """Whatever else the suite keeps about the case."""
    source: Where = Where()
    """Where the case is in its file."""
    status: Status = "accepted"
    """``draft``: proposed by a program and not scored until a person accepts it."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""

    @property
    def question(self) -> str:
        """The last thing the user asks that is scored; the last user turn when none is."""
        asked = [turn for turn in self.conversation if turn.role == "user"]
        scored = [turn for turn in asked if turn.target is not None or turn.expect is not None]
        return (scored or asked or [Turn(role="user", content="")])[-1].content

    @property
    def user_turns(self) -> int:
        """How many turns are the user's."""
        return sum(turn.role == "user" for turn in self.conversation)

    @property
    def scored_turns(self) -> tuple[int, ...]:
        """Indices, among the user turns, of those that carry a target or expectations."""
        users = [turn for turn in self.conversation if turn.role == "user"]
        return tuple(index for index, turn in enumerate(users) if turn.target is not None or turn.expect is not None)

    @property
    def target_turns(self) -> tuple[int, ...]:
        """Those of them that carry a target."""
        return tuple(turn for turn in self.scored_turns if self.asked(turn).target is not None)

    @property
    def expects(self) -> bool:
        """Whether something is asserted of the way to an answer."""
        return any(turn.expect is not None for turn in self.conversation)

    def asked(self, turn: int) -> Turn[T]:
        """The user turn of this index."""
        return [one for one in self.conversation if one.role == "user"][turn]


AnyCase: TypeAlias = Case[Any]
"""A case of any suite: what is done with it does not depend on its target."""


class CallError(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a call gave no answer. ``kind`` is a word from a short list, for counting; ``message`` is for reading.

    >>> import karat
    >>> karat.CallError("timeout", "no answer within 120 s", tries=5).kind
    'timeout'
    """

    kind: str
    """What went wrong, as a word to count by: ``timeout``, ``rate_limited`` and so on."""
    message: str
    """What went wrong, for people."""
    tries: int = 1
    """How many attempts were made."""


class Prediction(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the system answered to one user turn: the raw response as it came, or the error, and what it cost.

    >>> import karat
    >>> karat.Prediction("ships", response=b"There are 37 ships.", latency=0.8).error is None
    True
    """

    case_id: str
    """The id of the case."""
    turn: int | None = 0
    """The index among the user turns. None: the recording did not say; the only scored turn, else 0."""
    repeat: int = 0
    """The number of the try, from 0."""
    response: bytes = b""
    """The raw response."""
    error: CallError | None = None
    """Why there is no response; None if there is one."""
    latency: float | None = None
    """Seconds that the answer took, if known."""
    tokens: int | None = None
    """Tokens that the answer used, if known."""
    cost: float | None = None
    """What the answer cost, if known."""
    trace: bytes = b""
    """The trace of the answer, if it came separately from the response."""


class Branch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Responses to a turn beside the answer itself: what came of one way of asking again, and what that cost."""

    name: str
    """The strategy's name."""
    responses: tuple[str, ...] = ()
    """The responses, in order."""
    latency: float | None = None
    """Seconds that they took together."""
    tokens: int | None = None
    """Tokens that they used together."""
    cost: float | None = None
    """What they cost together."""


class NextCall(msgspec.Struct, frozen=True):
    """What to ask next on a branch: the conversation up to the question continues with these exchanges, each a response
    and what is said to it. None of them: the question is asked once more."""

    branch: str
    exchanges: tuple[tuple[bytes, str], ...] = ()


class _Attempts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    karat_attempts: tuple[str, ...]
    karat_branches: tuple[Branch, ...] = ()


class _Traced(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    karat_trace: bytes
    response: bytes


_ATTEMPTS = b'{"karat_attempts":'
_TRACED = b'{"karat_trace":'
_CHOICES = b'"choices"'


def is_wrapped(response: bytes) -> bool:
    """Whether a response may hold its text inside: a chat completion, several attempts, or one with its trace."""
    return response.startswith((_ATTEMPTS, _TRACED)) or (response[:1] == b"{" and _CHOICES in response)


def join_attempts(responses: Sequence[bytes], branches: Sequence[Branch] = ()) -> bytes:
    """Several responses to one turn, in the order they came, as one; a single one without branches stays as it came."""
    if len(responses) == 1 and not branches:
        return responses[0]
    texts = tuple(response.decode(errors="replace") for response in responses)
    return msgspec.json.encode(_Attempts(texts, tuple(branches)))


def attempts(response: bytes) -> list[bytes]:
    """The responses that a prediction holds: usually one, more where the system was asked to repair its answer."""
    response, _ = split_trace(response)
    if not response.startswith(_ATTEMPTS):
        return [response]
    return [text.encode() for text in msgspec.json.decode(response, type=_Attempts).karat_attempts]


def branches_of(response: bytes) -> tuple[Branch, ...]:
    """What was asked beside the answer that a prediction holds, see :class:`Branch`."""
    response, _ = split_trace(response)
    if not response.startswith(_ATTEMPTS):
        return ()
    return msgspec.json.decode(response, type=_Attempts).karat_branches


def join_trace(prediction: Prediction) -> bytes:
    """The response as it is stored: with the trace that came beside it, where one did."""
    if not prediction.trace and not prediction.response.startswith(_TRACED):
        return prediction.response
    return msgspec.json.encode(_Traced(prediction.trace, prediction.response))


def split_trace(stored: bytes) -> tuple[bytes, bytes]:
    """(response, trace) of what :func:`join_trace` gave."""
    if not stored.startswith(_TRACED):
        return stored, b""
    try:
        found = msgspec.json.decode(stored, type=_Traced)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return stored, b""
    return found.response, found.karat_trace


def with_own_trace(prediction: Prediction) -> Prediction:
    """An answer as it was before it was stored."""
    if not prediction.response.startswith(_TRACED):
        return prediction
    response, trace = split_trace(prediction.response)
    return msgspec.structs.replace(prediction, response=response, trace=trace)


def recorded_trace(value: object) -> bytes:
    """The trace that a recording has beside the response, as JSON; nothing where it has none."""
    return b"" if value is None else msgspec.json.encode({"trace": value})


MOST_TURNS = 10_000


def misplaced(turn: int | None, repeat: int) -> str:
    """Why a recording cannot be of this turn and repeat; empty when it can."""
    if repeat and not 0 <= repeat < REPEATS.value:
        shown = f"{repeat}" if abs(repeat) < 10**20 else "a huge number"
        return f'"repeat" is {shown}; it counts from 0 and is below {REPEATS.value:,} ({REPEATS.variable})'
    if turn and not 0 <= turn < MOST_TURNS:
        return f'"turn" is {turn if abs(turn) < 10**20 else "a huge number"}; it counts from 0'
    return ""


def recorded_error(error: object) -> CallError | None:
    """The error that a recording tells: text, or an object with ``kind`` and ``message``."""
    if error is None or error is False or error == "":
        return None
    if isinstance(error, Mapping):
        return CallError(str(error.get("kind", "recorded")), str(error.get("message", error)))
    return CallError("recorded", str(error))


def recorded_tokens(value: object) -> int | None:
    """The tokens that a recording tells: a number, or an object as endpoints send it."""
    if isinstance(value, Mapping):
        value = value.get("total_tokens", value.get("total"))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
        return None
    return int(value)


def default_turn(case: AnyCase) -> int:
    """The user turn that a recording belongs to when it does not say: the only scored turn, else turn 0."""
    scored = case.scored_turns
    return scored[0] if len(scored) == 1 else 0


def as_asked(case: AnyCase) -> object:
    """What is asked and expected, as the case itself says it."""
    return case.conversation


def truth_hash(cases: Iterable[AnyCase], truth: Callable[[AnyCase], object] = as_asked) -> str:
    """A short hash of what is asked and expected. Figures of two runs compare only when theirs is equal.

    Order of cases, their names, tags, comments and files do not count. ``truth`` says what does (see ``Suite.truth``).
    """
    encoder = msgspec.json.Encoder(order="deterministic")
    digest = hashlib.sha256()
    found = [False]

    def part_of(case: AnyCase) -> bytes:
        if not case.expects:
            return encoder.encode((case.id, truth(case)))
        found[0] = True
        return encoder.encode((case.id, truth(case), [turn.expect for turn in case.conversation]))

    for part in in_order(map(part_of, cases)):
        digest.update(part)
        digest.update(b"\n")
    _remember(cases, found[0])
    return digest.hexdigest()[:12]


def any_expects(cases: Iterable[AnyCase]) -> bool:
    """Whether one of the cases asserts something of the way to an answer. Cases that are not held are looked through
    once."""
    if isinstance(cases, LazySequence) and _EXPECTS in cases.memory:
        return bool(cases.memory[_EXPECTS])
    found = any(case.expects for case in cases)
    _remember(cases, found)
    return found


_EXPECTS = "expects"


def _remember(cases: Iterable[AnyCase], found: bool) -> None:
    if isinstance(cases, LazySequence):
        cases.memory[_EXPECTS] = found
