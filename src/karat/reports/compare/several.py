"""Several runs as a matrix, ready for any writer: runs × figures and runs × cases, every number as text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.core.results.result import RunInfo
from karat.reports.compare.comparison import ALPHA, label
from karat.reports.compare.comparison_page import MARKS, signed
from karat.reports.console.run import figure
from karat.stats.compare.several import STATES, FigureOverRuns, RunFigure, SeveralRuns

NUMBERS = {3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight", 9: "Nine", 10: "Ten"}
SIGNS = {"right": "✓", "wrong": "✗", "no verdict": "–", "absent": ""}
NOTE = (
    "difference to the baseline below each value · differences are paired on the cases of both runs"
    " · ▲ better, ▼ worse at p < 0.05, Holm over all runs and figures"
)


class MatrixCell(msgspec.Struct, frozen=True):
    """A figure of a run, and below it its difference to the baseline."""

    value: str
    below: str


class MatrixRow(msgspec.Struct, frozen=True):
    """A figure over the runs."""

    title: str
    cells: tuple[MatrixCell, ...]


class MatrixCase(msgspec.Struct, frozen=True):
    """A case over the runs: a word of ``STATES`` for each."""

    id: str
    verdicts: tuple[str, ...]
    flaky: bool


class Matrix(msgspec.Struct, frozen=True):
    """Runs beside each other."""

    runs: tuple[RunInfo, ...]
    found: SeveralRuns

    @property
    def title(self) -> str:
        """``Six runs``"""
        return f"{NUMBERS.get(len(self.runs), str(len(self.runs)))} runs"

    @property
    def names(self) -> tuple[str, ...]:
        """The heads of the columns."""
        return tuple(label(run) for run in self.runs)

    @property
    def baseline(self) -> int:
        """The column that all others are compared with."""
        return self.found.baseline

    def headline(self) -> list[MatrixRow]:
        """The figures that claims rest on, rates first; all, where no metric is a headline."""
        shown = sorted((row for row in self.found.figures if row.headline), key=lambda row: row.kind != "rate")
        return [self._row(row) for row in shown] or self.others()

    def others(self) -> list[MatrixRow]:
        """The other figures, where a run has a value."""
        return [
            self._row(row)
            for row in self.found.figures
            if not row.headline and any(cell.mean is not None for cell in row.runs)
        ]

    @property
    def differing(self) -> int:
        """How many cases have not the same verdict in all runs."""
        return len(self.found.cases.ids)

    def cases(self, begin: int = 0, end: int | None = None) -> list[MatrixCase]:
        """Those cases, from one place to another."""
        some = self.found.cases
        end = len(some.ids) if end is None else min(end, len(some.ids))
        return [
            MatrixCase(
                some.ids[place], tuple(STATES[code] for code in some.verdicts[place].tolist()), bool(some.flaky[place])
            )
            for place in range(begin, end)
        ]

    def _row(self, row: FigureOverRuns) -> MatrixRow:
        cells = tuple(self._cell(row, place, cell) for place, cell in enumerate(row.runs))
        return MatrixRow(row.title, cells)

    def _cell(self, row: FigureOverRuns, place: int, cell: RunFigure) -> MatrixCell:
        value = figure(cell.mean, row.kind)
        if place == self.baseline:
            return MatrixCell(value, "baseline")
        if cell.difference is None:
            return MatrixCell(value, "no case in both" if row.headline else "")
        mark = MARKS.get(_outcome(row, cell), "")
        return MatrixCell(value, f"{signed(cell.difference.mean, row.kind)} {mark}".rstrip())


def _outcome(row: FigureOverRuns, cell: RunFigure) -> str:
    if cell.difference is None or cell.p_adjusted is None or cell.p_adjusted >= ALPHA or not cell.difference.mean:
        return ""
    return "better" if (cell.difference.mean > 0) == row.higher_is_better else "worse"


def matrix_plain(matrix: Matrix) -> JsonObject:
    """The matrix as JSON values, with every number as it is."""
    return {
        "runs": list(matrix.names),
        "baseline": matrix.names[matrix.baseline],
        "figures": [
            {
                "metric": row.metric,
                "runs": [{**msgspec.structs.asdict(cell), "outcome": _outcome(row, cell)} for cell in row.runs],
            }
            for row in matrix.found.figures
        ],
        "cases": matrix.cases(),
    }


def case_lines(matrix: Matrix, most: int) -> Sequence[tuple[str, list[str]]]:
    """(case, a sign for each run), for texts."""
    return [
        (f"{case.id}{' (flaky)' if case.flaky else ''}", [SIGNS[word] for word in case.verdicts])
        for case in matrix.cases(0, most)
    ]
