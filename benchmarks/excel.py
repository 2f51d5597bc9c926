"""The Excel report of 10,000 cases, beside XlsxWriter alone writing the same cells in a plain loop.

The plain loop writes each text with ``write_string`` and each number with ``write_number``; its one format wraps text.
Each repeat is a fresh process that makes the report first; only the writing is timed. Making the report's cells out of
a result is a row of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import generated, measure
from benchmarks.measure import Cost
from karat.core.report import Report
from karat.core.results.result import RunResult

CASES = 10_000
REPEATS = 3
LIMIT = 1.5


def main() -> None:
    measure.heading("Excel", f"the report of {CASES:,} cases, median of {REPEATS} fresh processes a side, in turn")
    with TemporaryDirectory() as folder:
        costs = measure.alternately(
            {
                "XlsxWriter, plain loop": lambda: _side("bare", folder),
                "karat write_xlsx": lambda: _side("karat", folder),
                "karat, making the cells": lambda: _side("cells", folder),
            },
            REPEATS,
        )
        sizes = {side: (Path(folder) / f"{side}.xlsx").stat().st_size / 1e6 for side in ("bare", "karat")}
    rows = [[name, f"{cost.wall:.2f} s", f"{cost.cpu:.2f} s", f"{cost.peak_mb:.0f} MB"] for name, cost in costs.items()]
    measure.table(["", "wall", "CPU", "peak memory"], rows)
    bare, ours, cells = costs.values()
    print(
        f"  file sizes: plain {sizes['bare']:.1f} MB, karat {sizes['karat']:.1f} MB; memory is that of the result and "
        "report too"
    )
    measure.verdict("karat / XlsxWriter, CPU", ours.cpu / bare.cpu, at_most=LIMIT, sides=(ours, bare))
    print(f"  with the making of the cells: {(ours.cpu + cells.cpu) / bare.cpu:.2f}×")


def _side(side: str, folder: str) -> Cost:
    return measure.in_fresh_process(__name__, side, str(Path(folder) / f"{side}.xlsx"))


def scored() -> RunResult:
    """A scored run of generated cases."""
    import karat
    from karat.core.plugins import load_suite
    from karat.core.records import Case, Prediction

    plain = list(generated.cases(CASES))
    random = Random(1)
    predictions = [Prediction(case["id"], response=generated.prediction(case, random)) for case in plain]
    cases = msgspec.convert(plain, list[Case[load_suite("data_query").target]])  # type: ignore[misc]  # a run-time type
    return karat.score(suite="data_query", cases=cases, predictions=predictions)


def make_report(result: RunResult) -> Report:
    """The cells of the report, as the suite makes them."""
    from karat.core.plugins import load_suite
    from karat.stats.intervals.estimates import estimate

    return load_suite("data_query").report(result, estimate)


def write_plainly(report: Report, path: Path) -> None:
    """The same cells, with nothing around them."""
    from xlsxwriter import Workbook

    book = Workbook(str(path))
    wrap = book.add_format({"text_wrap": True})
    for sheet in report.sheets:
        page = book.add_worksheet(sheet.title)
        row = 0
        for table in sheet.tables:
            for line in (tuple(column.title for column in table.columns), *table.rows):
                for column, cell in enumerate(line):
                    if cell is None:
                        page.write_string(row, column, "n/a")
                    elif isinstance(cell, str):
                        page.write_string(row, column, cell, wrap)
                    else:
                        page.write_number(row, column, cell)
                row += 1
    book.close()


def _measured(side: str, path: str) -> Cost:
    import xlsxwriter  # noqa: F401 (only whether it is installed)

    from karat.reports.excel.workbook import write_xlsx

    result = scored()
    if side == "cells":
        return measure.of_call(lambda: make_report(result))
    report = make_report(result)
    write = write_plainly if side == "bare" else write_xlsx
    return measure.of_call(lambda: write(report, Path(path)))


if __name__ == "__main__":
    measure.say(_measured(*sys.argv[1:]))
