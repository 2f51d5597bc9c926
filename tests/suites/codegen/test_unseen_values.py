"""Copies with values that the tables do not show: other codes and texts, longer times, parents without children."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise, product
from typing import Any

import pytest

from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.change import Hints
from karat.suites.codegen.perturb.copies import Copier
from karat.suites.codegen.perturb.kinds.grids import renamed
from karat.suites.codegen.perturb.kinds.limits import Limit
from karat.suites.codegen.perturb.kinds.missing import Missing
from karat.suites.codegen.perturb.reference_results import hints_of
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.records import Columns, Schema, TableSource, Task
from tests.suites.codegen.tasks import judge_code

DAYS = [datetime(2024, 3, 25) + timedelta(days=day) for day in range(12)]
WEATHER: Columns = {
    "station": [station for _, station in product(DAYS, "ABC")],
    "day": [day for day, _ in product(DAYS, "ABC")],
    "rain": [(place * 37 % 23) / 2 for place in range(36)],
}
HITS: Columns = {
    "path": ["/", "/item/12", "/cart", "/item/7", "/search?q=tea", "/item/12"] * 6,
    "status": [(200, 302, 404, 500)[place * place % 13 % 4] for place in range(36)],
    "stars": [1 + place * 7 % 5 % 3 for place in range(36)],
    "bike": [101 + place * 3 % 7 for place in range(36)],
    "ms": [100 + place * 7 % 41 for place in range(36)],
}
START = datetime(2024, 1, 29, 8)
TICKETS: Columns = {
    "ticket": [f"T{place}" for place in range(86, 106)],
    "opened": [START + timedelta(hours=7 * place) for place in range(20)],
    "closed": [START + timedelta(hours=7 * place, minutes=40 + place * 631 % 2900) for place in range(20)],
    "agent": ["ana", "bill", "carl", "dora"] * 5,
}
PEOPLE: Columns = {
    "person": [
        "Moss, Jen",
        "Ray, Al",
        "Denholm, Roy",
        "Goth, Zoe",
        "Bell, Tess",
        "Vance, Lily",
        "Kent, Sam",
        "Olsen, Jim",
    ],
    "paid_by": ["card", "Card", "cash", "CARD ", "cash", "card", "cash", "card"],
}
STATIONS: Columns = {"id": [3, 5, 8, 13, 21, 34], "name": ["Dock", "Market", "Museum", "Park", "Tower", "Zoo"]}
TRIPS: Columns = {
    "start_id": [(3, 5, 8, 13, 21)[place % 5] for place in range(60)],
    "end_id": [(3, 5, 8, 13, 21, 34)[place * place % 11 % 6] for place in range(60)],
}


def copied(tables: dict[str, Columns], hints: Hints, kind: str, seed: int = 0) -> dict[str, Columns]:
    made = Copier(tables, hints).copy(kind, seed)
    assert made is not None
    return made


def using(*columns: str, **more: Any) -> Hints:
    return Hints(missing=Missing(used=frozenset(columns), readable=True), **more)


def is_complete(table: Columns) -> bool:
    return len(table["rain"]) == len(set(table["station"])) * len(set(table["day"]))


@pytest.mark.parametrize("kind", ["smaller", "beyond", "limits", "gaps"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_table_with_every_pair_keeps_every_pair(kind: str, seed: int) -> None:
    hints = using("station", "day", "rain", limits=(Limit("day", "2024-05-01"), Limit("rain", "5")))
    made = copied({"weather": WEATHER}, hints, kind, seed)["weather"]
    assert is_complete(made)
    days = sorted(set(made["day"]))
    if kind != "gaps":  # the days follow each other
        assert {after - before for before, after in pairwise(days)} == {timedelta(days=1)}


@pytest.mark.parametrize(
    ("other", "made"),
    [
        ({1: 2, 2: 3, 3: 9}, [2, 3, 9]),
        ({1: 2, 2: 3}, [1, 2, 3]),
        ({1: 7, 2: 7}, [7, 2, 3]),
        ({1: 2, 2: 9, 3: 9}, [2, 9, 3]),
        ({3: 1, 1: 2, 2: None}, [1, 2, 3]),
    ],
)
def test_two_members_never_become_one(other: dict[int, int | None], made: list[int]) -> None:
    assert renamed([1, 2, 3], other) == made


def test_days_that_rows_are_compared_by_get_no_gaps() -> None:
    assert Copier({"weather": WEATHER}, using("day", sequential=True)).copy("gaps", 0) is None
    moved = copied({"weather": WEATHER}, using("day", sequential=True), "beyond", 3)["weather"]
    assert {day.year for day in moved["day"]} == {2032}


def test_codes_with_gaps_and_numbers_of_things_get_new_members_and_ratings_none() -> None:
    seen = [copied({"hits": HITS}, using(*HITS), "new_category", seed)["hits"] for seed in (0, 1)]
    for made in seen:
        assert set(made["status"]) - set(HITS["status"]) and set(made["bike"]) - set(HITS["bike"])
        assert all(200 <= status <= 500 for status in made["status"])
        assert set(made["stars"]) <= {1, 2, 3}


def test_new_texts_differ_in_length_only_where_texts_do() -> None:
    people = [copied({"people": PEOPLE}, using("person"), "other_texts", seed)["people"]["person"] for seed in range(3)]
    assert any(len(one.split(", ")[1]) > 4 for made in people for one in made)
    assert all(", " in one for made in people for one in made)
    tickets = copied({"tickets": TICKETS}, using("ticket"), "other_texts", 2)["tickets"]["ticket"]
    assert tickets != TICKETS["ticket"] and all(one[0] == "T" and one[1:].isdigit() for one in tickets)
    paths = copied({"hits": HITS}, using("path", named=frozenset({"^/item/"})), "other_texts", 2)["hits"]["path"]
    assert any(one.startswith("/item/") and one not in HITS["path"] for one in paths)


def test_close_values_stay_within_the_range_and_never_repeat() -> None:
    numbers = [100 * (1 + place * 7 % 20) for place in range(20)]
    made = copied({"t": {"pay": numbers, "n": [1, 2] * 10}}, using("pay"), "close")["t"]["pay"]
    assert len(set(made)) == 20 and min(made) >= 100 and max(made) <= 2000
    assert any(abs(one - other) == 1 for one in made for other in made)


def test_times_between_two_dates_get_longer_and_meet_their_limit() -> None:
    day = timedelta(hours=24)
    longer = copied({"tickets": TICKETS}, using("opened", "closed"), "durations")["tickets"]
    known = [end - start for start, end in zip(TICKETS["opened"], TICKETS["closed"], strict=True)]
    assert max(end - start for start, end in zip(longer["opened"], longer["closed"], strict=True)) >= max(known) + day
    at = copied({"tickets": TICKETS}, using("opened", "closed", numbers=(24,)), "durations", 1)["tickets"]
    found = {end - start for start, end in zip(at["opened"], at["closed"], strict=True)}
    assert day in found and found & {day - timedelta(seconds=1), day + timedelta(seconds=1)}


def test_nothing_points_to_some_parents_where_that_was_so_before() -> None:
    made = copied({"trips": TRIPS, "stations": STATIONS}, Hints(), "childless")
    assert len(set(made["trips"]["end_id"])) < len(set(TRIPS["end_id"]))
    everywhere = {"trips": {"start_id": STATIONS["id"] * 5}, "stations": STATIONS}
    assert Copier(everywhere, Hints()).copy("childless", 0) is None


def test_parents_get_twins_and_limits_without_a_new_row() -> None:
    orders: Columns = {
        "order_id": list(range(1, 21)),
        "status": ["paid", "open", "paid", "sent"] * 5,
        "weight": [place * 7 % 31 + 0.5 for place in range(20)],
    }
    items: Columns = {"order_id": [1 + place % 20 for place in range(40)], "qty": [place % 5 for place in range(40)]}
    hints = using(
        "status", "weight", named=frozenset({"paid"}), equal_texts=frozenset({"paid"}), limits=(Limit("weight", "12"),)
    )
    made = copied({"orders": orders, "items": items}, hints, "similar")["orders"]
    assert len(made["status"]) == 20 and "paid" in made["status"] and set(made["status"]) - set(orders["status"])
    assert 12 in copied({"orders": orders, "items": items}, hints, "limits")["orders"]["weight"]


def test_what_the_reference_makes_equal_comes_in_other_spellings() -> None:
    hints = hints_of("result = int(t.paid_by.str.strip().str.lower().eq('card').sum())")
    assert hints.strips and hints.folds_case
    texts = copied({"t": PEOPLE}, hints, "blanks")["t"]["paid_by"]
    assert any(one.startswith(" ") for one in texts)
    several = {"t": {"paid_by": PEOPLE["paid_by"] * 4}}
    assert {"cARD", "cArD"} & set(copied(several, hints, "letter_case")["t"]["paid_by"])


def test_hours_beginnings_and_other_places() -> None:
    hints = hints_of("result = int(t.at.dt.hour.isin([7, 8]).sum())")
    assert hints.hours and {7, 8} <= set(hints.numbers)
    times: Columns = {"at": [datetime(2024, 6, 1, 5) + timedelta(minutes=97 * place) for place in range(20)]}
    limits = copied({"t": times}, using("at", hours=True, numbers=(7, 8)), "limits")["t"]["at"]
    assert {(7, 0, 0), (6, 59, 59), (9, 0, 0)} <= {(one.hour, one.minute, one.second) for one in limits}
    titles: Columns = {"title": ["The Fox", "Blue Hour", "Lost Keys", "The Well", "Iron Gate", "Old Map", "Night Bus"]}
    like = using("title", named=frozenset({"The "}), beginnings=frozenset({"The "}))
    made = set(copied({"t": titles}, like, "similar")["t"]["title"]) - set(titles["title"])
    assert any(" The " in one for one in made) and any(one[:3] == "The" and one[3] != " " for one in made)


SALES: Columns = {
    "day": [f"2024-03-{1 + place % 6:02}" for place in range(18)],
    "kind": ["in", "out", "in"] * 6,
    "qty": [place * 5 % 17 + 1 for place in range(18)],
}


def held(code: str, table: Columns, reference: str, question: str) -> Correctness:
    task = Task(tables={"t": TableSource(columns=table)}, reference=reference)
    return judge_code(code, question=question, task=task, options=Options(performance=False)).correctness


DAILY = "d = t[t.kind == 'in']\nresult = d.groupby('day').qty.sum()"
SPELLED = "result = int(t.paid_by.str.strip().str.lower().eq('card').sum())"
ANSWERS = {
    "days without a known value may be left out": (
        "d = t[(t.kind == 'in') & t.qty.notna()]\nresult = d.groupby('day').qty.sum()",
        SALES,
        DAILY,
        "How many pieces came in (kind in) on each day? Return day and qty.",
        True,
    ),
    "the spellings that are there": (
        "result = int(t.paid_by.isin(['card', 'Card', 'CARD ']).sum())",
        PEOPLE,
        SPELLED,
        "How many were paid by card, whatever the case and the blanks around it?",
        False,
    ),
    "seconds of a difference": (
        "result = ((t.closed - t.opened).dt.seconds / 3600).groupby(t.agent).max()",
        {**TICKETS, "closed": [one + timedelta(minutes=30 + one.hour * 37) for one in TICKETS["opened"]]},
        "result = ((t.closed - t.opened).dt.total_seconds() / 3600).groupby(t.agent).max()",
        "What is the longest time in hours that a ticket of each agent was open?",
        False,
    ),
    "one of two days with as many rows": (
        "s = t['at'].dt.normalize().value_counts()\nresult = s.index[0]",
        {"at": [datetime(2024, 3, 1 + place * 7 % 13 % 9 * (place % 5 > 0), 6 + place % 12) for place in range(30)]},
        "s = t.groupby(t['at'].dt.normalize()).size()\nresult = s.idxmax()",
        "Which day has the most rows?",
        True,
    ),
    "codes that are there": (
        "result = {s: int((t.status == s).sum()) for s in (200, 302, 404, 500)}",
        HITS,
        "result = t.groupby('status').size()",
        "How many hits are there for each status?",
        False,
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_on_unseen_values(name: str) -> None:
    code, table, reference, question, right = ANSWERS[name]
    found = held(code, table, reference, question)
    assert found.passed == right, found.evidence
    assert right or found.reason == "only_fits_this_data"


@pytest.mark.parametrize(
    ("question", "orders"),
    [
        ("Number the staff of each dept by start, the earliest is 1. Return name, dept and rank.", False),
        ("Give each person a rank by pay, equal pay shares the smallest rank.", False),
        ("Add a rank column by pay; the highest pay is rank 1.", False),
        ("Rank the staff by pay.", True),
        ("Select name and dept and rank them by pay.", True),
        ("Return name and rank, sorted by pay.", True),
        ("List the staff by rank.", True),
    ],
)
def test_a_rank_that_is_a_column_puts_no_rows_in_order(question: str, orders: bool) -> None:
    assert bool(read_question(question, Schema({"staff": ("name", "dept", "pay", "start")})).ordering) is orders
