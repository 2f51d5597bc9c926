"""Several tries at each case in a report: pass@k, pass^k and the spread between tries."""

from __future__ import annotations

from karat.core.problems import count_of
from karat.core.report import Cell, Column, Table, estimate_cells
from karat.reports.sections.reviews import estimate_words
from karat.stats.repeats import MetricTries, PassK, Tries

OF_K_NOTE = (
    "pass@k: at least one of k tries is right, in all its turns; pass^k: all k are. Over the n cases with at least k "
    "tries that count; "
    "low and high are 95 % intervals over cases."
)
SPREAD_NOTE = (
    "The standard deviation between the tries at one case, pooled over cases: 0 when a case always scores the same."
)


def tries_tables(tries: Tries) -> tuple[Table, ...]:
    """pass@k and pass^k for each pass rate, and the spread of each metric; tables without a row are left out."""
    interval = tuple(Column(end, "number", 11, decimals=3) for end in ("low", "high"))
    columns = (
        Column("metric", width=36),
        Column("k", "count", 7),
        Column("pass@k", "score", 11, decimals=3),
        *interval,
        Column("pass^k", "score", 11, decimals=3),
        *interval,
        Column("n", "count", 7),
        Column("cases left out", "count", 11),
    )
    rows = tuple((item.title, *_cells(found)) for item in tries.metrics for found in item.pass_k)
    spreads = tuple((item.title, item.spread) for item in tries.metrics)
    tables = (
        Table(columns, rows, "Several tries", OF_K_NOTE),
        Table(
            (Column("metric", width=36), Column("standard deviation", "number", 11, decimals=3)),
            spreads,
            "Spread between tries",
            SPREAD_NOTE,
        ),
    )
    return tuple(table for table in tables if table.rows)


def _cells(found: PassK) -> tuple[Cell, ...]:
    at, hat = (estimate_cells((figure,))[:3] for figure in (found.at, found.hat))
    return (found.k, *at, *hat, found.at.n, found.left_out)


def tries_line(tries: Tries) -> list[str]:
    """For the terminal, in parts: ``3 per case``, ``passed: pass@3 0.71 (0.60–0.80)``, ``pass^3 0.42 (0.31–0.54)``,
    ``spread 0.08``."""
    parts = [f"{'' if tries.every else 'up to '}{tries.tries:,} per case"]
    main = next((item for item in tries.metrics if item.pass_k), next(iter(tries.metrics), None))
    if main is None:
        return parts
    figures = _figures(main)
    return [*parts, f"{main.title}: {figures[0]}", *figures[1:]] if figures else parts


def _figures(item: MetricTries) -> list[str]:
    """By the largest k that some case has tries for."""
    spread = [] if item.spread is None else [f"spread {item.spread:.2f}"]
    last = next((found for found in reversed(item.pass_k) if found.at.n), None)
    if last is None:
        return spread
    left_out = [f"{count_of(last.left_out, 'case')} left out"] if last.left_out else []
    return [
        f"pass@{last.k} {estimate_words(last.at)}",
        f"pass^{last.k} {estimate_words(last.hat)}",
        *spread,
        *left_out,
    ]
