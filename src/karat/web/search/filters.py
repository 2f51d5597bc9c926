"""Which cases are shown, as it is in the address: every filter, the order, the page, the columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import msgspec
from starlette.datastructures import QueryParams

from karat.store.cases.case_pages import CaseQuery
from karat.store.verdicts.judged_cases import JUDGED
from karat.web.formatting import STATES
from karat.web.run_page.figures import Figure, listed_columns

PAGE_SIZE = 50
ORDERS = {"position": "order in the file", "case_id": "case id", "status": "status", "reason": "reason"}
REVIEWS = {
    "open": "waiting for review",
    "wanted": "no rule settles it",
    "done": "reviewed",
    "disputed": "reviewed: people disagree",
    "pass": "reviewed: right",
    "fail": "reviewed: wrong",
    "gold_wrong": "reviewed: gold is wrong",
    "accept": "reviewed: accept this too",
}
_NAMES = (
    *("q", "status", "tag", "review", "judge", "reason", "group", "change", "against", "set"),
    *("metric", "min", "max", "sort", "col"),
)


class Filters(msgspec.Struct, frozen=True):
    """The filters as they were given, without those that mean nothing here."""

    given: tuple[tuple[str, str], ...]
    query: CaseQuery
    page: int
    columns: tuple[Figure, ...]

    def link(self, base: str, **changed: object) -> str:
        """The address with some parameters changed; None takes one out. Changing a filter goes back to the first
        page."""
        kept = [(name, value) for name, value in self.given if name not in changed and name != "page"]
        kept += [(name, str(value)) for name, value in changed.items() if value is not None and value != ""]
        return f"{base}?{encoded(kept)}" if kept else base

    @property
    def narrows(self) -> bool:
        """Whether a filter is on: an order or chosen columns leave all cases in the list."""
        return any(name not in ("sort", "col") for name, _ in self.given)

    def is_on(self, **wanted: object) -> bool:
        """Whether each of these parameters is in the address just so."""
        return all(self.value(name) == str(value) for name, value in wanted.items())

    def value(self, name: str) -> str:
        """One parameter as it was given."""
        return next((value for key, value in self.given if key == name), "")

    def chips(self, base: str, titles: Mapping[str, str]) -> list[tuple[str, str]]:
        """(text, address without it) for each filter that is on."""
        found = []
        for name in ("q", "status", "tag", "review", "judge", "reason", "group", "change", "set"):
            if value := self.value(name):
                words = {"q": f"“{value}”", "review": REVIEWS.get(value, value), "status": STATES.get(value, value)}
                words |= {"group": value, "change": value.replace("_", " "), "judge": JUDGED.get(value, value)}
                gone = {name: None}
                if name in ("group", "change") and not self.value("change" if name == "group" else "group"):
                    gone["against"] = None
                found.append((words.get(name, f"{name} {value}"), self.link(base, **gone)))
        if metric := self.value("metric"):
            low, high = self.value("min"), self.value("max")
            bounds = " and ".join([*([f"≥ {low}"] if low else []), *([f"≤ {high}"] if high else [])])
            text = f"{titles.get(metric, metric)} {bounds or 'has a value'}"
            found.append((text, self.link(base, metric=None, min=None, max=None)))
        return found


def encoded(items: Sequence[tuple[str, str]]) -> str:
    """A query string, of any text."""
    return urlencode(items, errors="replace")


def read_filters(params: QueryParams, figures: Sequence[Figure]) -> Filters:
    """The filters of an address. What cannot be read is left out, as an old link should still open."""
    by_name = {figure.name: figure for figure in figures}
    given = [(name, value) for name, value in params.multi_items() if name in _NAMES and value][:60]
    first = dict(reversed(given))
    sort = first.get("sort", "position")
    descending = sort.startswith("-")
    order = sort.lstrip("-")
    metric = by_name.get(first.get("metric", ""))
    columns = [by_name[value] for name, value in given if name == "col" and value in by_name]
    query = CaseQuery(
        search=first.get("q", "")[:400],
        status=first.get("status", ""),
        tag=first.get("tag", ""),
        review=first.get("review", ""),
        judge=first.get("judge", "") if first.get("judge") in JUDGED else "",
        reason=first.get("reason", ""),
        group=first.get("group", "")[:400],
        change=first.get("change", ""),
        against=first.get("against", ""),
        in_set=first.get("set", ""),
        metric=metric.index if metric else None,
        at_least=_number(first.get("min")),
        at_most=_number(first.get("max")),
        sort=by_name[order].index if order in by_name else order if order in ORDERS else "position",
        descending=descending,
    )
    page = params.get("page", "1")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 9 else 1
    return Filters(tuple(given), query, max(1, number), tuple(columns or listed_columns(figures)))


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None
