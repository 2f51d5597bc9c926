"""Types are taken apart before several threads need them.

msgspec looks at the fields of a struct when one is first decoded, and keeps what it found. Two threads that decode a
type for the first time at once can crash Python (msgspec 0.22: the second reads what the first has not written yet). So
code that starts a thread that decodes calls :func:`settle_types` first. It takes some 0.1 ms a type, once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec

_settled: set[type[msgspec.Struct]] = set()


def settle_types() -> None:
    """Every struct that is imported by now. One that is never decoded may have fields that msgspec cannot read."""
    for kind in _below(msgspec.Struct):
        if kind not in _settled:
            with suppress(TypeError, NameError, AttributeError):
                msgspec.json.Decoder(kind)
            _settled.add(kind)


def _below(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
