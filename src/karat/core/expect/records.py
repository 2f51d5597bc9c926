"""``expect`` of a turn, as a case file has it. Faults are found when the file is read."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from karat.core.expect import schema_rules
from karat.core.expect.arguments import check_arguments
from karat.core.json_types import JsonObject, TypedObject

Kind = Literal["data", "refusal", "clarification"]
SQL_ARGUMENTS = ("sql", "query", "statement")


class ExpectedCall(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, kw_only=True):
    """Calls of a tool, with arguments where they matter. ``*`` in the name stands for any text."""

    schema_rules: ClassVar[JsonObject] = schema_rules.CALL

    tool: str
    """The tool's name."""
    arguments: TypedObject = TypedObject({})
    """Arguments that the call must have; it may have more."""
    at_least: int | None = None
    """The least number of such calls."""
    at_most: int | None = None
    """The greatest number of such calls."""
    exactly: int | None = None
    """The exact number of such calls."""

    def __post_init__(self) -> None:
        if not self.tool.strip():
            raise ValueError("an expected call needs the name of its tool")
        for name in ("at_least", "at_most", "exactly"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"{name} must not be negative")
        if self.exactly is not None and (self.at_least is not None or self.at_most is not None):
            raise ValueError("exactly says both at_least and at_most: keep one way to count")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least ({self.at_least}) is above at_most ({self.at_most})")
        check_arguments(self.arguments)

    @property
    def least(self) -> int:
        """How many calls there must be."""
        if self.exactly is not None:
            return self.exactly
        return self.at_least if self.at_least is not None else 0 if self.at_most == 0 else 1

    @property
    def most(self) -> int | None:
        """How many calls there may be; None: any number."""
        return self.exactly if self.exactly is not None else self.at_most

    @property
    def counts(self) -> bool:
        """Whether the number of calls is asserted."""
        return not (self.at_least is self.at_most is self.exactly is None)


CallOrName = str | ExpectedCall


class ExpectedTools(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which tools are called."""

    schema_rules: ClassVar[JsonObject] = schema_rules.TOOLS

    called: tuple[CallOrName, ...] = ()
    """Each entry needs a call of its own; other calls are allowed."""
    order: tuple[CallOrName, ...] = ()
    """These calls in this order; other calls may come between them."""
    only: tuple[CallOrName, ...] | None = None
    """No other calls. An empty list allows no call at all."""
    never: tuple[CallOrName, ...] = ()
    """None of these, not even a call that failed."""

    def __post_init__(self) -> None:
        if not (self.called or self.order or self.never or self.only is not None):
            raise ValueError("tools asserts nothing: give it called, order, only or never")
        for part in ("order", "only", "never"):
            if any(isinstance(one, ExpectedCall) and one.counts for one in getattr(self, part) or ()):
                raise ValueError(f"calls can be counted under called, not under {part}")
        if any(isinstance(one, str) and not one.strip() for one in (*self.called, *self.order, *self.never)):
            raise ValueError("an expected call needs the name of its tool")


class ExpectedNames(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Which tables, datasets or metrics are used. ``*`` in a name stands for any text."""

    schema_rules: ClassVar[JsonObject] = schema_rules.NAMES

    used: tuple[str, ...] = ()
    """All of these must be used."""
    only: tuple[str, ...] | None = None
    """Nothing else may be used."""
    never: tuple[str, ...] = ()
    """None of these may be used."""
    sql_arguments: tuple[str, ...] = SQL_ARGUMENTS
    """Arguments of tool calls that contain SQL."""

    def __post_init__(self) -> None:
        if not (self.used or self.never or self.only is not None):
            raise ValueError("names are given under used, only or never")


class ExpectedSources(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the answer refers to. ``*`` in an address stands for any text."""

    schema_rules: ClassVar[JsonObject] = schema_rules.SOURCES

    cited: tuple[str, ...] = ()
    """Each of these must be cited."""
    at_least: int | None = None
    """How many of the sources under ``cited`` are enough, or how many in all if it is left out."""

    def __post_init__(self) -> None:
        if not self.cited and self.at_least is None:
            raise ValueError("sources asserts nothing: give it cited or at_least")
        if self.at_least is not None and self.at_least < 0:
            raise ValueError("at_least must not be negative")


class ExpectedLimits(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the answer may cost at most."""

    schema_rules: ClassVar[JsonObject] = schema_rules.LIMITS

    seconds: float | None = None
    """The most seconds."""
    tokens: int | None = None
    """The most tokens."""
    cost: float | None = None
    """The highest cost."""
    calls: int | None = None
    """The most tool calls."""

    def __post_init__(self) -> None:
        given = [getattr(self, name) for name in self.__struct_fields__]
        if all(one is None for one in given):
            raise ValueError("limits asserts nothing: give it seconds, tokens, cost or calls")
        if any(one is not None and one < 0 for one in given):
            raise ValueError("a limit must not be negative")


class Expect(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is asserted of the way to the answer of one turn. Parts that are left out are not looked at."""

    schema_rules: ClassVar[JsonObject] = schema_rules.EXPECT

    tools: ExpectedTools | None = None
    """Which tools must, may or must not be called."""
    tables: ExpectedNames | None = None
    """Which tables the SQL may use."""
    datasets: ExpectedNames | None = None
    """Which datasets may be used."""
    metrics: ExpectedNames | None = None
    """Which metrics may be used."""
    sources: ExpectedSources | None = None
    """Which sources must be cited."""
    limits: ExpectedLimits | None = None
    """What the answer may cost."""
    answer: Kind | None = None
    """What kind of answer is right."""

    def __post_init__(self) -> None:
        if all(getattr(self, name) is None for name in self.__struct_fields__):
            raise ValueError(f"expect asserts nothing: give it {', '.join(self.__struct_fields__)}")
