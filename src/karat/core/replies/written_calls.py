"""Tool calls that a model wrote into its text, because the server did not read them: the forms of Qwen and Hermes
(``<tool_call>``), Mistral (``[TOOL_CALLS]``), Llama (``<|python_tag|>``, ``<function=…>``, an object with ``name`` and
``parameters``), DeepSeek, harmony, ``<invoke name=…>``, ``tool_code``, and ReAct's ``Action:`` without an end.

Such a text is no answer: it asks for a tool. The words before the call stay the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from karat.core.json_types import Json
from karat.core.replies.json_texts import decoded, json_in

_MARK = re.compile(
    r"</?tool_calls?>|<function_calls?>|<invoke\s+name=|<function=|\[TOOL_CALLS\]|<\|python_tag\|>"
    r"|<\|tool_calls?[\w|]*>|<\uff5ctool\u2581calls?\u2581begin\uff5c>|<\|channel\|>commentary to=|<tool_code>"
    r"|^[ \t]*```tool_(?:code|call)s?\b",
    re.MULTILINE,
)
_NAME = re.compile(r"\s*(?:name=|to=)?[\"']?(?:functions\.)?(?P<name>[A-Za-z_][\w.-]{0,80})")
_REACT = re.compile(
    r"^[ \t]*(?:\*\*)?Action:(?:\*\*)?[ \t]*(?:(?P<name>[^\n\[]{1,80}?)[ \t]*\n\s*(?:\*\*)?Action Input:(?P<given>.*)"
    r"|(?!Finish\b)(?P<tool>\w{1,80})\[(?P<inside>[^\]\n]*)\]\s*)\Z",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_ENDED = re.compile(r"^[ \t]*\W*(?:Final Answer|Observation)\W*:", re.MULTILINE | re.IGNORECASE)
_MAYBE = ("tool", "[TOOL", "<function", "<invoke", "<|", "Action:", "action:", '"name"')
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_KEYS = {"name", "type", "id", *_ARGUMENTS}

Call = tuple[str, Json]
"""The name of a tool, and its arguments: decoded, or a text where they are not JSON."""


def written_calls(text: str) -> tuple[str, list[Call]]:
    """The text before the calls, and the calls; the text as it is where there are none."""
    if not any(sign in text for sign in _MAYBE):
        return text, []
    if (call := _whole(text)) is not None:
        return "", [call]
    mark = _MARK.search(text)
    if mark is not None:
        return text[: mark.start()].rstrip(), _after(text[mark.end() :])
    react = _REACT.search(text)
    if react is not None and not _ENDED.search(text, react.start()):
        given = (react["given"] if react["name"] else react["inside"]).strip()
        return text[: react.start()].rstrip(), [((react["name"] or react["tool"]).strip(" *`"), _value(given))]
    return text, []


def _whole(text: str) -> Call | None:
    """A text that is nothing but ``{"name": …, "parameters": {…}}``."""
    said = text.strip()
    if not said.startswith("{") or '"name"' not in said:
        return None
    value = _value(said)
    return _call(value) if isinstance(value, Mapping) and set(value) <= _KEYS else None


def _call(value: Mapping[str, Json]) -> Call | None:
    given = next((value[key] for key in _ARGUMENTS if key in value), None)
    if not isinstance(value.get("name"), str) or not isinstance(given, Mapping | str):
        return None
    return str(value["name"]), _value(given) if isinstance(given, str) else given


def _after(raw: str) -> list[Call]:
    """The calls after the first mark."""
    values = [value for value, _ in json_in(raw, "prose")]
    items = [item for value in values for item in (value if isinstance(value, list) else [value])]
    calls = [call for item in items if isinstance(item, Mapping) and (call := _call(item)) is not None]
    if calls:
        return calls
    named = _NAME.match(raw)
    given = next((item for item in items if isinstance(item, Mapping)), raw.strip())
    return [(named["name"] if named else "", given)]


def _value(text: str) -> Json:
    try:
        value: Json = decoded(text)
    except ValueError:
        return text
    return value
