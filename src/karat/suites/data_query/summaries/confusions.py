"""What was selected in place of what, and why cases are not right, over all cases.

In each dimension and turn, by id: every missed term spreads weight 1 evenly over the terms that were selected too much;
where there is none it was lost to nothing. Where nothing is missed, each term too much came from nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from karat.core.explanation import read_details
from karat.core.json_types import JsonObject
from karat.core.replies.reply import BEGINNING
from karat.core.report import Cell, Column, Sheet, Table, bar_chart
from karat.core.results.result import CaseResult, RepeatResult, RunResult
from karat.suites.data_query.details import Details, DimensionDetails
from karat.suites.data_query.reasons import REASONS
from karat.suites.data_query.selection.selection import Term

Kept = Sequence[tuple[CaseResult, Details]]
UNREADABLE = (BEGINNING.strip(), "the response is empty", "message is empty")
"""What is said of a response that cannot be read, and never of a call that failed."""
SHOWN = 20
"""Of each dimension, the heaviest that the sheet shows; the JSON has all."""


class Confusion(msgspec.Struct, frozen=True):
    """A term that was asked for and one that was selected instead; None: nothing."""

    dimension: str
    asked: Term | None
    got: Term | None
    weight: float
    cases: int


def confused(part: DimensionDetails) -> Iterator[tuple[Term | None, Term | None, float]]:
    """(asked, got, weight) in one dimension of one turn."""
    wanted = {term.id for term in (*part.true_positives, *part.false_negatives)}
    given = {term.id for term in (*part.true_positives, *part.false_positives)}
    missed = list({term.id: term for term in part.false_negatives if term.id not in given}.values())
    extra = list({term.id: term for term in part.false_positives if term.id not in wanted}.values())
    for term in missed:
        for other in extra:
            yield term, other, 1 / len(extra)
        if not extra:
            yield term, None, 1.0
    if not missed:
        yield from ((None, other, 1.0) for other in extra)


def confusions(kept: Kept) -> list[Confusion]:
    """All of them, dimension by dimension, the heaviest first."""
    weights: dict[tuple[str, str | None, str | None], float] = {}
    cases: dict[tuple[str, str | None, str | None], set[str]] = {}
    names: dict[tuple[str, str], Term] = {}
    for case, details in kept:
        for part in details.dimensions:
            for asked, got, weight in confused(part):
                key = (part.dimension, asked.id if asked else None, got.id if got else None)
                weights[key] = weights.get(key, 0.0) + weight
                cases.setdefault(key, set()).add(case.id)
                for term in (asked, got):
                    if term is not None:
                        names.setdefault((part.dimension, term.id), term)
    found = [
        Confusion(
            dimension,
            names[dimension, asked] if asked is not None else None,
            names[dimension, got] if got is not None else None,
            weight,
            len(cases[dimension, asked, got]),
        )
        for (dimension, asked, got), weight in weights.items()
    ]
    return sorted(found, key=lambda one: (one.dimension, -one.weight, _id(one.asked), _id(one.got)))


def reason_counts(result: RunResult, kept: Kept) -> JsonObject:
    """How many cases have each reason, have it as their main one, and have it under each tag; the most first."""
    every: Counter[str] = Counter()
    main: Counter[str] = Counter()
    tags: dict[str, Counter[str]] = {}
    found = {case.id: details.reasons or () for case, details in kept}
    for case in result.cases:
        here = found.get(case.id, ()) or _failed(case)
        every.update(here)
        main.update(here[:1])
        for tag in case.tags:
            tags.setdefault(tag, Counter()).update(here)
    if not every:
        return {}
    by_tag = {tag: _sorted(counts) for tag, counts in sorted(tags.items()) if counts}
    return {"total": _sorted(every), "main": _sorted(main), "by_tag": by_tag}


def figures(kept: Kept) -> list[JsonObject]:
    """The whole list for the JSON of a run."""
    return [
        {
            "dimension": one.dimension,
            "asked": _plain(one.asked),
            "got": _plain(one.got),
            "weight": one.weight,
            "cases": one.cases,
        }
        for one in confusions(kept)
    ]


def sheet(result: RunResult, kept: Kept) -> Sheet | None:
    """The sheet ``Confusions``; None where nothing was confused and no case has a reason."""
    rows: list[tuple[Cell, ...]] = []
    shown: Counter[str] = Counter()
    for one in confusions(kept):
        shown[one.dimension] += 1
        if shown[one.dimension] <= SHOWN:
            terms = (cell for term in (one.asked, one.got) for cell in _cells(term))
            rows.append((one.dimension, *terms, one.weight, one.cases))
    counts = reason_counts(result, kept)
    tables: list[Table] = []
    if rows:
        columns = (
            Column("dimension", width=18),
            Column("asked", width=16),
            Column("asked name", "wrapped", 36),
            Column("got", width=16),
            Column("got name", "wrapped", 36),
            Column("weight", "number", 10, decimals=2),
            Column("cases", "count", 8),
        )
        note = (
            f"The {SHOWN} heaviest of each dimension. A missed term spreads weight 1 over the terms selected too much."
        )
        tables.append(Table(columns, tuple(rows), "Confused terms", note, look="swaps"))
    if counts:
        tags = list(counts["by_tag"])
        head = [Column("reason", width=22), Column("cases", "count", 9), Column("as main reason", "count", 10)]
        head += [Column(tag, "count", 10) for tag in tags]
        cells = tuple(
            (name, count, counts["main"].get(name, 0), *(counts["by_tag"][tag].get(name, 0) for tag in tags))
            for name, count in counts["total"].items()
        )
        note = "A case has every reason that applies. A case that is fully right has none."
        tables.append(Table(tuple(head), cells, "Reasons", note))
    charts = (
        (bar_chart("Why cases are not right", "reason", "cases", len(cells), 1, len(tables) - 1),) if counts else ()
    )
    return Sheet("Confusions", tuple(tables), charts=charts) if tables else None


def _failed(case: CaseResult | RepeatResult) -> tuple[str, ...]:
    """The reason of a case without a comparison."""
    if case.status != "error":
        return ()
    return ("unreadable",) if any(words in case.error for words in UNREADABLE) else ("call_failed",)


def reasons_of(case: CaseResult | RepeatResult) -> tuple[str, ...]:
    """The coded reasons of one case, the main one first; none where it is fully right."""
    details = read_details(Details, case.details)
    return (details.reasons or ()) if details is not None else _failed(case)


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], REASONS.index(item[0]))))


def _id(term: Term | None) -> str:
    return "" if term is None else term.id


def _cells(term: Term | None) -> tuple[str, str]:
    return ("nothing", "") if term is None else (term.id, term.name)


def _plain(term: Term | None) -> JsonObject | None:
    return None if term is None else {"id": term.id, "name": term.name}
