"""One call of the code, with what was given to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from karat.suites.codegen.analysis.reader.state import State
from karat.suites.codegen.analysis.reader.values import Value


class Call(msgspec.Struct):
    """``receiver.name(arguments, **named)``."""

    receiver: Value
    name: str
    arguments: list[Value]
    named: dict[str, Value]

    def argument(self, place: int, *names: str) -> Value | None:
        """An argument by its place or one of its names."""
        for name in names:
            if name in self.named:
                return self.named[name]
        return self.arguments[place] if 0 <= place < len(self.arguments) else None

    @property
    def given(self) -> list[Value]:
        return [*self.arguments, *self.named.values()]


Handler: TypeAlias = Callable[[State, Call], Value]
