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
}
SHARE = ("What share of staff is in Oslo?", "result = (staff.city == 'Oslo').mean()")
FOLDED = ("What share of staff is in Oslo?", "result = (staff.city.str.lower() == 'oslo').mean()")
TOTAL = ("What is the total pay by city?", "result = staff.groupby('city').pay.sum()")
TOP = ("List the pay of the three best paid staff, highest pay first.", "result = staff.nlargest(3, 'pay').pay")
HIGHEST = ("What is the third highest pay?", "result = staff.pay.nlargest(3).iloc[-1]")
BANDS = ("How many staff are in each pay band of 1000?", "result = (staff.pay // 1000).value_counts()")

FOUND = {
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


@pytest.mark.parametrize("asked", [SHARE, FOLDED, TOTAL, TOP, HIGHEST, BANDS])
def test_no_reference_is_accused(asked: tuple[str, str]) -> None:
    assert judged(*asked, asked[1]) == (True, None)
