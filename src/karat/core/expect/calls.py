"""The calls of an answer against the tools that a case expects: called, order, only, never."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.expect.arguments import Difference, differences
from karat.core.expect.findings import Finding
from karat.core.expect.patterns import fits
from karat.core.expect.records import CallOrName, ExpectedCall, ExpectedTools
from karat.core.pairing import greatest_pairing
from karat.core.trace.records import Call


class Calls:
    """The calls of one answer. ``dialect``: of SQL in their arguments. ``unknown_fit``: whether a call whose arguments
    the trace does not say is taken for one with those that are expected."""

    def __init__(self, calls: Sequence[Call], dialect: str = "", *, unknown_fit: bool = False) -> None:
        self._calls, self._dialect, self._unknown_fit = calls, dialect, unknown_fit

    def wrong(self, expected: ExpectedTools) -> list[Finding]:
        """What is not as expected of the calls that must and may be there."""
        return [*self._called(expected.called), *self._order(expected.order), *self._only(expected.only)]

    def forbidden(self, expected: Sequence[CallOrName]) -> list[Finding]:
        """The calls that must not be there, those that failed included."""
        found = []
        for one in map(_entry, expected):
            hits = [place for place in range(len(self._calls)) if self._fits(one, place)]
            if hits:
                failed = self._calls[hits[0]].error
                text = f"{self._calls[hits[0]].tool} must never be called{_condition(one)}; it is call {hits[0] + 1}"
                text += " (the call failed)" if failed else ""
                found.append(Finding("tool_forbidden", text, "tools", given=(self._calls[hits[0]].tool,)))
        return found

    def _called(self, expected: Sequence[CallOrName]) -> list[Finding]:
        entries = [_entry(one) for one in expected]
        choices = [[place for place in range(len(self._calls)) if self._fits(one, place)] for one in entries]
        needed = [place for place, one in enumerate(entries) if one.least > 0]
        pairs = dict(zip(needed, greatest_pairing([choices[place] for place in needed]), strict=True))
        found = []
        for place, one in enumerate(entries):
            count = len(choices[place])
            if pairs.get(place, 0) < 0:
                found.append(self._missing(one, count))
            elif count < one.least:
                text = f"{one.tool} was called {_times(count)}{_condition(one)}, expected at least {_times(one.least)}"
                found.append(Finding("tool_missing", text, "tools", (one.tool,)))
            elif one.most is not None and count > one.most:
                text = f"{one.tool} was called {_times(count)}{_condition(one)}, expected at most {_times(one.most)}"
                found.append(Finding("too_many_calls", text, f"calls of {one.tool}", (f"≤ {one.most}",), (f"{count}",)))
        return found

    def _missing(self, one: ExpectedCall, count: int) -> Finding:
        if count:
            text = f"{one.tool} needs a call of its own{_condition(one)}; each call of it is needed by another entry"
            return Finding("tool_missing", text, "tools", (one.tool,))
        nearest = self._nearest(one)
        if nearest is None:
            called = ", ".join(dict.fromkeys(call.tool for call in self._calls)) or "nothing"
            return Finding("tool_missing", f"{one.tool} was not called; called: {called}", "tools", (one.tool,))
        place, differing = nearest
        told = "; ".join(f"{d.field}: expected {d.expected}, found {d.given}" for d in differing)
        return Finding(
            "tool_arguments",
            f"{self._calls[place].tool} was called with other arguments. Nearest: call {place + 1}: {told}",
            f"arguments of {self._calls[place].tool}",
            tuple(f"{d.field}: {d.expected}" for d in differing),
            tuple(f"{d.field}: {d.given}" for d in differing),
        )

    def _nearest(self, one: ExpectedCall) -> tuple[int, list[Difference]] | None:
        """The call of the tool with the fewest differing fields; the first of several."""
        found = [
            (place, differences(one.arguments, call.arguments, self._dialect))
            for place, call in enumerate(self._calls)
            if fits(one.tool, call.tool)
        ]
        return min(found, key=lambda item: len(item[1])) if found else None

    def _order(self, expected: Sequence[CallOrName]) -> list[Finding]:
        begin = 0
        for number, one in enumerate(map(_entry, expected), start=1):
            place = next((place for place in range(begin, len(self._calls)) if self._fits(one, place)), None)
            if place is not None:
                begin = place + 1
                continue
            if not any(self._fits(one, other) for other in range(len(self._calls))):
                return [self._missing(one, 0)]
            before = _entry(expected[number - 2]).tool if number > 1 else ""
            text = f"{one.tool} was not called after {before}" if before else f"{one.tool} was not called"
            wanted = " → ".join(_entry(each).tool for each in expected)
            given = " → ".join(call.tool for call in self._calls[:20])
            text = f"{text}{_condition(one)}: expected {wanted}, found {given}"
            return [Finding("tool_order", text, "order of tools", (wanted,), (given,))]
        return []

    def _only(self, expected: Sequence[CallOrName] | None) -> list[Finding]:
        if expected is None:
            return []
        allowed = [_entry(one) for one in expected]
        others = [
            call.tool for place, call in enumerate(self._calls) if not any(self._fits(one, place) for one in allowed)
        ]
        names = ", ".join(one.tool for one in allowed) or "no tool"
        return [
            Finding(
                "tool_not_allowed", f"{tool} is not one of the tools that may be called: {names}", "tools", (), (tool,)
            )
            for tool in dict.fromkeys(others)
        ]

    def _fits(self, one: ExpectedCall, place: int) -> bool:
        call = self._calls[place]
        if call.arguments is None and one.arguments:
            return self._unknown_fit and fits(one.tool, call.tool)
        return fits(one.tool, call.tool) and not differences(one.arguments, call.arguments, self._dialect)


def _entry(one: CallOrName) -> ExpectedCall:
    return ExpectedCall(tool=one) if isinstance(one, str) else one


def _condition(one: ExpectedCall) -> str:
    return " with these arguments" if one.arguments else ""


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
