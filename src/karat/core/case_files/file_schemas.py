"""The forms of a suite's files as structs, from which the JSON Schemas for editors are made (``karat schema``)."""

from __future__ import annotations

import msgspec


class FileForm(msgspec.Struct, frozen=True):
    """One form that an entry of a file may have."""

    kind: type[msgspec.Struct]
    open: bool = False
    """Keys that the struct does not have are no mistake: the suite keeps them, or leaves them alone."""
    alone: bool = False
    """The entry is a whole file, and never an item of a list."""


class Holds(msgspec.Struct, frozen=True):
    """Beside a ``Raw`` in an annotation: what it is read as later. ``Annotated[Raw, Holds(TaskEntry)]``."""

    kind: object
