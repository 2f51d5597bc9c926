"""Any JSON endpoint: a request template goes out, one part of the JSON that comes back is the answer.

::

    assistant:
      type: http
      url: http://localhost:8080/ask
      headers: {X-Api-Key: "${ASSISTANT_KEY}"}
      request: {question: "{question}", history: "{messages}"}
      response_path: data.answer

With ``method: GET`` the template's entries go out as query parameters.
"""

from __future__ import annotations

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.problems import UserError
from karat.core.suite import Suite
from karat.core.system import CallFailed, PromptedConfig, Request, Response, System, SystemType
from karat.systems.environment import expand, expand_all, expand_headers
from karat.systems.history import assistant_message
from karat.systems.json_path import PathNotFound, part_at
from karat.systems.redaction import shown_config
from karat.systems.request_template import NAMES, fill, read_template
from karat.systems.transport import Transport, checked_url

METHODS = ("POST", "PUT", "PATCH", "GET")


class HttpConfig(PromptedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An endpoint: where it is, what is sent, where in the response the answer is."""

    url: str
    """The address; may contain ``${NAME}`` from the environment."""
    method: str = "POST"
    """The HTTP method."""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Headers to send. Values may contain ``${NAME}`` from the environment; keys belong here."""
    request: Json = None
    """The template of the request body. By default id, turn and messages are sent. Texts may contain ``${NAME}``."""
    response_path: str = ""
    """The part of the body that is the answer (``data.answers.0``); by default the whole body."""
    trace_path: str = ""
    """The part of the body that is the trace of the answer, in any supported form; by default it is looked for in the
    answer."""
    reply_path: str = ""
    """The part of the answer that is the assistant's text in the history of later turns; by default the whole
    answer."""

    def __repr__(self) -> str:
        return f"HttpConfig({shown_config(self)})"


class HttpSystem(System):
    """An open endpoint."""

    def __init__(self, config: HttpConfig) -> None:
        method = config.method.upper()
        if method not in METHODS:
            raise UserError(f'unknown method "{config.method}"', hint=f"Available: {', '.join(METHODS)}.")
        url, in_url = expand(config.url, "the url of the system")
        checked_url(url, "the url of the system")
        headers, in_headers = expand_headers(config.headers, "the system")
        template = read_template(config.request, "the system")
        self._template, in_body = expand_all(template, "the request of the system", NAMES)
        self._in_query = method == "GET"
        if self._in_query and not isinstance(self._template, dict):
            raise UserError(
                "the request template of a GET must be an object", hint="Its entries become query parameters."
            )
        self._config = config
        self._transport = Transport(config, method, url, headers, in_url + in_headers + in_body)

    async def call(self, request: Request) -> Response:
        """One attempt."""
        filled = fill(self._template, request)
        sent = {"params": _parameters(filled)} if self._in_query else {"json": filled}
        async with self._transport.send(**sent) as response:
            body = await self._transport.read_json(response)
        return Response(self._answer(body), trace=self._trace(body))

    def reply(self, body: bytes) -> JsonObject:
        """The assistant message that a stored answer stands for."""
        return assistant_message(body, self._config.reply_path)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _trace(self, body: bytes) -> bytes:
        """The trace; none where the body has none: such an answer is still an answer."""
        try:
            return part_at(body, self._config.trace_path) if self._config.trace_path else b""
        except PathNotFound:
            return b""

    def _answer(self, body: bytes) -> bytes:
        path = self._config.response_path
        if not path:
            return body
        try:
            part = part_at(body, path)
        except PathNotFound as error:
            # The keys come from the server: they may echo anything.
            why = self._transport.secrets.text(str(error))
            message = f'{self._transport.place}: nothing at the response path "{path}": {why}'
            raise CallFailed("bad_response", message, body=body) from None
        # A text is the answer itself, not a JSON text that holds the answer.
        return msgspec.json.decode(part, type=str).encode() if part[:1] == b'"' else part


def _parameters(filled: JsonObject) -> dict[str, str]:
    return {
        key: value if isinstance(value, str) else msgspec.json.encode(value).decode() for key, value in filled.items()
    }


def open_http(config: HttpConfig, suite: Suite) -> HttpSystem:  # noqa: ARG001 (the protocol's signature)
    """An open system; UserError for an address, header or template that cannot be used."""
    return HttpSystem(config)


system = SystemType("http", "any JSON endpoint: request template, response path", HttpConfig, open_http)
