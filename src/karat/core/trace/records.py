"""One plain form of a trace: the calls, the sources, the tables and the tokens of one answer.

``None`` means that the form does not say: no trace is not an empty trace.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import Json


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tool that was called, in the order of the calls. ``arguments`` are decoded; a text where they are not JSON,
    None where the trace does not say."""

    tool: str
    arguments: Json = None
    result: Json = None
    seconds: float | None = None
    error: str = ""
    """Why the call failed; empty where it did not, or where the trace does not say."""


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an answer refers to: its address or id, and other names of the same source, such as a file's id."""

    name: str
    others: tuple[str, ...] = ()


class Trace(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of the way to one answer."""

    form: str = ""
    calls: tuple[Call, ...] | None = None
    """None: the form does not say which tools were called."""
    sources: tuple[Source, ...] = ()
    tables: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    metrics: tuple[str, ...] | None = None
    tokens: int | None = None
    kind: str = ""
    """What a field says about the answer: ``data``, ``refusal``, ``clarification``, ``not_refusal``; empty: nothing."""
    unread: bool = False
    """Whether there is something that may be a trace, in no form that is read."""


def joined(first: Trace, second: Trace) -> Trace:
    """Two readings of one answer: what the first does not say, the second may. Where one of them cannot be read, or has
    calls, the other cannot say that nothing was called."""
    unread = first.unread or second.unread
    calls = first.calls or second.calls or (second.calls if first.calls is None else first.calls)
    return Trace(
        form=first.form or second.form,
        calls=calls or (None if unread else calls),
        sources=distinct(*first.sources, *second.sources),
        tables=second.tables if first.tables is None else first.tables,
        datasets=second.datasets if first.datasets is None else first.datasets,
        metrics=second.metrics if first.metrics is None else first.metrics,
        tokens=second.tokens if first.tokens is None else first.tokens,
        kind=first.kind or second.kind,
        unread=unread,
    )


def one_after_another(steps: Sequence[Trace]) -> Trace:
    """Several steps to one answer, which is the last of them. A step that calls nothing does not say that nothing was
    called before it, so steps without any call say nothing."""
    known = [call for step in steps for call in step.calls or ()]
    unread = any(step.unread for step in steps)
    tokens = [step.tokens for step in steps]
    return msgspec.structs.replace(
        steps[-1],
        calls=None if unread else tuple(known) or None,
        sources=distinct(*(source for step in steps for source in step.sources)),
        tokens=None if None in tokens else sum(one or 0 for one in tokens),  # unknown where one step does not say
        unread=unread,
    )


def distinct(*sources: Source) -> tuple[Source, ...]:
    """Each source once, by its address without fragment and trailing slash."""
    found: dict[str, Source] = {}
    for source in sources:
        if source.name.strip():
            found.setdefault(address(source.name), source)
    return tuple(found.values())


def address(name: str) -> str:
    """An address or id as it is compared: without fragment and trailing slash."""
    return name.strip().partition("#")[0].rstrip("/") or name.strip()
