"""Any OpenAI-compatible endpoint, and DIAL, streaming or not.

::

    assistant: {type: openai, base_url: "http://localhost:8080/v1", model: statgpt}

    dial:
      type: openai
      base_url: https://dial.example.org
      path: /openai/deployments/{model}/chat/completions
      api_version: 2024-10-21
      model: statgpt
      api_key_env: DIAL_API_KEY
      api_key_header: Api-Key
      stream: true

The key comes from the environment and from nowhere else. The body that is kept is always a whole chat completion: a
stream is merged into the one that the endpoint would have sent without streaming.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.problems import UserError
from karat.core.replies.json_texts import refuse_two_values
from karat.core.replies.stream import Completion, Events
from karat.core.suite import Suite, Unreadable
from karat.core.system import PLAIN_TEXT_HINT, CallFailed, FormattedConfig, Request, Response, System, SystemType
from karat.systems.environment import expand, expand_all, expand_headers, variable
from karat.systems.history import assistant_message
from karat.systems.redaction import shown_config
from karat.systems.request_template import typed
from karat.systems.response_format import as_text_format, whole_format
from karat.systems.transport import MAX_BODY, Transport, checked_url, kind_of_status

if TYPE_CHECKING:
    import httpx

DEFAULT_KEY = "OPENAI_API_KEY"
AFTER_DONE = 0.2
"""Seconds to wait for the end of a stream that has said it is done, so that its connection can be used again."""


class OpenAIConfig(FormattedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A chat endpoint and how the model is asked."""

    base_url: str
    """The address of the API, such as ``https://api.openai.com/v1``."""
    model: str
    """The model's name."""
    path: str = "/chat/completions"
    """The path below it; ``{model}`` is replaced by the model. DIAL: ``/openai/deployments/{model}/chat/completions``.
    ``/responses`` uses the Responses API."""
    api_version: str = ""
    """Sent as the query parameter ``api-version`` if given."""
    api_key_env: str | None = None
    """The environment variable that contains the key; by default OPENAI_API_KEY if it is set. Empty: no key is sent."""
    api_key_header: str = "Authorization"
    """``Authorization`` sends ``Bearer`` and the key; any other header (DIAL: ``Api-Key``) the key alone."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Further headers; values may contain ``${NAME}`` from the environment."""
    stream: bool = False
    """Whether to request the answer as a stream."""
    temperature: float | None = None
    """The sampling temperature; by default the server's own."""
    max_tokens: int | None = None
    """The most tokens of an answer; by default the server's own limit."""
    extra_body: Json = None
    """Further entries of the request, or JSON text with them. They override all others."""

    def __repr__(self) -> str:
        return f"OpenAIConfig({shown_config(self)})"

    @property
    def secret_hint(self) -> str:
        """The key of an endpoint has a setting of its own."""
        return f"{PLAIN_TEXT_HINT[:-1]} (for the key of an endpoint: api_key_env: NAME)."


class OpenAISystem(System):
    """An open chat endpoint."""

    def __init__(self, config: OpenAIConfig, response_format: JsonObject | None = None) -> None:
        base_url, in_url = expand(config.base_url, "the base_url of the system")
        checked_url(base_url, "the base_url of the system")
        path, in_path = expand(config.path, "the path of the system")
        headers, secrets = expand_headers(config.headers, "the system")
        self._fixed, in_body = expand_all(_fixed_entries(config, response_format), "extra_body of the system")
        secrets += in_url + in_path + in_body
        key = _key(config)
        if key:
            headers[config.api_key_header] = (
                f"Bearer {key}" if config.api_key_header.lower() == "authorization" else key
            )
            secrets.append(key)
        url = base_url.rstrip("/") + "/" + path.replace("{model}", quote(config.model, safe="")).lstrip("/")
        if config.api_version:
            url += ("&" if "?" in url else "?") + urlencode({"api-version": config.api_version})
        self._model = config.model
        self._messages = "input" if _is_responses_api(config) else "messages"
        self._transport = Transport(config, "POST", url, headers, secrets)

    async def call(self, request: Request) -> Response:
        """One attempt."""
        asked = {"model": self._model, self._messages: request.messages, **self._fixed}
        async with self._transport.send(json=asked) as response:
            if response.headers.get("Content-Type", "").startswith("text/event-stream"):
                body = await self._read_stream(response)
            else:
                body = await self._transport.read_json(response)
        return self._response(self._transport.secrets.body(body))

    def reply(self, body: bytes) -> JsonObject:
        """The assistant message of a completion, with its tool calls and its ``custom_content``."""
        return assistant_message(body)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _response(self, body: bytes) -> Response:
        completion = msgspec.json.decode(body)
        place = self._transport.place
        if not isinstance(completion, dict):
            raise CallFailed("bad_response", f"{place}: expected a chat completion object", body=body)
        choices = completion.get("choices")
        if completion.get("error") and not choices:
            raise self._said(completion["error"], body)
        if not _has_message(completion):
            keys = ", ".join(f'"{key}"' for key in list(completion)[:12]) or "none"
            message = self._transport.secrets.text(f"{place}: no choices[0].message in the answer; its keys: {keys}")
            raise CallFailed("bad_response", message, body=body)
        usage = completion.get("usage")
        return Response(
            body,
            input_tokens=_count(usage, "prompt_tokens", "input_tokens"),
            output_tokens=_count(usage, "completion_tokens", "output_tokens"),
            tokens=_count(usage, "total_tokens"),
            model=self._model,
        )

    async def _read_stream(self, response: httpx.Response) -> bytes:
        """The whole completion of a stream. One that ends before it says so is a lost connection."""
        events, completion, size = Events(), Completion(), 0
        chunks = response.aiter_bytes()
        async for chunk in chunks:
            size += len(chunk)
            if size > MAX_BODY:
                raise CallFailed(
                    "bad_response", f"{self._transport.place}: the answer is larger than {MAX_BODY // 2**20} MiB"
                )
            for event in events.feed(chunk):
                if self._take(event, completion):
                    await _drain(chunks)
                    return completion.body()
        for event in events.end():
            if self._take(event, completion):
                return completion.body()
        if not completion.finished:
            body = b"" if completion.empty else self._transport.secrets.body(completion.body())
            raise CallFailed(
                "connection",
                f"{self._transport.place}: the stream ended in the middle of the answer",
                retry=True,
                body=body,
            )
        return completion.body()

    def _take(self, event: bytes, completion: Completion) -> bool:
        """Put one event into the completion; True when it says that the stream is done."""
        if event.strip() == b"[DONE]":
            return True
        try:
            chunk = msgspec.json.decode(event)
            refuse_two_values(event, chunk)
            if isinstance(chunk, dict) and chunk.get("error"):
                raise self._said(chunk["error"], self._transport.secrets.body(event))
            completion.add(chunk)
            if completion.whole:
                return True
        except (
            msgspec.DecodeError,
            UnicodeDecodeError,
            RecursionError,
            AttributeError,
            TypeError,
            ValueError,
            Unreadable,
        ) as error:
            why = (
                f"{error}: {self._transport.snippet(event)}"
                if isinstance(error, Unreadable)
                else f"an event that is not a chat completion chunk ({type(error).__name__}): "
                f"{self._transport.snippet(event)}"
            )
            raise CallFailed(
                "bad_response", f"{self._transport.place}: {why}", body=self._transport.secrets.body(event)
            ) from None
        return False

    def _said(self, error: object, body: bytes) -> CallFailed:
        """The failure that an error object stands for, by its code."""
        known = error if isinstance(error, dict) else {"message": error}
        code, kind = str(known.get("code") or ""), str(known.get("type") or "")
        if code.isdigit() and 400 <= int(code) < 600:
            word, retry = kind_of_status(int(code))
        elif "rate_limit" in code + kind:
            word, retry = "rate_limited", True
        elif "invalid" in code + kind or "not_found" in code + kind or "authentication" in code + kind:
            word, retry = "client_error", False
        else:
            word, retry = "server_error", True
        text = self._transport.secrets.text(str(known.get("message") or kind or "no reason was given"))
        return CallFailed(
            word,
            f"{self._transport.place} answered with an error{f' {code}' if code else ''}: {text}",
            retry=retry,
            body=body,
        )


async def _drain(chunks: AsyncIterator[object]) -> None:
    """Read a finished stream to its end, but not for long. What it still says or how it breaks no longer matters."""
    import httpx

    try:
        async with asyncio.timeout(AFTER_DONE):
            async for _ in chunks:
                pass
    except (TimeoutError, httpx.HTTPError):
        pass


def _key(config: OpenAIConfig) -> str:
    """The key from the environment; none when none is asked for, or when only the default one is missing."""
    name = config.api_key_env
    if name is None:
        return variable(DEFAULT_KEY, "the system") if os.environ.get(DEFAULT_KEY, "").strip() else ""
    if name and not name.replace("_", "a").isalnum():
        # Most likely the key itself is there: it is not shown.
        raise UserError(
            "api_key_env must be the name of an environment variable", hint="Never put the key itself into a file."
        )
    return variable(name, "the system") if name else ""


def _fixed_entries(config: OpenAIConfig, response_format: JsonObject | None) -> JsonObject:
    """What every request of this system holds beside model and messages."""
    fixed: JsonObject = {}
    if config.stream:
        fixed |= {"stream": True} | ({} if _is_responses_api(config) else {"stream_options": {"include_usage": True}})
    if config.temperature is not None:
        fixed["temperature"] = config.temperature
    if config.max_tokens is not None:
        fixed["max_output_tokens" if _is_responses_api(config) else "max_tokens"] = config.max_tokens
    if response_format is not None and _is_responses_api(config):
        fixed["text"] = {"format": as_text_format(response_format)}
    elif response_format is not None:
        fixed["response_format"] = response_format
    extra = typed(config.extra_body, "extra_body")
    if extra in (None, ""):
        return fixed
    if not isinstance(extra, dict):
        raise UserError("extra_body must be an object", hint="Such as {top_p: 0.9}.")
    return fixed | extra


def _is_responses_api(config: OpenAIConfig) -> bool:
    return config.path.partition("?")[0].rstrip("/").endswith("/responses")


def _has_message(body: JsonObject) -> bool:
    """Whether a body is a chat completion with a message, or a response of the Responses API."""
    if isinstance(body.get("output"), list):
        return True
    choices = body.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and isinstance(first.get("message"), dict)


def _count(usage: object, *names: str) -> int | None:
    value = next((usage[name] for name in names if name in usage), None) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def open_openai(config: OpenAIConfig, suite: Suite) -> OpenAISystem:
    """An open system; UserError for an address or a key that cannot be used."""
    return OpenAISystem(config, whole_format(config.response_format, suite, suite.options()))


system = SystemType(
    "openai",
    "any OpenAI-compatible or DIAL endpoint, streaming or not",
    OpenAIConfig,
    open_openai,
    settings_tell_all=True,
)
