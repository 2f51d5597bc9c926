"""The code of a response: what stands in its fenced blocks, or all of it when there are none.

A response may be plain text, JSON with ``code`` (or ``response``, ``content``), or the body of a chat completion.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

import msgspec

from karat.core.suite import Unreadable

_FENCE = re.compile(
    r"^[ \t]*(?:```+|~~~+)[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:^[ \t]*(?:```+|~~~+)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_PYTHON = frozenset({"", "python", "py", "python3", "ipython", "pandas"})
_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)
_NAMES = ("code", "response", "content", "completion", "answer", "text")


def code_of(response: bytes) -> str:
    """The code that a response holds. Raises :class:`Unreadable` when it holds no text at all."""
    return code_in(text_of(response))


def text_of(response: bytes) -> str:
    """The text of a response: of the JSON that systems send, or the response itself."""
    text = response.decode(errors="replace")
    if not text.lstrip().startswith(("{", '"', "[")):
        return text
    try:
        body = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text
    found = _text_in(body)
    if found is None and isinstance(body, Mapping) and {"id", "error", "choices"} & set(body):
        keys = ", ".join(map(str, list(body)[:8]))
        raise Unreadable(f"no code in the response; its keys are: {keys}")
    return text if found is None else found


def _text_in(body: Any) -> str | None:
    if isinstance(body, str):
        return body
    if not isinstance(body, Mapping):
        return None
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], Mapping):
        message = choices[0].get("message")
        return _text_in(message if isinstance(message, Mapping) else choices[0])
    for name in _NAMES:
        if isinstance(body.get(name), str | Mapping) and (found := _text_in(body[name])) is not None:
            return found
    return None


def code_in(text: str) -> str:
    """The Python blocks of a text, joined; without blocks the whole text. Prompts (``>>>``) and common indentation are cut."""
    blocks = blocks_in(text)
    code = "\n\n".join(textwrap.dedent(block).strip("\n") for block in blocks) if blocks else textwrap.dedent(text)
    lines = [line for line in code.splitlines() if line.strip()]
    if lines and all(line.startswith((">>>", "...")) for line in lines):
        code = _PROMPT.sub("", code)
    return code.strip("\n")


def blocks_in(text: str) -> list[str]:
    """What stands in the Python blocks of a text, each with its indentation."""
    return [match[2] for match in _FENCE.finditer(text) if match[1].lower() in _PYTHON]
