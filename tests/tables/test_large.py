"""Large tables: the same verdicts as small ones, also where sorting alone does not pair the rows."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from karat.tables.matching import match_tables
from karat.tables.options import CompareOptions
from karat.tables.outofcore import match_csv_files
from karat.tables.table import LARGE, Table, TableError

HEIGHT = LARGE + 500


def held(names: list[str], rows: list[list[str | None]]) -> Table:
    import polars

    columns = tuple(polars.Series(list(column), dtype=polars.String) for column in zip(*rows, strict=True))
    return Table(tuple(names), columns, len(rows))


def made(random: Random) -> list[list[str | None]]:
    return [
        [
            str(row),
            f"name {row % 70}",
            None if row % 11 == 0 else repr(random.uniform(-50, 1000)),
            f"2020-{row % 12 + 1:02d}-01",
        ]
        for row in range(HEIGHT)
    ]


@pytest.fixture(scope="module")
def rows() -> list[list[str | None]]:
    return made(Random(1))


@pytest.fixture(scope="module")
def gold(rows: list[list[str | None]]) -> Table:
    return held(["id", "name", "value", "day"], rows)


def noisy(text: str | None, random: Random) -> str | None:
    return None if text is None else repr(float(text) * (1 + random.uniform(-9e-5, 9e-5)))


def test_shuffled_and_renamed(rows: list[list[str | None]], gold: Table) -> None:
    moved = [[row[3], row[2], "more", row[0], row[1]] for row in rows]
    Random(2).shuffle(moved)
    match = match_tables(gold, held(list("pqrst"), moved), ignore_order=True)
    assert (match.passed, match.mapping, match.normalised) == (True, (3, 4, 1, 0), ())
    ordered = match_tables(gold, held(list("pqrst"), moved), ignore_order=False)
    assert ordered.reason == "order_differs"


def test_noise_dates_and_separators(rows: list[list[str | None]], gold: Table) -> None:
    random = Random(3)
    changed = [[f"{int(row[0] or 0):,}", row[1], noisy(row[2], random), f"{row[3]} 00:00:00"] for row in rows]
    random.shuffle(changed)
    match = match_tables(gold, held(list("pqrs"), changed), ignore_order=True)
    assert (match.passed, match.normalised) == (True, ("date_format", "separators", "tolerance"))


def test_only_numbers_and_all_of_them_noisy() -> None:
    """No column says which rows belong together, and noise changes the order of every column."""
    random = Random(4)
    plain = [[repr(random.uniform(1, 1000)) for _ in range(3)] for _ in range(HEIGHT)]
    changed = [[noisy(text, random) for text in row] for row in plain]
    random.shuffle(changed)
    gold = held(list("abc"), [list(row) for row in plain])
    match = match_tables(gold, held(list("pqr"), changed), ignore_order=True)
    assert (match.passed, match.normalised) == (True, ("tolerance",))
    rounded = [[f"{float(text):.2f}" for text in row] for row in plain]
    random.shuffle(rounded)
    match = match_tables(gold, held(list("pqr"), [list(row) for row in rounded]), ignore_order=True)
    assert (match.passed, match.settled) == (True, True)
    assert "rounding" in match.normalised


def test_one_wrong_cell_among_many(rows: list[list[str | None]], gold: Table) -> None:
    changed = [list(row) for row in rows]
    changed[777][2] = "5000.25"
    Random(5).shuffle(changed)
    match = match_tables(gold, held(["id", "name", "value", "day"], changed), ignore_order=True)
    assert (match.passed, match.settled, match.reason) == (False, True, "values_differ")
    assert match.evidence["columns"][0]["gold"] == "value"


@pytest.mark.parametrize(
    ("column", "change", "reason"),
    [
        (2, lambda text: None if text is None else repr(float(text) * 100), "scale_100"),
        (2, lambda text: text or "0", "null_vs_zero"),
        (1, lambda text: text.upper(), "case_or_space"),
    ],
)
def test_reasons(rows: list[list[str | None]], gold: Table, column: int, change: Any, reason: str) -> None:
    changed = [[*row[:column], change(row[column]), *row[column + 1 :]] for row in rows]
    Random(6).shuffle(changed)
    match = match_tables(gold, held(list("pqrs"), changed), ignore_order=True)
    assert (match.passed, match.reason) == (False, reason)


def test_scrambled_columns(rows: list[list[str | None]], gold: Table) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    for column in columns:
        Random(7).shuffle(column)
    assert match_tables(
        gold, held(list("pqrs"), [list(r) for r in zip(*columns, strict=True)]), ignore_order=True
    ).passed
    Random(8).shuffle(columns[2])
    match = match_tables(gold, held(list("pqrs"), [list(r) for r in zip(*columns, strict=True)]), ignore_order=True)
    assert (match.passed, match.reason) == (False, "rows_scrambled")


def test_dropped_and_doubled_rows(rows: list[list[str | None]], gold: Table) -> None:
    names = ["id", "name", "value", "day"]
    assert match_tables(gold, held(names, rows[:-1]), ignore_order=True).reason == "row_count"
    assert match_tables(gold, held(names, [*rows, rows[0]]), ignore_order=True).reason == "duplicates"


def written(path: Path, rows: list[list[str | None]], header: str) -> Path:
    lines = [header, *(",".join(text or "" for text in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_files_that_are_not_held(tmp_path: Path, rows: list[list[str | None]]) -> None:
    random = Random(9)
    gold = written(tmp_path / "gold.csv", rows, "id,name,value,day")
    moved = [[row[2], row[0], row[3], row[1]] for row in rows]
    same = written(tmp_path / "same.csv", moved, "p,q,r,s")
    assert match_csv_files(gold, same, ignore_order=False).mapping == (1, 3, 0, 2)
    random.shuffle(moved)
    shuffled = written(tmp_path / "shuffled.csv", moved, "p,q,r,s")
    assert match_csv_files(gold, shuffled, ignore_order=True).passed
    assert match_csv_files(gold, shuffled, ignore_order=False).reason == "order_differs"
    noise = [[noisy(row[0], random), *row[1:]] for row in moved]
    match = match_csv_files(gold, written(tmp_path / "noisy.csv", noise, "p,q,r,s"), ignore_order=True)
    assert (match.passed, match.normalised) == (True, ("tolerance",))
    wrong = [list(row) for row in moved]
    wrong[0][1], wrong[1][1] = wrong[1][1], wrong[0][1]
    match = match_csv_files(gold, written(tmp_path / "wrong.csv", wrong, "p,q,r,s"), ignore_order=True)
    assert (match.passed, match.reason) == (False, "rows_scrambled")
    short = written(tmp_path / "short.csv", moved[:-1], "p,q,r,s")
    assert match_csv_files(gold, short, ignore_order=True).reason == "row_count"
    assert match_csv_files(gold, same, columns=[0], ignore_order=True).passed


def test_files_that_are_not_held_and_cannot_be_read(tmp_path: Path) -> None:
    good = written(tmp_path / "good.csv", [["1", "2"]], "a,b")
    ragged = written(tmp_path / "ragged.csv", [["1", "2"], ["3"]], "a,b")
    with pytest.raises(TableError) as caught:
        match_csv_files(good, ragged, ignore_order=True, options=CompareOptions())
    assert "ragged.csv" in caught.value.reason
    assert str(tmp_path) not in caught.value.reason
