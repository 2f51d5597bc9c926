"""Traces in files beside recorded answers: ``traces/<case>.json`` or ``.jsonl``, in the folder of the recording.

``<case>.<turn>.json`` is for a later turn, counted from 0. A case that was asked several times has no such file of its
own for each try, so its tries are left as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from karat.core.files.reading import FileRefused, read_bytes
from karat.core.problems import Problem
from karat.core.records import Prediction

FOLDER = "traces"
SUFFIXES = (".json", ".jsonl")
Said = TypeVar("Said")


def with_traces(said: Iterable[Said], recording: Path) -> Iterator[Said | Prediction | Problem]:
    """What a recording says, its answers with the traces that lie beside it. A trace in the line itself comes first
    where the file does not say more."""
    folder = recording.parent / FOLDER
    names = {file.name: file for file in folder.iterdir() if file.suffix in SUFFIXES} if folder.is_dir() else {}
    if not names:
        yield from said
        return
    for one in said:
        if not isinstance(one, Prediction) or one.error is not None or one.repeat:
            yield one
            continue
        own = [f"{one.case_id}.{one.turn or 0}{suffix}" for suffix in SUFFIXES]
        first = [f"{one.case_id}{suffix}" for suffix in SUFFIXES] if not one.turn else []
        file = next((names[name] for name in (*own, *first) if name in names), None)
        if file is None:
            yield one
            continue
        try:
            yield msgspec.structs.replace(one, trace=read_bytes(file))
        except FileRefused as error:
            yield one
            yield error.problem
        except OSError as error:
            yield one
            yield Problem(f"the trace cannot be read: {error.strerror}", file=str(file))
