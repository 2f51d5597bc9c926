"""CSV files that are not held: what passes is right, and what is not certain says so."""

from __future__ import annotations

import csv
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karat.tables.options import CompareOptions
from karat.tables.outofcore.columns import mappings
from karat.tables.outofcore.compare import match_csv_files
from karat.tables.table import TableError
from tests.tables.brute_force import same_tables
from tests.tables.test_brute_force import OPTIONS, two_tables
from tests.tables.test_numbers import pairs as number_pairs

Rows = list[list[str | None]]


def written(path: Path, rows: Rows, header: str) -> Path:
    with path.open("w", newline="") as file:
        file.write(header + "\n")
        csv.writer(file, lineterminator="\n").writerows([text or "" for text in row] for row in rows)
    return path


def made(count: int, random: Random) -> Rows:
    return [
        [str(1_000_000 + row), f"name {row % 70}", repr(random.uniform(-50, 1000)), repr(random.uniform(0, 1))]
        for row in range(count)
    ]


def noisy(text: str | None, random: Random) -> str:
    return repr(float(text or 0) * (1 + random.uniform(-9e-5, 9e-5)))


class Files:
    """Gold as made, and predictions beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.random = Random(9)
        self.rows = made(3_000, self.random)
        self.gold = written(folder / "gold.csv", self.rows, "id,name,value,part")

    def match(self, rows: Rows, header: str = "p,q,r,s", *, ignore_order: bool = True, **options: Any) -> Any:
        pred = written(self.folder / "pred.csv", rows, header)
        return match_csv_files(self.gold, pred, ignore_order=ignore_order, **options)

    def shuffled(self, rows: Rows) -> Rows:
        return self.random.sample(rows, len(rows))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_moved_and_shuffled(files: Files) -> None:
    moved = [[row[2], row[0], row[3], row[1]] for row in files.rows]
    assert files.match(moved, ignore_order=False).mapping == (1, 3, 0, 2)
    assert files.match(files.shuffled(moved)).passed
    assert files.match(files.shuffled(moved), ignore_order=False).reason == "order_differs"
    assert files.match(moved, columns=[0]).passed


def test_noise_with_columns_renamed_and_moved(files: Files) -> None:
    """The ends and sums of the columns tell which is which."""
    noise = [[noisy(row[3], files.random), noisy(row[2], files.random), row[1], row[0]] for row in files.rows]
    match = files.match(files.shuffled(noise))
    assert (match.passed, match.mapping, match.normalised) == (True, (3, 2, 1, 0), ("tolerance",))


def test_two_columns_that_only_rows_tell_apart(tmp_path: Path) -> None:
    """The same numbers in both, so that the first mapping that is tried may be the wrong one."""
    gold: Rows = [[str(row), repr(row * 0.37), repr((2_999 - row) * 0.37)] for row in range(3_000)]
    pred: Rows = [[a, repr(float(c or 0) * 1.00001), repr(float(b or 0) * 1.00001)] for a, b, c in gold]
    one, two = written(tmp_path / "gold.csv", gold, "a,b,c"), written(tmp_path / "pred.csv", pred[::-1], "p,q,r")
    match = match_csv_files(one, two, ignore_order=True)
    assert (match.passed, match.mapping) == (True, (0, 2, 1))


def test_the_mappings_that_are_tried() -> None:
    assert list(mappings([[0], [1, 2], [1, 2]])) == [[0, 1, 2], [0, 2, 1]]
    assert list(mappings([[0, 1]])) == [[0], [1]]
    assert list(mappings([[0], [0]])) == []


def test_wrong_rows(files: Files) -> None:
    wrong = [list(row) for row in files.rows]
    wrong[0][1], wrong[1][1] = wrong[1][1], wrong[0][1]
    match = files.match(wrong)
    assert (match.passed, match.settled, match.reason) == (False, True, "rows_scrambled")
    assert files.match(files.rows[:-1]).reason == "row_count"


def test_ids_are_not_taken_for_their_neighbours(files: Files) -> None:
    """Each id is one more: within the tolerance of numbers this large, and another thing."""
    match = files.match([[str(int(row[0] or 0) + 1), *row[1:]] for row in files.rows])
    assert not match.passed


def test_small_probabilities_have_a_small_tolerance(tmp_path: Path) -> None:
    one = written(tmp_path / "gold.csv", [["a", "1.5e-20"], ["b", "2.5e-20"]], "k,x")
    two = written(tmp_path / "pred.csv", [["a", "7.5e-20"], ["b", "8.5e-20"]], "k,x")
    assert not match_csv_files(one, two, ignore_order=True).passed


def test_what_was_not_tried_is_said(files: Files) -> None:
    dates = [[row[0], f"2020-01-{int(row[0] or 0) % 28 + 1:02d}", *row[2:]] for row in files.rows]
    files.gold = written(files.folder / "gold.csv", dates, "id,day,value,part")
    match = files.match([[a, f"{day} 00:00:00", c, d] for a, day, c, d in dates])
    assert (match.passed, match.settled, match.reason) == (False, False, "missing_column")
    assert match.evidence["columns"] == [{"gold": "day"}]
    assert "not tried" in match.evidence["not_tried"]
    changed = [[a, day, noisy(c, files.random), d] for a, day, c, d in dates]
    changed[7][2] = repr(float(changed[7][2] or 0) * 1.01)
    other = files.match(changed)
    assert (other.passed, other.settled, other.evidence["different_rows"]) == (False, True, 1)


def test_rounding_is_forgiven_and_said(files: Files) -> None:
    rounded = [[a, name, f"{float(c or 0):.2f}", d] for a, name, c, d in files.rows]
    match = files.match(files.shuffled(rounded))
    assert (match.passed, match.normalised) == (True, ("rounding", "tolerance"))
    away = files.match([[a, name, c, f"{float(d or 0):.0f}"] for a, name, c, d in files.rows])
    assert not away.passed


def test_ids_longer_than_a_float_holds_are_told_apart(tmp_path: Path) -> None:
    ids: Rows = [[str(9007199254740993 + 2 * row), "x" if row % 3 else None] for row in range(50)]
    ids += [["123456789012345678901234567890", "y"], [None, "z"]]
    gold = written(tmp_path / "gold.csv", ids, "id,name")
    same = [[f"{text}.0" if text else None, name] for text, name in ids[::-1]]
    assert match_csv_files(gold, written(tmp_path / "same.csv", same, "p,q"), ignore_order=True).passed
    for place in (0, 50):
        wrong = [list(row) for row in same]
        wrong[-1 - place][0] = str(int(ids[place][0] or 0) - 1)
        match = match_csv_files(gold, written(tmp_path / "wrong.csv", wrong, "p,q"), ignore_order=True)
        assert (match.passed, match.settled) == (False, True)


def test_accents_are_written_in_one_way(tmp_path: Path) -> None:
    gold = written(tmp_path / "gold.csv", [["Zu\u0308rich", "1"], ["Bern", "2"]], "city,n")
    pred = written(tmp_path / "pred.csv", [["Bern", "2"], ["Z\u00fcrich", "1"]], "city,n")
    assert match_csv_files(gold, pred, ignore_order=True).passed


def test_numbers_that_are_nowhere_near(files: Files) -> None:
    """Nothing but a wrong column can be far from every column of plain numbers."""
    match = files.match([[*row[:2], repr(float(row[2] or 0) * 100), row[3]] for row in files.rows])
    assert (match.passed, match.settled, match.reason) == (False, True, "missing_column")
    assert match.evidence["columns"] == [{"gold": "value"}]
    assert files.match([row[:3] for row in files.rows], "p,q,r").settled


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables=two_tables(), ignore_order=st.booleans(), options=OPTIONS)
def test_a_pass_and_a_missing_column_are_never_wrong(
    tmp_path_factory: pytest.TempPathFactory, tables: Any, ignore_order: bool, options: CompareOptions
) -> None:
    """Every row begins with the same word, so that none is a blank line."""
    gold, pred = ([["row", *(text or None for text in row)] for row in table] for table in tables)
    folder = tmp_path_factory.mktemp("files")
    one = written(folder / "gold.csv", gold, ",".join(f"g{index}" for index in range(len(gold[0]))))
    two = written(folder / "pred.csv", pred, ",".join(f"p{index}" for index in range(len(pred[0]))))
    match = match_csv_files(one, two, ignore_order=ignore_order, options=options)
    if match.passed or (match.settled and match.reason == "missing_column"):
        assert match.passed == same_tables(gold, pred, ignore_order=ignore_order, options=options)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    good = written(tmp_path / "good.csv", [["1", "2"]], "a,b")
    ragged = written(tmp_path / "ragged.csv", [["1", "2"], ["3"]], "a,b")
    with pytest.raises(TableError) as caught:
        match_csv_files(good, ragged, ignore_order=True, options=CompareOptions())
    assert "ragged.csv" in caught.value.reason
    assert str(tmp_path) not in caught.value.reason


@pytest.mark.parametrize("scrambled", [[2], [3], [1], [2, 3], [0]])
@pytest.mark.parametrize("extra", [False, True])
def test_scrambled_columns_are_settled_where_the_headers_decide(
    files: Files, scrambled: list[int], extra: bool
) -> None:
    columns = [list(column) for column in zip(*files.rows, strict=True)]
    for place in scrambled:
        files.random.shuffle(columns[place])
    header = "id,name,value,part"
    if extra:
        columns.append(columns[2])
        header += ",copy"
    match = files.match(files.shuffled([list(row) for row in zip(*columns, strict=True)]), header)
    assert (match.passed, match.settled, match.reason) == (False, True, "rows_scrambled")


def test_one_changed_number_is_settled(files: Files) -> None:
    changed = [list(row) for row in files.rows]
    changed[7][2] = repr(float(changed[7][2] or 0) + 300)
    match = files.match(files.shuffled(changed), "id,name,value,part")
    assert (match.passed, match.settled, match.reason) == (False, True, "values_differ")
    assert match.evidence["columns"] == [{"gold": "value", "nearest": "value"}]
    changed[7][2] = repr(float(files.rows[7][2] or 0) + 3)
    match = files.match(files.shuffled(changed), "id,name,value,part")
    assert (match.passed, match.settled, match.reason) == (False, True, "values_differ")
    assert match.evidence["different_rows"] == 1


def test_one_changed_text_is_settled(files: Files) -> None:
    changed = [list(row) for row in files.rows]
    changed[7][1] = "another name"
    match = files.match(files.shuffled(changed), "id,name,value,part")
    assert (match.passed, match.settled, match.reason) == (False, True, "values_differ")
    assert match.evidence["columns"] == [{"gold": "name", "nearest": "name"}]


def test_rows_that_tolerance_could_explain_are_not_refuted(tmp_path: Path) -> None:
    """The same texts in both, in other rows, and each within the tolerance of the one it stands for."""
    one = written(tmp_path / "gold.csv", [["a", "1.00001"], ["b", "1.00002"]], "k,x")
    two = written(tmp_path / "pred.csv", [["a", "1.00002"], ["b", "1.00001"]], "k,x")
    match = match_csv_files(one, two, ignore_order=True)
    assert (match.passed, match.settled) == (False, False)
    assert "mappings of columns tried: 1" in match.evidence["not_tried"]


@pytest.mark.parametrize(
    "texts",
    [
        ["10.001%", "10.002%"],
        ["1.00001", "1.00002", "x"],
        ["2020-01-01 10:00+00:00", "2020-01-01 11:00+01:00"],
        ["2020-01-01 10:00:00.1234561", "2020-01-01 10:00:00.1234562"],
        ["NULL", None],
        ["\u00a05", "\u00a05.0"],
        ["0.124", "0.12"],
    ],
)
def test_texts_that_may_mean_the_same_are_not_refuted(tmp_path: Path, texts: list[str | None]) -> None:
    """The first two change places: equal all the same."""
    gold: Rows = [[f"k{place}", text] for place, text in enumerate(texts)]
    pred: Rows = [["k0", texts[1]], ["k1", texts[0]], *gold[2:]]
    assert same_tables(gold, pred, ignore_order=True, options=CompareOptions())
    one, two = written(tmp_path / "gold.csv", gold, "k,x"), written(tmp_path / "pred.csv", pred, "k,x")
    match = match_csv_files(one, two, ignore_order=True)
    assert match.passed or not match.settled


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=st.lists(st.tuples(st.sampled_from("ab"), number_pairs(), number_pairs()), min_size=2, max_size=6),
    ordered=st.booleans(),
)
def test_what_is_settled_is_so_by_the_rule_for_numbers(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], ordered: bool
) -> None:
    """Numbers that are moved a little, rounded or written in another way, some of them in other rows."""
    gold: Rows = [[key, one[0], two[0]] for key, one, two in rows]
    pred: Rows = [[key, one[1], two[1]] for key, one, two in rows]
    folder = tmp_path_factory.mktemp("files")
    one, two = written(folder / "gold.csv", gold, "k,x,y"), written(folder / "pred.csv", pred[::-1], "k,x,y")
    if ordered:
        two = written(folder / "pred.csv", pred, "k,x,y")
    match = match_csv_files(one, two, ignore_order=not ordered)
    if match.settled:
        assert match.passed == same_tables(gold, pred, ignore_order=not ordered, options=CompareOptions())
