"""Numbers, times and states as the pages write them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from karat.core.problems import count_of, p_words
from karat.core.report import directed, visible
from karat.core.results.result import Estimate, MetricSummary, interval_text, why_no_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.stats.compare.paired import Difference
    from karat.store import RunRow
    from karat.web.run_page.figures import Figure

VERDICTS = {
    "pass": "right",
    "fail": "wrong",
    "gold_wrong": "gold is wrong",
    "accept": "accept this too",
}
STATES = {"scored": "scored", "error": "error", "missing": "missing", "not_applicable": "left out"}


_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")


def shown(text: str) -> str:
    """Text as it is, with what cannot be seen written out: control characters, and those that turn the reading
    direction around."""
    return _TURNING.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))


def figure(value: float | None, kind: str = "share") -> str:
    """A value of a metric: three decimals for shares and rates, four digits for quantities, a dash for none."""
    if value is None:
        return "–"
    return f"{value:,.4g}" if kind == "quantity" else f"{value:.3f}"


def signed(value: float | None, kind: str = "share") -> str:
    """A difference, with its sign; ``±0.000`` where nothing is left of it."""
    if value is None:
        return "–"
    text = f"{value:+,.4g}" if kind == "quantity" else f"{value:+.3f}"
    if not any(digit in text for digit in "123456789"):
        return f"±{text[1:]}"
    return text.replace("-", "−")


def interval(found: Estimate | MetricSummary, kind: str = "share") -> str:
    """Both ends of a figure's interval; where there is none, why."""
    if found.low is None or found.high is None:
        return why_no_interval(found.n)
    return interval_text(found.low, found.high, partial(figure, kind=kind))


def signed_interval(found: Difference, kind: str = "share") -> str:
    """Both ends of a difference's interval; where there is none, why."""
    if found.low is None or found.high is None:
        return why_no_interval(found.n)
    return interval_text(found.low, found.high, partial(signed, kind=kind))


def when(text: str) -> str:
    """A UTC time to the minute."""
    return text[:16].replace("T", " ")


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


_NEAR = {0: "today", 1: "yesterday"}


def day(text: str, now: datetime | None = None) -> str:
    """The day of a UTC time: ``15 Nov``, with the year where it is not this one; empty for what is no time."""
    try:
        read = date.fromisoformat(text[:10])
    except ValueError:
        return ""
    this = (now or datetime.now(UTC)).year
    return f"{read.day} {MONTHS[read.month - 1]}" + (f" {read.year}" if read.year != this else "")


def moment(text: str, now: datetime | None = None) -> str:
    """A UTC time as a list has it: ``today 14:02``, ``yesterday 17:40``, ``12 Nov 03:00``."""
    now = now or datetime.now(UTC)
    shown = day(text, now)
    if not shown:
        return ""
    ago = (now.date() - date.fromisoformat(text[:10])).days
    return f"{_NEAR.get(ago, shown)} {text[11:16]}".strip()


def spent(row: RunRow, figures: Sequence[Figure]) -> str:
    """How long a run took and what it cost, as far as that is known: ``4 min 11 s, cost 1.02``."""
    said = []
    try:
        seconds = (datetime.fromisoformat(row.finished) - datetime.fromisoformat(row.started)).total_seconds()
    except (ValueError, TypeError):
        seconds = -1.0
    if seconds >= 1:
        said.append(duration(seconds))
    cost = next((item.summary for item in figures if item.name == "cost"), None)
    if cost is not None and cost.mean:
        whole = cost.mean * cost.n
        said.append(f"cost {whole:,.2f}" if whole >= 0.01 else f"cost {whole:.2g}")
    return ", ".join(said)


def duration(seconds: float) -> str:
    """``8 s``, ``4 min 11 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")


def pretty(value: object) -> str:
    """A value as indented JSON, or itself when it is text."""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


FILTERS: dict[str, Callable[..., object]] = {
    "figure": figure,
    "signed": signed,
    "when": when,
    "day": day,
    "moment": moment,
    "p_words": p_words,
    "count_of": count_of,
    "pretty": pretty,
    "visible": shown,
    "directed": directed,
    "interval": interval,
    "signed_interval": signed_interval,
    "verdict": lambda word: VERDICTS.get(word, word),
    "state": lambda word: STATES.get(word, word),
}
