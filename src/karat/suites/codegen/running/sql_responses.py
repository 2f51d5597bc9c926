"""A response as a SQL query: JSON with ``sql``, ``query`` or ``code``; SQL blocks, of which the last is the answer; or
words that begin as SQL does."""

from __future__ import annotations

import re

from karat.core.json_types import JsonMapping
from karat.core.replies import Reply, only_one, read_reply
from karat.core.replies.fences import in_languages, split
from karat.core.suite import Unreadable

KEYS = ("sql", "query", "code", "completion", "solution")
LANGUAGES = frozenset({"sql", "duckdb", "postgresql", "postgres", "sqlite", "mysql", "ansi"})
EXPECTED = 'a SQL block, or JSON with "sql"'
_BEGINS = re.compile(
    r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*+(?:select|with|from|values|table|insert|update|delete|create|drop|alter|copy"
    r"|attach|install|load|pragma|set|explain|describe|show|call|export|import|merge|truncate|use)\b",
    re.IGNORECASE | re.DOTALL,
)


def query_of(response: bytes) -> str:
    """The query that a response holds. Raises :class:`Unreadable` when it holds none."""
    reply = read_reply(response, KEYS)
    try:
        return _query(reply).strip()
    except Unreadable as error:
        raise reply.explained(error) from error


def _query(reply: Reply) -> str:
    if reply.failure:
        raise Unreadable(reply.failure)
    candidates = reply.json_candidates(lambda value: _in(value) is not None, "fenced")
    found: str | None = only_one(candidates, _in, "query") if candidates else None
    if found is not None:
        return found
    if reply.refusal:
        return f"-- refused: {' '.join(reply.refusal.split())}"
    if reply.cut or (reply.empty and not reply.attached):
        raise reply.nothing("SQL", EXPECTED)
    texts = [reply.text, *(f"```{block.language}\n{block.text}\n```" for block in reply.attached)]
    for text in texts:
        blocks = split(text)[0]
        own = in_languages(blocks, LANGUAGES) or in_languages(blocks, {""})
        if own:
            return own[-1].text
    if split(reply.text)[0]:
        raise Unreadable("no SQL in the response: none of its blocks is SQL.")
    if not _BEGINS.match(reply.text):
        raise Unreadable("no SQL in the response: it is text without a code block.")
    return reply.text


def _in(value: JsonMapping) -> str | None:
    return next((value[name] for name in KEYS if isinstance(value.get(name), str)), None)
