"""Copies with values that code easily takes for others: which flawed answers they find, and which right ones pass."""

from __future__ import annotations

import pytest

from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Columns, TableSource, Task
from tests.suites.codegen.tasks import judge_code

STAFF: Columns = {
    "staff_id": [f"S{number}" for number in range(1, 17)],
    "city": ["Oslo", "Rome", "Oslo", "Bern"] * 4,
    "pay": [4100, 3200, 3900, 2800, 3600, 3000, 5200, 3300, 2900, 4700, 3150, 4400, 3700, 2700, 3500, 4800],
    "joined": [*[2019, 2021, 2018] * 5, 2022],
    "active": [True] * 16,
    "drift": [12, -3, 4, 0, 25, 7, -1, 13, 2, 9, 18, -6, 5, 11, 1, 3],
}
SHARE = ("What share of staff is in Oslo?", "result = (staff.city == 'Oslo').mean()")
FOLDED = ("What share of staff is in Oslo?", "result = (staff.city.str.lower() == 'oslo').mean()")
TOTAL = ("What is the total pay by city?", "result = staff.groupby('city').pay.sum()")
TOP = ("List the pay of the three best paid staff, highest pay first.", "result = staff.nlargest(3, 'pay').pay")
GROUPS = (
    "What is the total pay by city? Staff without a city are a group of their own.",
    "result = staff.groupby('city', dropna=False).pay.sum()",
)
HIGHEST = ("What is the third highest pay?", "result = staff.pay.nlargest(3).iloc[-1]")
BANDS = ("How many staff are in each pay band of 1000?", "result = (staff.pay // 1000).value_counts()")
MOST_IN_OSLO = ("What is the highest pay in Oslo?", "result = staff[staff.city == 'Oslo'].pay.max()")
EARLY = ("How many staff joined before 2020?", "result = (staff.joined < 2020).sum()")
ACTIVE = ("What is the mean pay of active staff?", "result = staff[staff.active].pay.mean()")
DRIFT = ("How many drifts are more than 10?", "result = (staff.drift > 10).sum()")
PER_YEAR = (
    "Show the mean pay by city and year.",
    "result = staff.pivot_table(index='city', columns='joined', values='pay')",
)
BEST = ("What is the highest pay by city?", "result = staff.groupby('city').pay.max()")
COUNTED = ("How many staff are in each city?", "result = staff.city.value_counts()")
TWO_TOTALS = ("What is pay divided by year on average?", "result = staff.pay.sum() / staff.joined.sum()")

FOUND = {
    "a maximum by a first letter": ("similar", MOST_IN_OSLO, "result = staff[staff.city.str[0] == 'O'].pay.max()"),
    "the years that were seen": ("beyond", EARLY, "result = staff.joined.isin([2018, 2019]).sum()"),
    "the size of a number of either sign": ("limits", DRIFT, "result = (staff.drift.abs() > 10).sum()"),
    "rows left out before the largest": ("beyond", BEST, "result = staff[staff.pay > 3050].groupby('city').pay.max()"),
    "equal numbers of an unused column": (
        "ties",
        COUNTED,
        "result = staff.drop_duplicates('drift').city.value_counts()",
    ),
    "a flag that is always true": ("limits", ACTIVE, "result = staff.pay.mean()"),
    "a group of nulls is dropped": ("unseen_nulls", GROUPS, "result = staff.groupby('city').pay.sum()"),
    "missing numbers counted": ("unseen_nulls", TOTAL, "result = staff.groupby('city').pay.agg(lambda x: sum(x))"),
    "by its first letter": ("similar", SHARE, "result = staff.city.str.startswith('O').mean()"),
    "by a part": ("similar", SHARE, "result = staff.city.str.contains('sl').mean()"),
    "case is not folded": ("letter_case", FOLDED, "result = (staff.city == 'Oslo').mean()"),
    "equal numbers dropped": ("ties", TOTAL, "result = staff.drop_duplicates('pay').groupby('city').pay.sum()"),
    "numbers as a set": ("ties", TOTAL, "result = staff.groupby('city').pay.agg(lambda pay: sum(set(pay)))"),
    "numbers in the order of texts": (
        "digits",
        TOP,
        "result = staff.sort_values('pay', key=lambda pay: pay.astype(str), ascending=False).head(3).pay",
    ),
}
RIGHT = {
    "an equal test": (SHARE, "result = staff.city.eq('Oslo').sum() / len(staff)"),
    "folded otherwise": (FOLDED, "result = staff.city.str.upper().eq('OSLO').mean()"),
    "case=False": (FOLDED, "result = staff.city.str.fullmatch('oslo', case=False).mean()"),
    "another total": (TOTAL, "result = staff.pivot_table(index='city', values='pay', aggfunc='sum')"),
    "another top": (TOP, "result = staff.sort_values('pay', ascending=False).head(3).pay"),
    "the third of different numbers": (HIGHEST, "result = sorted(set(staff.pay.dropna()))[-3]"),
    "a null group is kept": (
        TOTAL,
        "import duckdb\nresult = duckdb.sql('select city, sum(pay) p from staff group by city').df()",
    ),
    "a group of nulls in a query": (
        GROUPS,
        "import duckdb\nresult = duckdb.sql('select city, sum(pay) p from staff group by city').df()",
    ),
    "a group without a number": (TOTAL, "result = staff.groupby('city').pay.sum(min_count=1)"),
    "a condition turned round": (EARLY, "result = (~(staff.joined >= 2020)).sum()"),
    "a group without a number has a row": (PER_YEAR, "result = staff.groupby(['city', 'joined']).pay.mean().unstack()"),
    "both columns missing": (TWO_TOTALS, "result = staff.pay.mean() / staff.joined.mean()"),
    "bands by text": (BANDS, "result = staff.pay.dropna().astype(int).astype(str).str[0].astype(int).value_counts()"),
}


def judged(question: str, reference: str, code: str) -> tuple[bool, object]:
    task = Task(tables={"staff": TableSource(columns=STAFF)}, reference=reference)
    found = judge_code(code, question=question, task=task, options=Options(performance=False)).correctness
    return found.passed, found.evidence.get("wrong_on")


@pytest.mark.parametrize(("kind", "asked", "code"), FOUND.values(), ids=FOUND.keys())
def test_a_flawed_answer_is_found(kind: str, asked: tuple[str, str], code: str) -> None:
    assert judged(*asked, code) == (False, kind)


@pytest.mark.parametrize(("asked", "code"), RIGHT.values(), ids=RIGHT.keys())
def test_another_right_answer_passes(asked: tuple[str, str], code: str) -> None:
    assert judged(*asked, code) == (True, None)


@pytest.mark.parametrize("asked", [SHARE, FOLDED, TOTAL, TOP, HIGHEST, BANDS, GROUPS])
def test_no_reference_is_accused(asked: tuple[str, str]) -> None:
    assert judged(*asked, asked[1]) == (True, None)
