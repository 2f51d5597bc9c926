"""Calls that a model writes into its text, and results that come back as the user's.

A server that does not know a model's way of calling leaves the calls in its words, and so do loops that are made of
text alone: ``Action:`` and ``Observation:``, tags, JSON in a fence, code that a harness runs. Such calls are not read,
as each model writes them in its own way; but where they are, nobody can say that nothing was called.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from karat.core.json_types import Json
from karat.core.replies.fences import split
from karat.core.trace.values import mapping, opened

_MARKS = re.compile(
    r"(?<!\w)<[|\uff5c]?[\w:.-]{0,30}(?:tool(?!tip|bar)|function|invoke)[\w\u2581:.-]{0,30}[\s=>|\uff5c/]|<execute_\w+>"
    r"|<\|(?:python_tag|call)\|>|\[/?TOOL_CALLS?\]|```tool_\w+|\u273fFUNCTION\u273f|\bto=functions\.\w|<end_code>"
    r"|^[^\S\n]*Action(?:[^\S\n]\d+)?:[^\S\n]*(?:[\w.-]+\[|```|[\[{]|[^\n]*\n+[^\S\n]*Action Input)",
    re.MULTILINE | re.IGNORECASE,
)
_PYTHON = re.compile(r"\[\s*[A-Za-z_][\w.]*\([^\n]{0,10000}\)\s*\]")
_MAY_BE_JSON = re.compile(r"\"(?:tool|tool_name|toolName|function|action|name)\"\s*:")
_NAMES = ("tool", "tool_name", "toolName", "function", "action", "name")
_GIVEN = ("arguments", "parameters", "args", "kwargs", "tool_input", "toolInput", "action_input")
_NAME = re.compile(r"[A-Za-z_][\w.:/-]{0,99}")
_RESULT = re.compile(
    r"\s*(?:</?(?:tool|function)[\w-]*(?:response|result|output)|<(?:observation|results?|output)>"
    r"|(?:observation|(?:tool|function|code)[ _](?:call[ _])?(?:result|response|output)"
    r"|execution (?:log|result|output))s?[^\S\n]*\d*[^\S\n]*:|\[[^\]\n]{1,200}\] result:|exitcode:)",
    re.IGNORECASE,
)


def has_written_call(text: str) -> bool:
    """Whether a model's words hold a call in one of these ways."""
    return bool(_MARKS.search(text)) or bool(_PYTHON.fullmatch(text.strip())) or _has_json_call(text)


def holds_written_call(value: Json) -> bool:
    """Whether a text anywhere in a value does, also in a text that is JSON itself."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            if has_written_call(one):
                return True
            one = opened(one)
        waiting += one if isinstance(one, list) else one.values() if isinstance(one, Mapping) else ()
    return False


def is_written_result(text: str) -> bool:
    """Whether a message begins as one with what a call returned."""
    return bool(_RESULT.match(text))


def _has_json_call(text: str) -> bool:
    if not _MAY_BE_JSON.search(text):
        return False
    blocks = [text, *(block.text for block in split(text)[0])]
    return any(_is_call(one) for block in blocks for one in _listed(opened(block.strip())))


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _is_call(value: Json) -> bool:
    """An object that names something and has arguments for it."""
    one = mapping(value)
    named = next((one[key] for key in _NAMES if isinstance(one.get(key), str)), "")
    return bool(_NAME.fullmatch(named)) and any(isinstance(one.get(key), Mapping | str) for key in _GIVEN)
