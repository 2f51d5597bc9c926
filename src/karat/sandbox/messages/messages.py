"""Judging what came back: the server's facts, and the child's message, which may be anything at all."""

from __future__ import annotations

import errno
import signal
import struct
from typing import Annotated, Literal

import msgspec

from karat.sandbox.messages.bounds import BadValue, TooMuch, check
from karat.sandbox.messages.wire import Wire, plain
from karat.sandbox.records import Limits, Outcome, SnippetError, Status

LENGTH = struct.Struct("<I")
MOST_FIGURES = 64
NOTHING_SET = "it set no `result`, and its last line is not an expression"


_Amount = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
"""Seconds. The server runs the environment's packages too: what it says is checked like the rest."""


class LeftFile(msgspec.Struct, frozen=True):
    """A file in a snippet's folder, as the server saw it. ``read``: its bytes follow."""

    name: str
    size: int
    problem: str
    read: bool


class Facts(msgspec.Struct, frozen=True):
    """What the server saw of a child with its own eyes."""

    parts: tuple[int, ...]
    need: tuple[str, ...] = ()
    stopped: Literal["", "time", "result", "output", "files"] = ""
    begun: bool = False
    exit: int = -1
    signal: int = 0
    wall: _Amount = 0.0
    cpu: _Amount = 0.0
    busy: _Amount = 0.0
    peak: Annotated[int, msgspec.Meta(ge=0, le=2**50)] = 0
    counted: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)] | None = None
    cut: tuple[bool, bool] = (False, False)
    files: tuple[LeftFile, ...] = ()
    lost: bool = False
    """Of a step: there is no such snapshot, or none that can be forked."""
    snapshot: int = -1
    """Of a step: the number of the state that it left."""
    threads: bool = False
    """Of a step: its state has threads, so that it cannot be forked."""

    @property
    def ended(self) -> bool:
        """Whether a step left a state, be it one that has to be made again."""
        return self.snapshot >= 0 or self.threads


class _Error(msgspec.Struct, frozen=True, rename={"class_": "class"}, forbid_unknown_fields=True):
    class_: str
    bases: list[str]
    message: str
    line: Annotated[int, msgspec.Meta(ge=0, le=2**31)]
    traceback: str
    errno: Annotated[int, msgspec.Meta(ge=0, le=2**16)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    status: Literal["ok", "nothing", "error", "too_large"]
    result: Wire = None
    error: _Error | None = None
    what: Literal["cells", "digits"] = "cells"
    figures: Annotated[list[msgspec.Raw], msgspec.Meta(max_length=MOST_FIGURES)] = []


_decode = msgspec.json.Decoder(_Message)

_TOO_LARGE = {
    "cells": "the answer has more than {limits.cells:,} cells",
    "digits": "the answer contains a number with several thousand digits",
}
_STOPPED: dict[str, tuple[Status, str]] = {
    "time": ("timeout", "stopped after {limits.wall:g} s"),
    "result": ("result_too_large", "the answer is larger than {limits.result:,} bytes"),
    "output": ("output_limit", "stopped after printing {limits.flood:,} bytes"),
    "files": ("output_limit", "stopped: its files take more than {limits.files:,} bytes, or are too many"),
}


def judge(facts: Facts, out: bytes, err: bytes, message: bytes, limits: Limits, *, out_of_memory: bool) -> Outcome:
    """The outcome. The server's own observations come first, the child's word last."""
    seen = Outcome(
        "ok",
        stdout=_text(out),
        stderr=_text(err),
        stdout_cut=facts.cut[0],
        stderr_cut=facts.cut[1],
        wall=facts.wall,
        cpu=facts.cpu,
        busy=facts.busy,
        peak_memory=facts.peak,
        counted=facts.counted,
    )
    if facts.stopped:
        status, detail = _STOPPED[facts.stopped]
        return _with(seen, status, detail.format(limits=limits))
    if facts.signal:
        return _with(seen, *_signalled(facts.signal, out_of_memory))
    if not message:
        return _with(seen, "no_result", f"it ended (exit code {facts.exit}) before it answered")
    return _believed(seen, facts, message, limits)


def _signalled(number: int, out_of_memory: bool) -> tuple[Status, str]:
    if number == signal.SIGXCPU:
        return "timeout", "it used up its CPU time"
    if number == signal.SIGKILL and out_of_memory:
        return "memory", "the kernel ended it: out of memory"
    if number == signal.SIGSYS:
        return "refused", "it made a system call of another architecture"
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return "killed", f"ended by {name}"


def _believed(seen: Outcome, facts: Facts, data: bytes, limits: Limits) -> Outcome:
    """The child's message, once it is exactly one message in the right form."""
    if len(data) < LENGTH.size or LENGTH.unpack_from(data)[0] != len(data) - LENGTH.size:
        return _with(seen, "bad_message", "what it sent is not one complete message")
    try:
        message = _decode.decode(memoryview(data)[LENGTH.size :])
        check(message.result, limits.cells)
        result = plain(message.result)
    except TooMuch:
        return _with(seen, "result_too_large", _TOO_LARGE["cells"].format(limits=limits))
    except (msgspec.DecodeError, BadValue, RecursionError, UnicodeDecodeError) as problem:
        return _with(seen, "bad_message", f"its message cannot be read: {str(problem)[:200]}")
    seen = msgspec.structs.replace(seen, figures=tuple(map(bytes, message.figures)))
    if facts.exit != 0:
        return _with(seen, "bad_message", f"it answered, and then ended with exit code {facts.exit}")
    if message.status == "ok":
        return _with(seen, "ok", "", result=result)
    if message.status == "nothing":
        return _with(seen, "no_result", NOTHING_SET)
    if message.status == "too_large":
        return _with(seen, "result_too_large", _TOO_LARGE[message.what].format(limits=limits))
    if message.error is None:
        return _with(seen, "bad_message", "an error without details")
    return _raised(seen, message.error)


def _raised(seen: Outcome, error: _Error) -> Outcome:
    shown = SnippetError(
        error.class_[:200],
        error.message[:2000],
        error.line,
        error.traceback[:4000],
        tuple(base[:200] for base in error.bases[:10]),
        error.errno,
    )
    if "MemoryError" in (shown.class_, *shown.bases) or error.errno == errno.ENOMEM:
        return _with(seen, "memory", "it asked for more memory than allowed", error=shown)
    if error.errno in (errno.EPERM, errno.EACCES, errno.EROFS):
        return _with(seen, "refused", "the sandbox does not allow what it tried", error=shown)
    if error.errno in (errno.EFBIG, errno.ENOSPC):
        return _with(seen, "output_limit", "it wrote more than allowed", error=shown)
    return _with(seen, "error", "", error=shown)


def _with(seen: Outcome, status: Status, detail: str, **more: object) -> Outcome:
    return msgspec.structs.replace(seen, status=status, detail=detail, **more)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
