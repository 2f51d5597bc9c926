"""Where generated code runs: a warm server that forks for each snippet, isolated by the kernel.

>>> from karat import sandbox
>>> outcome = sandbox.run("result = df.price.sum()", {"sales": {"price": [1, 2, 3]}})
>>> outcome.status, outcome.result
('ok', 6)

For more than one snippet keep a :class:`Sandbox` open; :func:`layers` says which sandbox layers this machine has.
"""

from karat.sandbox.layers import layers
from karat.sandbox.messages.values import Column, Other, Plain, Record, Series, Table, Unordered
from karat.sandbox.pool import Job, Sandbox, run
from karat.sandbox.records import (
    INSTRUCTIONS,
    Counter,
    Layer,
    Limits,
    Measurement,
    Outcome,
    SnippetError,
    Status,
    WrittenFile,
)
from karat.sandbox.session import BoxSession, StepRun

__all__ = [
    "INSTRUCTIONS",
    "BoxSession",
    "Column",
    "Counter",
    "Job",
    "Layer",
    "Limits",
    "Measurement",
    "Other",
    "Outcome",
    "Plain",
    "Record",
    "Sandbox",
    "Series",
    "SnippetError",
    "Status",
    "StepRun",
    "Table",
    "Unordered",
    "WrittenFile",
    "layers",
    "run",
]
