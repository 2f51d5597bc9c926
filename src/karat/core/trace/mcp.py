"""What went between a client and an MCP server: JSON-RPC requests ``tools/call``, and their results by id."""

from __future__ import annotations

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Trace
from karat.core.trace.values import arguments, fault, mapping, mappings, opened, words

TOOLS = "tools/call"


def is_rpc(value: Json) -> bool:
    """Whether a list is one of JSON-RPC messages with requests among them; results alone do not name their tools."""
    given = mappings(value)
    return (
        bool(given)
        and isinstance(value, list)
        and len(given) == len(value)
        and all("jsonrpc" in one for one in given)
        and any("method" in one for one in given)
    )


def mcp(value: list[Json]) -> Trace:
    """The calls of a log, in its order."""
    given = mappings(value)
    results = {str(one["id"]): one for one in given if "id" in one and ("result" in one or "error" in one)}
    calls = [_call(one, results.get(str(one.get("id")), {})) for one in given if one.get("method") == TOOLS]
    return Trace(form="MCP", calls=tuple(calls))


def _call(request: JsonMapping, answer: JsonMapping) -> Call:
    asked, result = mapping(request.get("params")), mapping(answer.get("result"))
    said = result.get("structuredContent", opened(words(result.get("content"))))
    failed = fault(answer.get("error")) or (
        (words(result.get("content")) or "the call failed") if result.get("isError") else ""
    )
    return Call(str(asked.get("name") or ""), arguments(asked.get("arguments")), said if result else None, error=failed)
