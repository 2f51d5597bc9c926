"""What is sent to an endpoint: any JSON structure whose texts may hold placeholders.

``{question}`` is the last user message, ``{messages}`` the whole conversation, ``{case_id}``, ``{turn}`` and
``{repeat}`` say which call it is. A text that is nothing but ``{messages}``, ``{turn}`` or ``{repeat}`` becomes the
list or the number itself. Placeholders are filled in once: a question that holds ``{turn}`` is sent as it is.

A configuration file gives every scalar as text, so ``5``, ``0.2``, ``true`` and ``null`` are sent as the JSON values
they spell. Who needs the text "5" writes the whole template as JSON text: there, everything is sent as it is written.
"""

from __future__ import annotations

import re

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.problems import UserError, nearest
from karat.core.system import Request
from karat.systems.history import question_of

DEFAULT = {"id": "{case_id}", "turn": "{turn}", "messages": "{messages}"}
NAMES = ("question", "messages", "case_id", "turn", "repeat")
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(NAMES)})\}}")
_ANY_NAME = re.compile(r"\{([A-Za-z_]\w*)\}")
_JSON_SCALAR = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


def read_template(template: object, place: str) -> object:
    """A template from a configuration, checked and with its scalars typed."""
    if template is None or template == "":
        return DEFAULT
    read = typed(template, f"the request template of {place}")
    used: set[str] = set()
    for text in _texts(read):
        used.update(_PLACEHOLDER.findall(text))
        for name in _ANY_NAME.findall(text):
            close = nearest(name, NAMES, cutoff=75.0)
            if name not in NAMES and close:
                raise UserError(f'unknown placeholder "{{{name}}}" in {place}', hint=f'Did you mean "{{{close[0]}}}"?')
    if not used & {"question", "messages", "case_id"}:
        raise UserError(
            f"the request template of {place} is the same for every case",
            hint='Put "{question}" or "{messages}" where the question belongs.',
        )
    return read


def typed(value: object, place: str) -> object:
    """A structure of texts with its numbers, booleans and nulls typed; a text that is a JSON object or list, parsed."""
    if isinstance(value, str) and value.strip()[:1] in ("{", "[") and not _PLACEHOLDER.match(value.strip()):
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError as error:
            raise UserError(f"{place} is not valid JSON: {error}", hint="Write it as YAML, or fix the JSON.") from None
    return _scalars(value)


def _scalars(value: object) -> object:
    if isinstance(value, str):
        return msgspec.json.decode(value) if _JSON_SCALAR.fullmatch(value) else value
    if isinstance(value, dict):
        return {key: _scalars(item) for key, item in value.items()}
    return [_scalars(item) for item in value] if isinstance(value, list | tuple) else value


def fill(template: object, request: Request) -> Json:
    """The template with this request's values."""
    values: JsonObject = {
        "question": question_of(request.messages),
        "messages": list(request.messages),
        "case_id": request.case_id,
        "turn": request.turn,
        "repeat": request.repeat,
    }
    return _fill(template, values)


def _fill(value: object, values: JsonObject) -> object:
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        return values[alone[1]] if alone else _PLACEHOLDER.sub(lambda match: _as_text(values[match[1]]), value)
    if isinstance(value, dict):
        return {key: _fill(item, values) for key, item in value.items()}
    return [_fill(item, values) for item in value] if isinstance(value, list) else value


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    return [text for item in value for text in _texts(item)] if isinstance(value, list) else []
