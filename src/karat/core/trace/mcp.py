"""What went between a client and an MCP server: JSON-RPC requests ``tools/call``, and their results by id."""

from __future__ import annotations

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Trace
from karat.core.trace.values import arguments, fault, mapping, opened, words

TOOLS = "tools/call"


def is_rpc(value: Json) -> bool:
    """Whether a list is one of JSON-RPC messages with requests among them; results alone do not name their tools."""
    given = _messages(value)
    return (
        bool(given)
        and isinstance(value, list)
        and len(given) >= len(value)
        and all("jsonrpc" in one for one in given)
        and any("method" in one for one in given)
    )


def _messages(value: Json) -> list[JsonMapping]:
    """The messages of a log: batches are lists, and loggers put fields of their own around each message."""
    found: list[JsonMapping] = []
    for one in value if isinstance(value, list) else ():
        if isinstance(one, list):
            found += _messages(one)
        elif entry := mapping(one):
            inner = (mapping(opened(entry.get(key))) for key in ("message", "payload", "data", "body"))
            found.append(entry if "jsonrpc" in entry else next((each for each in inner if "jsonrpc" in each), entry))
    return found


def mcp(value: list[Json]) -> Trace:
    """The calls of a log, in its order. A result belongs to the first request with its id that still waits, as several
    servers count their requests from the same number. The result of a request that the log does not have may be one of
    a call."""
    calls: list[Call] = []
    waiting: dict[str, list[tuple[int, JsonMapping]]] = {}
    unread = False
    for one in _messages(value):
        if "method" in one:
            if one.get("method") == TOOLS:
                calls.append(_call(one, {}))
            if "id" in one:
                place = len(calls) - 1 if one.get("method") == TOOLS else -1
                waiting.setdefault(str(one["id"]), []).append((place, one))
        elif one.get("id") is not None and ("result" in one or "error" in one):
            if not waiting.get(str(one["id"])):
                unread = True
                continue
            place, request = waiting[str(one["id"])].pop(0)
            if place >= 0:
                calls[place] = _call(request, one)
    return Trace(form="MCP", calls=None if unread else tuple(calls), unread=unread)


def _call(request: JsonMapping, answer: JsonMapping) -> Call:
    asked, result = mapping(request.get("params")), mapping(answer.get("result"))
    said = result.get("structuredContent", opened(words(result.get("content"))))
    failed = fault(answer.get("error")) or (
        (words(result.get("content")) or "the call failed") if result.get("isError") else ""
    )
    return Call(str(asked.get("name") or ""), arguments(asked.get("arguments")), said if result else None, error=failed)
