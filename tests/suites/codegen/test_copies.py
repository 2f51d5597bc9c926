"""What changed copies hold, and what they never do: looked at as tables, without running code."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from karat.suites.codegen.analysis import analyse
from karat.suites.codegen.perturb.copies import Copier
from karat.suites.codegen.perturb.kinds.linked_rows import LinkedRows
from karat.suites.codegen.perturb.kinds.missing import missing_of, nothing_is_zero
from karat.suites.codegen.perturb.kinds.near_misses import folds_case_in_sql
from karat.suites.codegen.perturb.kinds.out_of_range import end_of_scale, moved
from karat.suites.codegen.perturb.profile import profiles_of
from karat.suites.codegen.perturb.reference_results import NOTHING_ASKED, hints_of
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import Columns, Schema

BANK: Columns = {
    "kind": [*["deposit", "fee", "withdrawal"] * 5, "fee"],
    "account": ["A1", "B2", "C3", "D4"] * 4,
    "amount": [n + 20.25 for n in range(16)],
    "rating": [*[1, 2, 3, 4, 5] * 3, 2],
    "share": [7 * n % 16 / 20 for n in range(16)],
    "booked": [f"2024-03-{day:02}" for day in range(1, 17)],
}
SCHEMA = Schema({"bank": tuple(BANK)})


def copies(reference: str, kind: str, asked: Asked = NOTHING_ASKED) -> list[Columns]:
    copier = Copier({"bank": BANK}, hints_of(reference, asked, analyse(reference, SCHEMA)))
    return [copy["bank"] for seed in (0, 1) if (copy := copier.copy(kind, seed)) is not None]


def test_only_what_is_measured_or_not_used_goes_missing() -> None:
    found = copies("result = bank[bank.rating > 2].groupby('kind').amount.sum()", "unseen_nulls")
    missing = {name for copy in found for name, values in copy.items() if None in values}
    assert missing == {"amount", "share"}  # not the group, the condition, the date and the unused text


def test_measured_columns_are_missing_in_the_same_rows() -> None:
    (first, *_) = copies("result = (bank.amount * bank.share).sum()", "unseen_nulls")
    rows = [{row for row, value in enumerate(first[name]) if value is None} for name in ("amount", "share")]
    assert rows[0] == rows[1] != set()


def test_counted_texts_go_missing_and_code_that_cannot_be_read_leaves_all() -> None:
    (first, *_) = copies("result = bank.account.nunique()", "unseen_nulls")
    assert None in first["account"] and None not in first["kind"]
    assert not missing_of(analyse("result = getattr(bank, what)()", SCHEMA)).may("amount", "number")


def test_a_sum_over_nothing_is_zero() -> None:
    assert nothing_is_zero({"a": None, "b": [float("nan"), 2]}) == {"a": 0, "b": [0, 2]}


def test_numbers_and_dates_go_beyond_their_range() -> None:
    reference = "result = bank[(bank.amount > 23) & (bank.rating > 1) & (bank.share > 0)].booked.str[:7].value_counts()"
    found = copies(reference, "beyond")
    assert any(max(copy["amount"]) > 35.25 for copy in found)
    assert all(set(copy["rating"]) == {1, 2, 3, 4, 5} for copy in found)  # a rating has an end
    assert all(max(copy["share"]) <= 1 and min(copy["share"]) >= 0 for copy in found)
    assert {day[:4] for copy in found for day in copy["booked"]} > {"2024"}
    assert copies("result = len(bank)", "beyond") == []  # nothing is used


@pytest.mark.parametrize(("known", "end"), [([0.1, 0.9], 1), ([3, 99], 100), ([-1, 0.5], None), ([2, 480], None)])
def test_where_scales_end(known: list[float], end: float | None) -> None:
    assert end_of_scale(known) == (float("inf") if end is None else end)


def test_the_29th_of_february_of_another_year() -> None:
    assert moved(date(2024, 2, 29), 1) == date(2025, 2, 28)
    assert moved(date(9999, 1, 1), 10) == date(9999, 1, 1)


def test_twins_of_a_named_text() -> None:
    found = copies("result = bank[bank.account == 'A1'].amount.max()", "similar")
    new = {value for copy in found for value in copy["account"]} - set(BANK["account"])
    assert any(value.startswith("A") and len(value) == 2 for value in new)
    assert any(value.endswith("1") and not value.startswith("A") for value in new)
    assert "A11" in new  # whole cells are compared
    assert all(
        max(row for row, value in zip(copy["amount"], copy["account"], strict=True) if value in new) > 35
        for copy in found
    )


def test_a_question_that_names_all_members_leaves_no_other() -> None:
    question = "What is the sum of deposits minus withdrawals minus fees by account?"
    asked = read_question(question, SCHEMA, values={"kind": ["deposit", "fee", "withdrawal"], "account": ["A1", "B2"]})
    assert set(asked.mentioned) == {"deposit", "fee", "withdrawal"}
    reference = "s = bank.amount.where(bank.kind == 'deposit', -bank.amount)\nresult = s.groupby(bank.account).sum()"
    for kind in ("new_category", "similar"):
        assert all(set(copy["kind"]) == set(BANK["kind"]) for copy in copies(reference, kind, asked))
    assert any(set(copy["kind"]) > set(BANK["kind"]) for copy in copies(reference, "new_category"))


def test_limits_where_every_pair_is_there_once() -> None:
    grid: Columns = {
        "station": ["Bergen", "Oslo", "Tromso"] * 5,
        "date": [f"2024-01-{1 + n // 3:02}" for n in range(15)],
        "temp": [n / 2 - 3.25 for n in range(15)],
    }
    reference = "result = ((grid.station == 'Oslo') & (grid.temp < 0)).sum()"
    hints = hints_of(reference, facts=analyse(reference, Schema({"grid": tuple(grid)})))
    limits = Copier({"grid": grid}, hints).copy("limits", 0)
    assert limits is not None and 0 in limits["grid"]["temp"]
    assert limits["grid"]["station"] == grid["station"] and limits["grid"]["date"] == grid["date"]
    similar = Copier({"grid": grid}, hints).copy("similar", 0)
    assert similar is not None and len(set(similar["grid"]["station"])) == 4
    pairs = list(zip(similar["grid"]["station"], similar["grid"]["date"], strict=True))
    assert len(set(pairs)) == len(pairs) == 20


def test_both_limits_are_included_where_the_question_says_so() -> None:
    for question in ("How many are between 1 and 5 (both included)?", "How many are between 1 and 5, included?"):
        assert not read_question(question, SCHEMA).open_limits
    assert read_question("How many are between 1 and 5?", SCHEMA).open_limits


def test_case_is_folded_in_sql_too() -> None:
    assert folds_case_in_sql("SELECT 1 FROM t WHERE lower(a) = 'x'") and folds_case_in_sql("SELECT a ILIKE 'x'")
    assert not folds_case_in_sql("SELECT flower FROM t")


def test_columns_that_nobody_asked_for_have_other_names_in_each_table() -> None:
    copy = Copier({"bank": BANK, "rates": {"kind": ["fee", "deposit"], "rate": [1, 2]}}, hints_of("")).copy(
        "columns", 0
    )
    assert copy is not None and set(copy["bank"]) & set(copy["rates"]) == {"kind"}  # a natural join stays the same


LINKED: Columns = {
    "ordered": [f"2023-03-{1 + n:02}" for n in range(20)],
    "shipped": [f"2023-03-{3 + n + n % 3:02}" for n in range(20)],
    "price": [2.5 * (1 + n) for n in range(20)],
    "units": [1 + n % 7 for n in range(20)],
    "low": [10 + 7 * n % 20 for n in range(20)],
    "high": [14 + 7 * n % 20 + n % 5 for n in range(20)],
}
LINKED["total"] = [price * units for price, units in zip(LINKED["price"], LINKED["units"], strict=True)]


def linked_copies(reference: str, kind: str) -> list[Columns]:
    schema = Schema({"orders": tuple(LINKED)})
    copier = Copier({"orders": LINKED}, hints_of(reference, facts=analyse(reference, schema)))
    return [copy["orders"] for seed in (0, 1, 2) if (copy := copier.copy(kind, seed)) is not None]


@pytest.mark.parametrize(
    ("reference", "column", "values"),
    [
        ("result = (orders.total > 100).sum()", "total", {100, 99.9, 100.1}),
        ("result = (orders.ordered > '2023-03-10').sum()", "ordered", {"2023-03-10", "2023-03-11", "2023-03-09"}),
        ("result = (orders.shipped < '2023-02-01').sum()", "shipped", {"2023-02-01", "2023-02-02", "2023-01-31"}),
        ("result = (orders.high >= 30).sum()", "high", {29, 30, 31}),
    ],
)
def test_limits_of_columns_that_belong_to_others(reference: str, column: str, values: set[object]) -> None:
    found = linked_copies(reference, "limits")
    assert values <= {value for copy in found for value in copy[column]}
    assert_linked(found)


def test_dates_of_a_row_go_beyond_their_range_together() -> None:
    found = linked_copies("result = (orders.ordered.str[:4] == '2023').sum()", "beyond")
    assert {day[:4] for copy in found for day in copy["ordered"]} > {"2023"}
    assert_linked(found)


def assert_linked(found: list[Columns]) -> None:
    """Each order is shipped after it was ordered, and its total is price times units."""
    for copy in found:
        rows = [dict(zip(copy, values, strict=True)) for values in zip(*copy.values(), strict=True)]
        assert all(row["ordered"] < row["shipped"] and row["low"] <= row["high"] for row in rows)
        assert all(abs(row["price"] * row["units"] - row["total"]) < 0.01 for row in rows)


def test_what_belongs_to_a_cell_follows_or_nothing_changes() -> None:
    days = [date(2024, 1, 5) + timedelta(days=37 * n % 170) for n in range(18)]
    table: Columns = {
        "day": [day.isoformat() for day in days],
        "due": [(day + timedelta(days=9 + n % 4)).isoformat() for n, day in enumerate(days)],
        "month": [day.month for day in days],
        "word": [day.strftime("%B") for day in days],
        "product": [f"P{n % 3}" for n in range(18)],
        "price": [(3.5, 8.0, 21.0)[n % 3] for n in range(18)],
    }
    profile = profiles_of({"t": table})["t"]
    dated = LinkedRows(table, profile, ("day", "due", "month"))
    row = {name: values[0] for name, values in table.items()}
    assert dated.with_value(row, "day", "2024-02-29") == {**row, "day": "2024-02-29", "due": "2024-03-09", "month": 2}
    named = LinkedRows(table, profile, ("day", "month", "word"))
    assert named.with_value(row, "day", "2024-02-29") is None  # nobody knows how a month is called
    assert LinkedRows(table, profile, ("product", "price")).with_value(row, "price", 9.0) is None
    assert dated.with_value({**row, "due": None}, "day", "2024-02-29") is None


def test_dates_a_fixed_time_apart_move_together() -> None:
    days = [date(2022, 3, 1) + timedelta(days=7 * n % 60) for n in range(80)]  # each several times
    table: Columns = {
        "taken": [day.isoformat() for day in days],
        "due": [(day + timedelta(days=28)).isoformat() for day in days],
        "price": [n % 9 + 0.5 for n in range(80)],
        "taxed": [2 * (n % 9 + 0.5) for n in range(80)],
    }
    profile = profiles_of({"t": table})["t"]
    row = {name: values[0] for name, values in table.items()}
    dates = LinkedRows(table, profile, ("taken", "due")).with_value(row, "due", "2030-02-01")
    assert dates == {**row, "taken": "2030-01-04", "due": "2030-02-01"}
    prices = LinkedRows(table, profile, ("price", "taxed")).with_value(row, "price", 100.0)
    assert prices == {**row, "price": 100.0, "taxed": 200.0}


def test_months_without_a_day_and_a_region_are_a_key_together() -> None:
    """``pivot`` fails where a month and region are there twice, and ``pivot_table`` does not: both are right."""
    months = [f"2023-{month:02}" for month in range(1, 13) for _ in "abc"]
    sales: Columns = {
        "month": months,
        "region": ["north", "south", "west"] * 12,
        "sold": [n * 7 % 36 for n in range(36)],
    }
    copier = Copier({"sales": sales}, hints_of("result = sales.pivot_table(index='region', columns='month')"))
    assert copier.profiles["sales"].grid == ("month", "region")
    for kind in ("resampled", "new_category", "smaller", "duplicated"):
        copy = (copier.copy(kind, 0) or {"sales": sales})["sales"]
        pairs = list(zip(copy["month"], copy["region"], strict=True))
        assert len(set(pairs)) == len(pairs), kind


def test_names_in_order_lose_their_numbers_too() -> None:
    """``boss_id == 13`` for the people of Mara is right only while she has that number."""
    staff: Columns = {"emp_id": list(range(1, 9)), "name": list("ABCDEFGH"), "boss_id": [None, 1, 1, 2, 3, 2, 3, 4]}
    copier = Copier({"staff": staff}, hints_of("result = staff.name.max()"))
    copy = (copier.copy("values", 0) or {"staff": staff})["staff"]
    assert dict(zip(copy["name"], copy["emp_id"], strict=True)) != dict(
        zip(staff["name"], staff["emp_id"], strict=True)
    )


STAYS: Columns = {
    "ward": [*["A", "B", "C"] * 4],
    "at": [f"2024-03-{day:02}T0{day % 5 + 1}:15:00+02:00" for day in range(3, 27, 2)],
    "seen": [f"2024-03-{day:02}T{day % 5 + 10}:15:00Z" for day in range(3, 27, 2)],
    "day": [f"2024-03-{day:02}" for day in range(1, 25, 2)],
}


def stays(reference: str, kind: str) -> list[Columns]:
    hints = hints_of(reference, NOTHING_ASKED, analyse(reference, Schema({"stays": tuple(STAYS)})))
    copier = Copier({"stays": STAYS}, hints)
    return [copy["stays"] for seed in (0, 1) if (copy := copier.copy(kind, seed)) is not None]


def test_times_with_an_offset_are_drawn_again_in_their_form() -> None:
    for copy in stays("result = stays.ward.value_counts()", "resampled"):
        for name, end in (("at", "+02:00"), ("seen", "Z")):
            assert set(copy[name]) - set(STAYS[name]), "new moments"
            assert all(time.endswith(end) and len(time) == len(STAYS[name][0]) for time in copy[name])
        assert any(datetime.fromisoformat(time).astimezone(UTC).date().isoformat() != time[:10] for time in copy["at"])


@pytest.mark.parametrize(
    ("reference", "ends"),
    [
        ("result = (pd.to_datetime(stays.day).dt.month == 3).sum()", {"2024-03-01", "2024-03-31"}),
        ("result = stays.groupby(pd.to_datetime(stays.day).dt.to_period('M')).size()", {"2024-03-31"}),
        ("result = (pd.to_datetime(stays.day).dt.day == 3).sum()", set()),
    ],
)
def test_months_that_are_taken_have_their_last_day(reference: str, ends: set[str]) -> None:
    (copy, *_) = stays(reference, "limits") or [{"day": []}]
    assert ends <= set(copy["day"]) and ("2024-03-31" in copy["day"]) == bool(ends)
