"""What no changed copy breaks: pairs that are never equal, hierarchies, and values that the reference names."""

from __future__ import annotations

import random

import pytest

from karat.suites.codegen.analysis import analyse
from karat.suites.codegen.options import Options
from karat.suites.codegen.perturb.copies import PLAN, Copier
from karat.suites.codegen.perturb.hierarchies import names_own_rows, rejoined, rooted
from karat.suites.codegen.perturb.labels import relabelling
from karat.suites.codegen.perturb.profile import profiles_of
from karat.suites.codegen.perturb.reference_results import hints_of
from karat.suites.codegen.records import Columns, Schema, TableSource, Task
from tests.suites.codegen.tasks import judge_code

TEAMS = ["Lyon", "Nice", "Lens", "Metz"]
MATCHES: Columns = {
    "home": [TEAMS[n % 4] for n in range(24)],
    "guest": [TEAMS[(n + 1 + n // 8) % 4] for n in range(24)],
    "goals": [n * 7 % 5 for n in range(24)],
    "conceded": [n * 3 % 4 for n in range(24)],
}
STAFF: Columns = {
    "emp": list(range(1, 13)),
    "name": ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lea"],
    "boss": [None, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6],
    "pay": [90, 70, 68, 52, 51, 50, 49, 42, 41, 40, 39, 38],
}
BOOKS: Columns = {
    "isbn": [f"978-{n:04}" for n in range(8)],
    "title": ["Dune", "Emma", "Ulysses", "Beloved", "Walden", "Middlemarch", "Hamlet", "Kim"],
    "stock": [3, 1, 4, 1, 5, 9, 2, 6],
    "wanted": [2, 7, 1, 8, 2, 8, 1, 8],
}
LOANS: Columns = {
    "loan": list(range(101, 125)),
    "isbn": [f"978-{n * 5 % 7:04}" for n in range(24)],
    "days": [n * 11 % 19 + 1 for n in range(24)],
}
NOTES: Columns = {
    "note": [
        "slow delivery",
        "ok",
        "good service",
        "good service",
        "slow delivery",
        "Great price",
        "would buy again",
        "good service",
        "ok",
        "bad packaging, slow",
        "Great price",
        "bad packaging, slow",
        "good service",
        "would buy again",
        "good service",
        "good service",
        "bad packaging, slow",
        "good service",
        "ok",
        "ok",
        "Great price",
        "good service",
        "ok",
        "Great price",
        "would buy again",
        "would buy again",
    ],
    "score": [2, 2, 3, 4, 4, 1, 3, 5, 2, 5, 1, 4, 4, 2, 3, 5, 5, 1, 4, 2, 2, 5, 5, 5, 3, 5],
}
STOCK: Columns = {
    "sku": ["bolt-m4", "bolt-m6", "nut-m4", "nut-m6", "washer", "hinge", "screw-3", "screw-5", "bracket", "clamp"],
    "on_hand": [120, 80, 300, 15, 0, 44, 500, 230, 9, 61],
    "reorder_at": [100, 100, 150, 50, 20, 40, 250, 250, 10, 60],
}
SURVEY: Columns = {
    "country": [
        "FR",
        "FR",
        "ES",
        "ES",
        "DE",
        "DE",
        "DE",
        "DE",
        "FR",
        "DE",
        "DE",
        "FR",
        "ES",
        "ES",
        "DE",
        "FR",
        "DE",
        "DE",
        "ES",
        "DE",
        "FR",
        "DE",
        "FR",
        "DE",
        "ES",
        "DE",
    ],
    "age": [57, 66, 79, 40, 23, 42, 47, 46, 68, 34, 49, 75, 48, 39, 58, 70, 60, 45, 62, 30, 34, 42, 54, 73, 75, 49],
}


def copier(tables: dict[str, Columns], reference: str) -> Copier:
    schema = Schema({name: tuple(columns) for name, columns in tables.items()})
    return Copier(tables, hints_of(reference, facts=analyse(reference, schema)))


def every_copy(tables: dict[str, Columns], reference: str) -> list[tuple[str, dict[str, Columns]]]:
    made = copier(tables, reference)
    return [(kind, copy) for kind, seed in PLAN if (copy := made.copy(kind, seed)) is not None]


def test_no_team_plays_itself() -> None:
    assert profiles_of({"matches": MATCHES})["matches"].apart == (("home", "guest"),)
    for kind, copy in every_copy({"matches": MATCHES}, "result = matches[matches.home == 'Lyon'].goals.sum()"):
        rows = zip(copy["matches"]["home"], copy["matches"]["guest"], strict=True)
        assert all(home != guest for home, guest in rows), kind


def test_columns_that_chance_would_keep_apart_are_free() -> None:
    few: Columns = {"first": ["a", "b", "c", "d"], "second": ["b", "c", "d", "a"], "n": [1, 2, 3, 4]}
    assert profiles_of({"few": few})["few"].apart == ()


def test_everybody_has_a_boss_who_is_there_and_no_circle() -> None:
    about = profiles_of({"staff": STAFF})["staff"]
    assert about.columns["boss"].parent == ("staff", "emp") and not about.is_parent
    for kind, copy in every_copy({"staff": STAFF}, "result = staff.groupby('boss').pay.mean()"):
        table = copy["staff"]
        assert {*table["boss"]} <= {None, *table["emp"]}, kind
        assert rooted(table["emp"], table["boss"]) == list(range(len(table["emp"]))), kind


def test_who_is_above_whom() -> None:
    pick = random.Random(0)
    assert rejoined([1, 2], [None, 1], pick) == [None, 1]
    assert rejoined([1, 2], [None, 9], pick) == [None, 1]  # nobody else is there
    assert rejoined([1, 2], [2, 1], pick) == [2, None]  # no circle
    assert rooted([1, 2, 3, 4], [None, 1, 4, 3]) == [0, 1]
    assert not names_own_rows("quantity", [2, 1], [1, 2]) and not names_own_rows("boss", [1, 1], [1, 2])
    assert names_own_rows("managerId", [None, 1], [1, 2])


def test_a_number_that_is_also_an_id_of_its_own_table_names_no_row_of_it() -> None:
    visits: Columns = {"visit_id": list(range(1, 25)), "guest_id": [11 + n % 5 for n in range(24)], "fee": [5, 8] * 12}
    guests: Columns = {"guest_id": [11, 12, 13, 14, 15], "name": ["Ada", "Ben", "Cleo", "Dan", "Eva"]}
    tables = {"visits": visits, "guests": guests}
    assert profiles_of(tables)["visits"].columns["guest_id"].parent == ("guests", "guest_id")
    assert profiles_of({"visits": visits})["visits"].columns["guest_id"].parent is None
    assert copier(tables, "result = visits.fee.sum()").copy("nulls", 0) is None  # nothing is missing, nothing changes


def test_a_row_that_a_query_names_stays() -> None:
    reference = "result = loans.merge(books, on='isbn').query(\"title == 'Dune'\").days.sum()"
    for kind, copy in every_copy({"books": BOOKS, "loans": LOANS}, reference):
        assert "Dune" in copy["books"]["title"], kind


def test_a_title_gets_another_number() -> None:
    about = profiles_of({"books": BOOKS, "loans": LOANS})["books"]
    assert about.loose_keys(BOOKS) == ["title"]
    numbered: Columns = {
        "id": [7, 3, 9, 4],
        "email": ["a7@x", "b3@x", "c9@x", "d4@x"],
        "name": ["Bo", "Al", "Di", "Cy"],
    }
    assert profiles_of({"people": numbered})["people"].loose_keys(numbered) == ["name"]  # the number is in the address
    countries: Columns = {"code": ["DE", "FR", "IT", "ES"], "name": ["Germany", "France", "Italy", "Spain"]}
    assert profiles_of({"countries": countries})["countries"].loose_keys(countries) == []  # these are known by heart


def test_texts_with_a_named_part_are_not_swapped() -> None:
    labels = relabelling({"notes": NOTES}, {"slow"})
    assert set(labels) == {"ok", "good service", "Great price", "would buy again"}


DUNE = ("Total days for the book 'Dune'.", "result = loans.merge(books, on='isbn').query(\"title=='Dune'\").days.sum()")
LOW = ("Which items are below their reorder level?", "result = stock[stock.on_hand < stock.reorder_at].sku.tolist()")
SLOW = ("How many comments mention the word slow?", "result = int(notes.note.str.contains('slow').sum())")
WORD = ("How many comments have the word slow?", r"result = int(notes.note.str.contains(r'\bslow\b').sum())")
OLD = (
    "Which country has the largest number of people older than 60?",
    "result = survey[survey.age > 60].country.value_counts().idxmax()",
)
LYON = (
    "How many goals were there in matches of Lyon?",
    "h, a = matches[matches.home == 'Lyon'], matches[matches.guest == 'Lyon']\n"
    "result = (h.goals + h.conceded).sum() + (a.goals + a.conceded).sum()",
)

FOUND = {
    "a number known by heart": (DUNE, "result = loans[loans.isbn == '978-0000'].days.sum()", "values"),
    "a limit one above the largest": (
        ("How many points did each person score?", "result = points.groupby('who').score.sum()"),
        "result = points[points.score < 10].groupby('who').score.sum()",
        "limits",
    ),
    "equal is not less": (LOW, "result = stock[stock.on_hand <= stock.reorder_at].sku.tolist()", "limits"),
    "the texts that were seen": (
        SLOW,
        "result = notes.note.isin(['slow delivery', 'bad packaging, slow']).sum()",
        "similar",
    ),
    "a part of the word": (WORD, "result = int(notes.note.str.contains('low').sum())", "similar"),
    "at either end": (
        SLOW,
        "result = int((notes.note.str.startswith('slow') | notes.note.str.endswith('slow')).sum())",
        "similar",
    ),
}
RIGHT = {
    "the first of the named rows": (
        DUNE,
        "i = books.loc[books.title == 'Dune', 'isbn'].iloc[0]\nresult = loans[loans.isbn == i].days.sum()",
    ),
    "words": (SLOW, "result = notes.note.str.findall(r'\\w+').map(lambda words: 'slow' in words).sum()"),
    "a tie that reversed rows do not show": (
        OLD,
        "result = survey[survey.age > 60].groupby('country').size().idxmax()",
    ),
    "a match counts once": (
        LYON,
        "m = matches[(matches.home == 'Lyon') | (matches.guest == 'Lyon')]\n"
        "result = m[['goals', 'conceded']].sum().sum()",
    ),
}
POINTS: Columns = {
    "who": [["Ann", "Bea", "Cal"][n % 3] for n in range(24)],
    "score": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4],
}
TABLES = {
    "points": POINTS,
    "books": BOOKS,
    "loans": LOANS,
    "notes": NOTES,
    "matches": MATCHES,
    "stock": STOCK,
    "survey": SURVEY,
}


def judged(asked: tuple[str, str], code: str) -> tuple[bool, object]:
    tables = {name: TableSource(columns=columns) for name, columns in TABLES.items() if name in asked[1]}
    task = Task(tables=tables, reference=asked[1])
    found = judge_code(code, question=asked[0], task=task, options=Options(performance=False)).correctness
    return found.passed, found.evidence.get("wrong_on")


@pytest.mark.parametrize(("asked", "code", "kind"), FOUND.values(), ids=FOUND.keys())
def test_a_flawed_answer_is_found(asked: tuple[str, str], code: str, kind: str) -> None:
    assert judged(asked, code) == (False, kind)


@pytest.mark.parametrize(("asked", "code"), RIGHT.values(), ids=RIGHT.keys())
def test_a_right_answer_passes(asked: tuple[str, str], code: str) -> None:
    assert judged(asked, code) == (True, None)
