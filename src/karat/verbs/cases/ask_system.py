"""Asking a configured system for something else than an answer to a case: rephrasings, proposals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from karat.core import plugins
from karat.core.json_types import Json
from karat.core.problems import UserError
from karat.core.replies.json_texts import json_in
from karat.core.replies.response_forms import read_reply, spoken
from karat.core.suite import Suite
from karat.core.system import RecordedConfig, Request, SystemConfig, SystemType


def asked(config: SystemConfig, suite: Suite, text: str) -> str:
    """The system's reply to a text, without any prompt of the project around it. UserError where there is none."""
    from karat.systems.caller import Caller

    if isinstance(config, RecordedConfig):
        raise UserError("recorded answers cannot propose cases", hint="Name a live system with --system.")
    kind: SystemType = plugins.load(plugins.SYSTEMS, config.type)

    async def ask() -> str:
        system = kind.open(config, suite)
        try:
            request = Request("karat-cases", 0, 0, ({"role": "user", "content": text},))
            found = await Caller(system, config).predict(request)
            if found is None or found.error is not None:
                why = found.error.message if found is not None and found.error is not None else "it gave no answer"
                raise UserError(f"the system could not be asked: {why}")
            return words_of(str(system.reply(found.response).get("content") or ""), found.response)
        finally:
            await system.close()

    return asyncio.run(ask())


def words_of(content: str, response: bytes) -> str:
    """What the assistant says, without the reasoning before it. UserError where it says nothing, with the reason."""
    said, wrong = spoken(content)
    if said.strip():
        return unwrapped(said)
    read = read_reply(response)
    why = f"it refused: {read.refusal}" if read.refusal else wrong or read.failure or "its reply is empty"
    raise UserError(f"the system proposed nothing: {why}")


def unwrapped(reply: str) -> str:
    """The text of a reply in the form of an answer, ``{"answer": "…"}``, which is what functions and commands give."""
    try:
        value = msgspec.json.decode(reply)
    except msgspec.DecodeError:
        return reply
    texts = list(value.values()) if isinstance(value, dict) else []
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else reply


def lists_in(reply: str) -> list[Json]:
    """The items of the first JSON list in a reply, also of one inside an object."""
    for value, _ in json_in(reply):
        if isinstance(value, list):
            return list(value)
        if isinstance(value, dict):
            for part in value.values():
                if isinstance(part, list) and part:
                    return list(part)
            return [value]
    return []


def texts_in(reply: str) -> list[str]:
    """The texts of a JSON list; else the lines of the reply without their numbers and dashes. JSON without such a list
    has none: it is no wording of a question."""
    found = lists_in(reply)
    if found:
        return _distinct([one for one in found if isinstance(one, str)])
    lines = [line.strip().lstrip("-*•0123456789.) ").strip().strip('"') for line in reply.splitlines()]
    return _distinct([line for line in lines if line and not line.endswith(":")])


def _distinct(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text.strip() for text in texts if text.strip()))
