"""The parts of a message: calls and results of every framework as ``tool_use`` and ``tool_result``.

Those of Anthropic's own and MCP tools, Gemini, Bedrock's Converse, LlamaIndex, the Vercel AI SDK and pydantic-ai.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.trace.values import as_text, mapping

_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use", "tool_call", "tool-call", "function_call", "dynamic-tool")
_KNOWN = ("tool_use", "tool_call", "tool_result")
_KINDS = ("type", "part_kind", "block_type")
_IDS = ("id", "tool_call_id", "toolCallId", "toolUseId", "tool_use_id", "call_id")
_NAMES = ("name", "tool_name", "toolName")
_INPUTS = ("input", "args", "arguments", "tool_kwargs", "rawInput")
_OUTPUTS = ("content", "output", "result", "response", "errorText")
_CODE = "code_execution"
"""The name of Gemini's tool that runs code."""
_LOOKS = re.compile(r"tool|function|(?:^|_)call", re.IGNORECASE)


def parts(part: JsonMapping) -> Iterator[JsonObject]:
    """One part, as a ``tool_use`` or ``tool_result`` where it is one; a part with call and result is both."""
    inner = mapping(part.get("toolInvocation")) or part
    for key in ("functionCall", "function_call", "toolUse"):
        if mapping(part.get(key)):
            inner = {**mapping(part[key]), "type": "tool_use"}
    for key in ("functionResponse", "function_response", "toolResult"):
        if mapping(part.get(key)):
            inner = {**mapping(part[key]), "type": "tool_result"}
    for key in ("executableCode", "executable_code"):
        if mapping(part.get(key)):
            inner = {"type": "tool_use", "name": _CODE, "input": part[key]}
    kind = _kind(inner)
    named = next((str(inner[key]) for key in _NAMES if inner.get(key)), "")
    if kind.startswith("tool-") and kind not in ("tool-call", "tool-result", "tool-return", "tool-error"):
        named, kind = named or kind.removeprefix("tool-"), "dynamic-tool"
    elif not kind and named and ("toolCallId" in inner or "args" in inner):
        kind = "dynamic-tool"
    mark = next((inner[key] for key in _IDS if inner.get(key) is not None), None)
    if kind in _CALLS:
        given = next((inner[key] for key in _INPUTS if inner.get(key) is not None), None)
        mark = f"{named}:{given}" if mark is None and kind == "dynamic-tool" else mark
        yield {"type": "tool_use", "id": mark, "name": named, "input": given}
    if kind in ("tool-result", "tool-return", "tool-error", "retry-prompt") or kind.endswith("tool_result"):
        yield _result(inner, mark, kind in ("tool-error", "retry-prompt"))
    elif kind == "dynamic-tool" and any(inner.get(key) is not None for key in ("output", "result", "errorText")):
        yield _result(inner, mark, inner.get("state") == "output-error")
    elif kind not in _CALLS:
        yield dict(part)


def is_opaque(part: JsonMapping) -> bool:
    """Whether a part looks like a call but is not in a form that is read."""
    kind = _kind(part)
    return kind not in _KNOWN and bool(_LOOKS.search(kind) or any(_LOOKS.search(str(key)) for key in part))


def _kind(part: JsonMapping) -> str:
    return next((str(part[key]) for key in _KINDS if part.get(key)), "")


def _result(part: JsonMapping, mark: Json, failed: bool) -> JsonObject:
    said = next((part[key] for key in _OUTPUTS if part.get(key) is not None), None)
    error = failed or part.get("is_error") or part.get("isError") or str(part.get("status")).lower() == "error"
    kind = str(mapping(said).get("type") or "")
    error = error or kind.endswith("_error") or kind.startswith("error-")  # Anthropic, Vercel
    name = next((part[key] for key in _NAMES if part.get(key)), None)
    return {
        "type": "tool_result",
        "tool_use_id": mark,
        "name": name,
        "content": _text(said),
        "is_error": bool(error),
    }


def _text(value: Json) -> Json:
    """What a result says, as text that may be JSON; a list of texts as it is."""
    if isinstance(value, list) and all(isinstance(mapping(one).get("text"), str) for one in value):
        return value
    return value if value is None or isinstance(value, str) else as_text(value)
