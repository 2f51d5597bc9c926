"""One model of a report: sheets of typed columns. A suite fills it; a writer (Excel, HTML, …) knows nothing else.

Below the model is what looks the same in every suite: the averages, what failed, and what run this was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from karat.core.metric import Metric
from karat.core.problems import count_of
from karat.core.results.clusters import clusters_of
from karat.core.results.facts import facts_of
from karat.core.results.result import CaseResult, Estimate, Estimator, RepeatResult, RunResult

ColumnKind = Literal["text", "wrapped", "status", "score", "number", "count"]
"""``wrapped`` text keeps its line breaks; ``status`` is a state of a case; ``score`` is 0…1 with a colour scale;
``count`` is whole."""

Cell = str | float | int | None

CELL_LIMIT = 32_767
"""What a cell of a spreadsheet holds, in UTF-16 code units. Callers must truncate long cells themselves, and say so."""


class Column(msgspec.Struct, frozen=True):
    """A column: its heading, what it holds, how wide it is in characters.

    >>> import karat
    >>> karat.Column("recall", "score").title
    'recall'
    """

    title: str
    """The heading."""
    kind: ColumnKind = "text"
    """What the cells contain, which decides how they are written."""
    width: int = 14
    """The width in characters."""
    higher_is_better: bool = True
    """Whether a high score is good, for the colour of its cell."""
    decimals: int | None = None
    """How many decimals are shown. None: two for a score; for a number, as its size requires."""
    shaded: bool = True
    """Whether a score is coloured between wrong and right. False if a right answer need not come near 1."""


class Table(msgspec.Struct, frozen=True):
    """A headed table. ``None`` in a cell means undefined and is written as n/a in a score, number or count column.

    >>> import karat
    >>> table = karat.Table((karat.Column("case"), karat.Column("recall", "score")), (("ships", 1.0), ("seats", None)))
    >>> len(table.rows)
    2
    """

    columns: tuple[Column, ...]
    """The columns."""
    rows: tuple[tuple[Cell, ...], ...]
    """The cells, row by row."""
    title: str = ""
    """The title above the table."""
    note: str = ""
    """A sentence below the title that says how to read the figures."""
    look: Literal["", "swaps"] = ""
    """``swaps``: each row shows what was expected and what was given in its place. Its columns are: where, expected,
    its name, given, its name, how often, cases; pages draw it as pairs."""


class Series(msgspec.Struct, frozen=True):
    """One line or cloud of a chart: rows ``first`` to ``last`` (from 0, both included) of two columns of a table."""

    title: str
    x: int
    y: int
    first: int
    last: int
    marked: bool = False
    """Drawn as one large mark, to stand out from the others."""
    dashed: bool = False
    """Joined by a dashed line."""
    low: int | None = None
    high: int | None = None
    """The columns of an interval around each figure of bars."""
    table: int | None = None
    """The table it is from, where that is another than the chart's."""
    tone: Literal["", "right", "wrong", "none"] = ""
    """What it counts, where its colour should say so: right cases, wrong ones, cases without an answer."""


class Chart(msgspec.Struct, frozen=True):
    """A picture of the figures in one of the sheet's tables; it is to the right of it."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    table: int = 0
    kind: Literal["line", "scatter", "bar", "matrix"] = "line"
    """``line``: the points of a series are joined; the x axis is one of numbers in both. ``bar``: a bar for each row,
    named by the text in column x, in the order of the rows. ``matrix``: a field for each row and series, the more the
    darker; in Excel stacked bars."""
    y_most: float | None = None
    """Where the y axis ends; None: where the figures do."""


MOST_BARS = 15
"""Rows that :func:`bar_chart` draws; all are in the table."""


def bar_chart(title: str, what: str, counted: str, rows: int, column: int, table: int = 0) -> Chart:
    """Bars of the counts in one column for the first rows of a table, named by its first column."""
    series = Series(counted, 0, column, 0, min(rows, MOST_BARS) - 1)
    return Chart(title, what, counted, (series,), table, kind="bar")


class Sheet(msgspec.Struct, frozen=True):
    """One or more tables under one name. A sheet of a single untitled table gets filters and frozen headings.

    >>> import karat
    >>> table = karat.Table((karat.Column("case"),), (("ships",),))
    >>> karat.Sheet("Cases", (table,)).tables[0].rows
    (('ships',),)
    """

    title: str
    """The name of the sheet."""
    tables: tuple[Table, ...]
    """Its tables, from top to bottom."""
    freeze_columns: int = 0
    """How many columns stay in view when the sheet is scrolled."""
    print_columns: int = 0
    """How many columns are printed, for a table that is too wide for paper; 0: all."""
    charts: tuple[Chart, ...] = ()
    """The charts beside the tables."""


class Report(msgspec.Struct, frozen=True):
    """The whole report of one run.

    >>> import karat
    >>> sheet = karat.Sheet("Cases", (karat.Table((karat.Column("case"),), (("ships",),)),))
    >>> [sheet.title for sheet in karat.Report("Ships", (sheet,)).sheets]
    ['Cases']
    """

    title: str
    """The title of the report."""
    sheets: tuple[Sheet, ...]
    """Its sheets, in order."""


# -- text -------------------------------------------------------------------------------------------------------------

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    r"""Text that any report can hold: control characters, halves of surrogate pairs and non-characters become ``\x1b``,
    ``\ud800``.

    Tabs and line breaks stay; every kind of line break becomes a plain one.
    """
    if text.isprintable():
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub(_escape, text)


_FROM_THE_RIGHT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
"""Letters of Hebrew, Arabic and other scripts that are written from right to left."""
_TURNED = re.compile(f"({_FROM_THE_RIGHT}+(?:\\s+{_FROM_THE_RIGHT}+)*)")


def directed(text: str) -> list[tuple[bool, str]]:
    """The text in parts that are written in one direction; True: from right to left.

    In a sentence of names and values, each such part must be isolated: a number after it is otherwise drawn before it.

    >>> directed("A 1 of 2")
    [(False, 'A 1 of 2')]
    """
    parts = _TURNED.split(text) if not text.isascii() else [text]
    return [(bool(place % 2), part) for place, part in enumerate(parts) if part]


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def utf16_length(text: str) -> int:
    """How many UTF-16 code units a text takes: characters beyond U+FFFF count two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


# -- the tables and sheets that every suite has -----------------------------------------------------------------------


def estimate_columns(title: str) -> list[Column]:
    """The columns of a mean with its interval and how many values it is over."""
    return [
        Column(title, "score", 11, decimals=3),
        Column("low", "number", 11, decimals=3),
        Column("high", "number", 11, decimals=3),
        Column("n", "count", 7),
    ]


def estimate_cells(estimates: Iterable[Estimate]) -> tuple[Cell, ...]:
    """The cells under those columns, for several means side by side."""
    return tuple(cell for found in estimates for cell in (found.mean, found.low, found.high, found.n))


def summary_table(result: RunResult, title: str, metrics: Sequence[Metric], *, decimals: int | None = None) -> Table:
    """The averages of those of the metrics that the run has figures for; with errors as zero too where calls failed."""
    found = {item.metric: item for item in result.summary}
    items = [(metric.title, found[metric.name]) for metric in metrics if metric.name in found]
    errors = any(item.with_errors_as_zero is not None for _, item in items)
    columns = [Column("metric", width=36), Column("mean", "number", 11, decimals=decimals), Column("n", "count", 9)]
    columns += [Column(end, "number", 11, decimals=decimals) for end in ("low", "high")]
    columns.append(Column("undefined", "count", 11))
    if errors:
        columns.append(Column("mean with errors as zero", "number", 13, decimals=decimals))
    rows: list[tuple[Cell, ...]] = []
    for name, item in items:
        last: tuple[Cell, ...] = (item.with_errors_as_zero,) if errors else ()
        rows.append((name, item.mean, item.n, item.low, item.high, item.undefined, *last))
    note = (
        "The mean is over the n cases where the metric is defined; "
        f"low and high are its 95 % interval.{_clustered(result)}"
    )
    return Table(tuple(columns), tuple(rows), title, note)


def _clustered(result: RunResult) -> str:
    """Over how many clusters intervals are; nothing when every case stands for itself."""
    clusters = facts_of(result.cases).clusters
    if clusters is None:
        return ""
    return (
        " Cases of one cluster are variants of each other and count as one: "
        f"intervals are over {count_of(clusters, 'cluster')}."
    )


def tags_table(cases: Sequence[CaseResult], metrics: Sequence[Metric], estimate: Estimator) -> Table | None:
    """Those metrics for each tag, the weakest first; None when no case has a tag. Variants of one case are kept
    together."""
    groups: dict[str, list[int]] = {}
    for place, case in enumerate(cases):
        for tag in dict.fromkeys(case.tags or ("",)):
            groups.setdefault(tag, []).append(place)
    if not any(groups):
        return None
    clusters = clusters_of(cases)
    scores = [[case.scores.get(metric.name) for case in cases] for metric in metrics]
    values = [[None if score is None else score.value for score in own] for own in scores]
    found = []
    for tag, members in groups.items():
        figures = []
        for metric, own in zip(metrics, values, strict=True):
            known = [value for place in members if (value := own[place]) is not None]
            shared = None if clusters is None else [clusters[place] for place in members if own[place] is not None]
            figures.append(estimate(known, metric.kind, shared))
        found.append((tag, len(members), figures))
    found.sort(key=lambda item: (item[2][0].mean is None, item[2][0].mean or 0.0, item[0]))
    columns = [Column("tag", width=24), Column("cases", "count", 9)]
    columns += [column for metric in metrics for column in estimate_columns(metric.title)]
    rows = tuple((tag or "(no tag)", count, *estimate_cells(figures)) for tag, count, figures in found)
    note = "Weakest first. A case with several tags counts in each of them."
    return Table(tuple(columns), rows, "By tag", note)


def states_table(result: RunResult) -> Table:
    """How many cases are in each state."""
    columns = (Column("status", "status"), Column("cases", "count"))
    rows = [(state, count) for state, count in result.status_counts().items()]
    return Table(columns, (*rows, ("all", len(result.cases))), "Cases by status")


def errors_sheet(result: RunResult) -> Sheet | None:
    """Every case without an answer, and every failed try; None when there is none."""
    rows: list[tuple[Cell, ...]] = []
    repeated = facts_of(result.cases).most_tries > 0
    for case in result.cases:
        tries: Sequence[CaseResult | RepeatResult] = case.repeats or (case,)
        for number, attempt in enumerate(tries, start=1):
            if attempt.status in ("error", "missing") or attempt.error:
                which: tuple[Cell, ...] = (f"{number} of {len(tries)}",) if repeated else ()
                rows.append((case.id, *which, attempt.status, attempt.error))
    if not rows:
        return None
    columns = [Column("case", "wrapped", 38), Column("status", "status", 10), Column("error", "wrapped", 90)]
    if repeated:
        columns.insert(1, Column("try", width=9))
    return Sheet("Errors", (Table(tuple(columns), tuple(rows)),), freeze_columns=1)


COMPARABLE = "The figures of two runs are comparable only if the hashes of their truth sets are equal."


def about_sheet(result: RunResult, metrics: Sequence[Metric]) -> Sheet:
    """Which run this was, how its figures are to be read, and the formula of each."""
    run = result.run
    facts: list[tuple[str, str]] = [
        ("run", run.id or "not stored"),
        ("name", run.name),
        ("suite", run.suite),
        ("system", run.system),
        ("karat version", run.karat),
        ("started", run.started),
        ("finished", run.finished),
        ("date used for $TODAY", run.today),
        ("tags", ", ".join(run.tags)),
        ("cases", f"{len(result.cases):,}"),
        (
            "states",
            ", ".join(f"{state.replace('_', ' ')} {count:,}" for state, count in result.status_counts().items()),
        ),
        ("repeats", _repeats(run.repeats)),
        ("truth set", run.truth_set),
        ("prompt", run.prompt),
        ("comparing runs", COMPARABLE),
        (
            "undefined",
            "0/0 is undefined: it is shown as n/a and left out of the mean; n is the number of values in the mean.",
        ),
        ("failed calls", _failed_calls(run.options.get("errors"))),
        ("intervals", f"Every interval is a 95 % interval over cases; a case counts once.{_clustered(result)}"),
    ]
    facts += [(f"option {key}", _option(value)) for key, value in sorted(run.options.items())]
    named = Table(
        (Column("what", width=30), Column("value", "wrapped", 100)),
        tuple(fact for fact in facts if fact[1]),
        "About this run",
    )
    glossary = Table(
        (Column("metric", width=30), Column("how it is computed", "wrapped", 100)),
        tuple(
            (metric.title, f"{metric.formula}{'' if metric.higher_is_better else ' (lower is better)'}")
            for metric in metrics
        ),
        "The metrics",
    )
    return Sheet("About", (named, glossary))


def _repeats(repeats: int) -> str:
    return "1: every case was run once" if repeats == 1 else f"{repeats}: a case's figure is the mean over its tries"


def _failed_calls(errors: object) -> str:
    if errors == "zero":
        return "A failed call counts 0 (option errors: zero)."
    return (
        "Failed calls are counted and shown but not included in the mean. "
        "If there are any, the mean with errors as zero is shown too."
    )


def _option(value: object) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)
