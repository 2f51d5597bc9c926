"""DIAL's ``custom_content``: the calls of its state or of its stages, and the sources of its attachments."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.json_types import Json, JsonMapping
from karat.core.replies.fences import split
from karat.core.trace.messages import OPAQUE
from karat.core.trace.messages import messages as as_messages
from karat.core.trace.records import Call, Source
from karat.core.trace.tool_messages import has_unseen_calls, message_calls
from karat.core.trace.values import mapping, mappings, opened

SQL = ("sql", "postgresql", "mysql", "sqlite", "bigquery", "tsql", "duckdb")


def dial_calls(custom: JsonMapping) -> tuple[Call, ...] | None:
    """The calls; None where nothing says which there were. ``state.tool_messages`` is exact, so it comes before the
    stages, which are made for people."""
    messages = mapping(custom.get("state")).get("tool_messages")
    if isinstance(messages, list):
        return tuple(message_calls(as_messages(messages) or messages))
    stages = mappings(custom.get("stages"))
    return tuple(_stage(stage) for stage in stages) if stages else None


def dial_unread(custom: JsonMapping) -> bool:
    """Whether the messages of the state show that there were calls which cannot be read."""
    given = mapping(custom.get("state")).get("tool_messages")
    if not isinstance(given, list) or not given:
        return False
    said = as_messages(given)
    if not said:
        return not any(message_calls(given))
    return has_unseen_calls(said) or any(OPAQUE in one for one in said)


def _stage(stage: JsonMapping) -> Call:
    content = str(stage.get("content") or "")
    failed = str(stage.get("status") or "").lower() == "failed"
    return Call(
        str(stage.get("name") or ""),
        _block(content),
        next((one["data"] for one in mappings(stage.get("attachments")) if isinstance(one.get("data"), str)), None),
        error=(content.strip() or "the stage failed") if failed else "",
    )


def _block(content: str) -> Json:
    """The arguments that a stage shows: its first block of JSON, or of SQL as ``{"sql": …}``; None where it shows
    none."""
    for block in split(content)[0]:
        if block.language in SQL:
            return {"sql": block.text.strip()}
        if block.language in ("", "json", "json5", "jsonc"):
            value = opened(block.text.strip())
            if not isinstance(value, str):
                return value
    value = opened(content.strip())
    return value if isinstance(value, dict | list) else None


def dial_sources(custom: JsonMapping) -> Iterator[Source]:
    """What the attachments of the answer, and of its stages, were taken from."""
    stages = mappings(custom.get("stages"))
    for one in (*mappings(custom.get("attachments")), *(a for s in stages for a in mappings(s.get("attachments")))):
        name = next((one[key] for key in ("reference_url", "url") if isinstance(one.get(key), str)), "")
        if name:
            yield Source(name)
