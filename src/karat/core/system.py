"""What a system under test is: something that is asked, and answers or fails.

Adding one is a module with a :class:`SystemType` and an entry point in the group ``karat.systems``. Limits, retries,
timing and cost are the caller's business, the same for all systems; a system makes one plain attempt and says how it
failed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal  # Any: each type of system is opened with a configuration of its own class

import msgspec

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.problems import Problem
from karat.core.records import Prediction
from karat.core.suite import Suite

PLAIN_TEXT_HINT = "Put it into an environment variable and write ${NAME} in its place."


class Request(msgspec.Struct, frozen=True):
    """One question to the system: the conversation up to and with the user turn that is asked.

    >>> import karat
    >>> karat.Request("ships", 0, 0, ({"role": "user", "content": "How many ships?"},)).question
    'How many ships?'
    """

    case_id: str
    """The id of the case."""
    turn: int
    """The user turn, from 0."""
    repeat: int
    """The number of the try, from 0."""
    messages: tuple[JsonObject, ...]
    """``{"role", "content"}``, and whatever else the system's own earlier replies contained."""
    default_turn: int = 0
    """The turn of this case that a recording belongs to when it does not say."""
    beside: JsonObject = {}
    """Further fields that a function or a command receives with the messages."""
    again: int = 0
    """How many times these messages were sent before for this turn, where another answer to them is wanted."""

    @property
    def question(self) -> str:
        """The last thing the user said."""
        asked = (message for message in reversed(self.messages) if message.get("role") == "user")
        return next((str(message.get("content") or "") for message in asked), "")


class Response(msgspec.Struct, frozen=True):
    """One answer: the raw body as it came, and what the system itself says it cost.

    >>> import karat
    >>> karat.Response(b"37", input_tokens=12, output_tokens=1).body
    b'37'
    """

    body: bytes
    """The raw answer."""
    input_tokens: int | None = None
    """Tokens of the prompt, if known."""
    output_tokens: int | None = None
    """Tokens of the answer, if known."""
    tokens: int | None = None
    """The total, if only that is known."""
    cost: float | None = None
    """What the call cost, if the system says so."""
    latency: float | None = None
    """A recorded latency; without it, the caller's own clock counts."""
    model: str = ""
    """The model, to look up its price."""
    trace: bytes = b""
    """The trace of the answer, if it is not part of the body."""


class CallFailed(Exception):
    """An attempt that gave no answer. ``retry`` says whether another attempt may help, ``retry_after`` how long to
    wait.

    >>> import karat
    >>> failure = karat.CallFailed("rate_limited", "too many requests", retry=True, retry_after=2.0)
    >>> failure.kind, failure.retry
    ('rate_limited', True)
    """

    def __init__(
        self, kind: str, message: str, *, retry: bool = False, retry_after: float | None = None, body: bytes = b""
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.retry = retry
        self.retry_after = retry_after
        self.body = body


class NoAnswer(Exception):
    """There is nothing recorded for this question: the case stays ``missing``, which is not an error.

    >>> import karat
    >>> class Recorded(karat.System):
    ...     async def call(self, request):
    ...         raise karat.NoAnswer
    >>> result = karat.score("retrieval", [{"id": "q1", "relevant": ["x"]}, {"id": "q2", "relevant": ["x"]}],
    ...                      [{"id": "q1", "results": ["x"]}])
    >>> result.cases[1].status
    'missing'
    """


class System(ABC):
    """An open system. It must handle many calls at once.

    Every system derives from this class. Only ``call`` has to be written; all else has a default that fits a system
    which is asked live.

    >>> import asyncio, karat
    >>> class Echo(karat.System):
    ...     async def call(self, request: karat.Request) -> karat.Response:
    ...         return karat.Response(request.question.encode())
    >>> asyncio.run(Echo().call(karat.Request("q1", 0, 0, ({"role": "user", "content": "Hi"},)))).body
    b'Hi'
    """

    problems: Sequence[Problem] = ()
    """What could not be read when the system was opened. It is shown with the result."""
    measures_time: bool = True
    """Whether the time of a call is the latency of its answer. False where a call only looks an answer up."""
    can_be_asked_again: bool = True
    """Whether a question can be put to it again, and followed up. False for recorded answers."""
    recorded: Sequence[Prediction] = ()
    """All answers of a system that has them from the start. Those to unknown cases, turns and repeats are reported."""
    notes: JsonMapping = MappingProxyType({})
    """What the system knows of the run as a whole, by name: structs, or the JSON values of structs, that
    ``Suite.notes`` declares."""

    @abstractmethod
    async def call(self, request: Request) -> Response:
        """One attempt. Raises CallFailed or NoAnswer."""

    def reply(self, body: bytes) -> JsonObject:
        """The assistant message that a stored body stands for, to be sent back as history. By default its text."""
        return {"role": "assistant", "content": body.decode("utf-8", errors="replace")}

    async def close(self) -> None:  # noqa: B027 (a system with nothing open has nothing to do)
        """Give back connections and processes. By default there are none."""


class Price(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Money for a million tokens."""

    input: float
    """Price of a million input tokens."""
    output: float
    """Price of a million output tokens."""


class SystemConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every system takes. A system's own configuration extends this struct.

    >>> import karat
    >>> class Config(karat.SystemConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    ...     greeting: str
    >>> Config(type="echo", greeting="Hi", concurrency=2).concurrency
    2
    """

    type: str
    """The type of system: ``openai``, ``http``, ``command``, ``function``, ``replay``, ``sheet``, or one of a
    plug-in."""
    concurrency: int = 8
    """How many calls may run at the same time."""
    requests_per_minute: float | None = None
    """The most calls per minute; no limit by default."""
    timeout: float = 120.0
    """Seconds that one attempt may take."""
    retries: int = 4
    """How often a failed attempt is repeated when that may help: 429, 5xx, timeouts, lost connections."""
    backoff: float = 1.0
    """Seconds before the first retry. They double each time, with jitter, unless the server says how long to wait."""
    prices: dict[str, Price] = {}
    """Model name (or ``default``) → price, for the cost of calls whose tokens are known."""
    version: str = ""
    """The version of the assistant behind these settings; may contain ``${NAME}`` from the environment. Answers are
    never reused across versions."""
    depends_on: tuple[str, ...] = ()
    """Files and folders that the assistant consists of. Answers are not reused once one of them has changed."""

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        if self.requests_per_minute is not None and self.requests_per_minute <= 0:
            raise ValueError("requests_per_minute must be above 0")
        if self.timeout <= 0:
            raise ValueError("timeout must be above 0")
        if self.retries < 0 or self.backoff < 0:
            raise ValueError("retries and backoff must not be negative")

    @property
    def secret_hint(self) -> str:
        """What to do with a secret instead of writing it into these settings."""
        return PLAIN_TEXT_HINT


class RecordedConfig(SystemConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a system takes that has its answers from a recording and is not asked live."""

    predictions: str
    """A file or folder that the suite can read."""


class Example(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """A few-shot example: a question with its answer, or one message with its role. Sent as it is written."""

    user: str | None = None
    """The question."""
    assistant: str | None = None
    """Its answer."""
    role: Literal["user", "assistant", "system"] | None = None
    """The role of a single message."""
    content: str | None = None
    """The text of a single message."""

    def __post_init__(self) -> None:
        given = {name for name in self.__struct_fields__ if getattr(self, name) is not None}
        if given not in ({"user", "assistant"}, {"role", "content"}):
            raise ValueError("an example has user and assistant, or role and content")

    @property
    def messages(self) -> tuple[JsonObject, ...]:
        """The example as messages of a conversation."""
        if self.role is not None:
            return ({"role": self.role, "content": self.content},)
        return ({"role": "user", "content": self.user}, {"role": "assistant", "content": self.assistant})


class PromptedConfig(SystemConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every live system takes: how its questions are put. See ``karat.systems.prompts.prompt``.

    >>> import karat
    >>> config = karat.PromptedConfig(type="echo", prompt="Answer briefly: {{ question }}")
    >>> config.few_shot
    ()
    """

    prompt: str = ""
    """A Jinja2 template, or the path of a file with one. ``default`` is the suite's own; without a prompt, the bare
    question is sent."""
    system_prompt: str = ""
    """The same for a system message before the conversation."""
    examples: tuple[Example, ...] = ()
    """Few-shot examples, sent before the conversation."""
    messages: tuple[Example, ...] = ()
    """Another name for ``examples``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.examples and self.messages:
            raise ValueError("examples and messages are two names for one setting: keep one of them")

    @property
    def few_shot(self) -> tuple[JsonObject, ...]:
        """The messages of all examples, in their order."""
        return tuple(message for example in self.examples or self.messages for message in example.messages)


class FormattedConfig(PromptedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of a live system whose answers can be given a form."""

    response_format: Json = None
    """``json_object``, ``suite`` (the suite's own schema) or a JSON schema."""


@dataclass(frozen=True)
class SystemType:
    """A kind of system: its name, its configuration, how to open one.

    >>> import asyncio, karat
    >>> class Echo(karat.System):
    ...     async def call(self, request: karat.Request) -> karat.Response:
    ...         return karat.Response(request.question.encode())
    >>> kind = karat.SystemType("echo", "repeats the question", karat.SystemConfig, lambda config, suite: Echo())
    >>> kind.name
    'echo'
    """

    name: str
    summary: str
    config: type[SystemConfig]
    open: Callable[[Any, Suite], System]
    """(configuration, suite) → an open system. Raises UserError for what the user must fix."""
    paths: tuple[str, ...] = ()
    """Settings that name files or folders: in karat.yaml they are relative to it."""
    settings_tell_all: bool = False
    """Whether settings and messages say all that an answer depends on, as those of a named model do. Answers of other
    systems are reused only where the user says what they depend on."""
