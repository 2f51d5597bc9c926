"""A Python function: ``module:callable``, sync or async, found in the current folder or beside ``karat.yaml``.

It is called with ``{"id", "turn", "repeat", "messages", "question"}``. What it returns is the answer: text or bytes
as they are, a :class:`karat.core.system.Response` (with tokens and cost) as it is, anything else as JSON, also the
objects that vendors' and frameworks' packages return (pydantic models).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import msgspec

from karat.core.callables import find_function
from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.suite import Suite
from karat.core.system import CallFailed, PromptedConfig, Request, Response, System, SystemType
from karat.systems.history import assistant_message, request_fields
from karat.systems.threads import Threads


class FunctionConfig(PromptedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which function, and how it is called."""

    function: str
    """``module:callable``."""
    inline: bool = False
    """Call a synchronous function in the event loop itself: faster, but it blocks everything else, and no time limit
    applies."""
    reply_path: str = ""
    """The part of the answer that is the assistant's text in the history of later turns; by default the whole
    answer."""


class FunctionSystem(System):
    """An open function."""

    def __init__(self, function: Callable[[JsonObject], object], *, inline: bool = False, reply_path: str = "") -> None:
        self._function = function
        self._reply_path = reply_path
        # An object with an async __call__ counts as an async function too.
        is_async = any(inspect.iscoroutinefunction(part) for part in (function, type(function).__call__))
        self._threads = None if inline or is_async else Threads()

    async def call(self, request: Request) -> Response:
        """One call of the function."""
        fields = request_fields(request)
        result = self._function(fields) if self._threads is None else await self._threads.run(self._function, fields)
        if inspect.isawaitable(result):
            result = await result
        return result if isinstance(result, Response) else Response(_body(result))

    def reply(self, body: bytes) -> JsonObject:
        """The assistant message that a stored answer stands for."""
        return assistant_message(body, self._reply_path)

    async def close(self) -> None:
        """Let the threads go."""
        if self._threads is not None:
            self._threads.close()


def _body(result: object) -> bytes:
    try:
        if isinstance(result, str):
            return result.encode()
        if isinstance(result, bytes | bytearray | memoryview):
            return bytes(result)
        return msgspec.json.encode(result, enc_hook=_as_json)
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        message = (
            f"the function returned a value of type {type(result).__name__}, which cannot be written as JSON: {error}"
        )
        raise CallFailed("bad_response", message) from error


def _as_json(value: object) -> object:
    dump = getattr(value, "model_dump", None)
    if not callable(dump):
        raise TypeError(f"it holds a value of type {type(value).__name__}")
    return dump(mode="json")


def open_callable(function: Callable[[JsonObject], object], *, inline: bool = False, reply_path: str = "") -> System:
    """A system from a Python function, sync or async, without any configuration."""
    if not callable(function):
        raise UserError(f"a system from Python must be callable; this is of type {type(function).__name__}")
    return FunctionSystem(function, inline=inline, reply_path=reply_path)


def open_function(config: FunctionConfig, suite: Suite) -> System:  # noqa: ARG001 (the protocol's signature)
    """An open system; UserError for a function that is not there."""
    return open_callable(find_function(config.function), inline=config.inline, reply_path=config.reply_path)


system = SystemType("function", "a Python function, module:callable, sync or async", FunctionConfig, open_function)
