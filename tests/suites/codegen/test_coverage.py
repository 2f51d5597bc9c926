"""Coverage, case by case as its module tells them; the numbers can be checked by hand."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.codegen.analysis.records import Filter
from karat.suites.codegen.metrics.requirements.matching import credit, met
from tests.suites.codegen.scored import SHOP, coverage


def test_the_example_by_hand() -> None:
    found = coverage(
        "top 3 names by salary in Berlin with age over 30", 'result = df[df.age > 30].nsmallest(3, "salary")'
    )
    assert found.coverage_score == pytest.approx(0.15 + 0.3 + 0.0 + 0.2)
    assert found.details.missing_requirements == ("Filter missing: city == Berlin", "Top 3: missing")


def test_the_contracts_shape() -> None:
    found = msgspec.to_builtins(coverage("merge both", "result = df.age.mean()"))
    assert found == {
        "coverage_score": pytest.approx(0.8),
        "details": {
            "filter_conditions_coverage": 1.0,
            "groupby_columns_coverage": 1.0,
            "sorting_coverage": 1.0,
            "join_conditions_coverage": 0.0,
            "missing_requirements": ("Join/merge operation missing",),
        },
    }


# -- filters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("age over 30", "result = df[df.age > 30]", 1.0),
        ("age over 30", "result = df[df.age > 30.0]", 1.0),
        ("age over 30", "result = df[df.age >= 30]", 0.0),
        ("age over 30", "result = df[df.age > 31]", 0.0),
        ("age over 30", "result = df[df.salary > 30]", 0.5),  # the right comparison of another column
        ("age over 30", "limit = df.age.mean()\nresult = df[df.age > limit]", 0.5),  # compared with no constant
        ("people older than 30", "result = df[df.age > 30]", 1.0),  # no column named: any
        ("age over 30 and salary below 9", "result = df[(df.age > 30) & (df.salary < 9)]", 1.0),
        ("age over 30 and salary below 9", "result = df[df.salary < 9]", 0.5),
        ("age over 30 and salary over 30", "result = df[df.age > 30]", 0.5),  # one filter meets one condition
        ("age between 20 and 30", "result = df[df.age.between(20, 30)]", 1.0),
        ("age between 20 and 30", "result = df[df.age >= 20]", 0.5),
        ("people in berlin", "result = df[df.city == 'Berlin']", 1.0),
        ("people in Berlin or Paris", "result = df[df.city.isin(['Paris', 'Berlin'])]", 1.0),
        ("people in Berlin", "result = df[df.city.str.contains('Berlin')]", 0.5),
        ("people in Berlin", "result = df[df.city != 'Berlin']", 0.0),
        ("age is missing", "result = df[df.age.isna()]", 1.0),
        ("age is not missing", "result = df.dropna(subset=['age'])", 1.0),
        ("only some", "result = df.head(3)", 1.0),
        ("only some", "result = df", 0.0),
        ("everything", "result = df", 1.0),
        ("everything", "result = 42", 0.0),
    ],
)
def test_filters(question: str, code: str, share: float) -> None:
    assert coverage(question, code).details.filter_conditions_coverage == pytest.approx(share)


def test_as_many_conditions_as_possible_are_met() -> None:
    anything, age = Filter("", ">", "30"), Filter("age", ">", "30")
    filters = [Filter("age", ">", "30"), Filter("salary", ">", "30")]
    assert [share for share, _ in met([anything, age], filters)] == [1.0, 1.0]
    assert [share for share, _ in met([anything, age], filters[1:])] == [1.0, 0.0]
    assert [share for share, _ in met([], filters)] == []


def test_numbers_are_compared_as_numbers_and_text_without_case() -> None:
    assert credit(Filter("a", "==", "1000"), Filter("a", "==", "1e3")) == 1.0
    assert credit(Filter("a", "==", "Ann"), Filter("a", "==", "ANN ")) == 1.0
    assert credit(Filter("a", "==", "1"), Filter("a", "==", "one")) == 0.0


# -- groups, order, joins
# -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("mean age by city and department", "result = df.groupby(['city', 'department']).age.mean()", 1.0),
        ("mean age by city and department", "result = df.groupby('city').age.mean()", 0.5),
        ("mean age by city and department", "result = df.age.mean()", 0.0),
        ("mean age by city", "result = df.pivot_table(index='city', values='age')", 1.0),
        ("count per team", "result = df.groupby('department').size()", 1.0),  # no column is named: any groups
        ("count per team", "result = len(df)", 0.0),
    ],
)
def test_groups(question: str, code: str, share: float) -> None:
    assert coverage(question, code).details.groupby_columns_coverage == pytest.approx(share)


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("sorted by age", "result = df.sort_values('age')", 1.0),
        ("sorted by age", "result = df.sort_values('age', ascending=False)", 1.0),  # no direction is said
        ("sorted by age", "result = df", 0.0),
        ("age in descending order", "result = df.sort_values('age', ascending=False)", 1.0),
        ("age in descending order", "result = df.sort_values('age')", 0.0),
        ("age in ascending order", "result = sorted(df.age)", 1.0),
        ("top 3 by age", "result = df.nlargest(3, 'age')", 1.0),
        ("top 3 by age", "result = df.nlargest(4, 'age')", 0.5),
        ("top 3 by age", "result = df.nsmallest(3, 'age')", 0.0),
        ("top 3 by age, sorted ascending", "result = df.nlargest(3, 'age')", 0.5),
        ("top 3 and bottom 2 by age", "result = pd.concat([df.nlargest(3, 'age'), df.nsmallest(2, 'age')])", 1.0),
    ],
)
def test_sorting(question: str, code: str, share: float) -> None:
    assert coverage(question, code).details.sorting_coverage == pytest.approx(share)


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("join both tables", "result = orders.merge(customers)", 1.0),
        ("total amount by country", "result = orders.merge(customers).groupby('country').amount.sum()", 1.0),
        ("total amount by country", "result = orders.amount.sum()", 0.0),
        ("total amount", "result = orders.amount.sum()", 1.0),
    ],
)
def test_joins(question: str, code: str, share: float) -> None:
    assert coverage(question, code, SHOP).details.join_conditions_coverage == pytest.approx(share)


# -- whatever is given ------------------------------------------------------------------------------------------------


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_scores_between_0_and_1(question: str, code: str) -> None:
    found = coverage(question, code)
    assert 0.0 <= found.coverage_score <= 1.0


def test_code_that_cannot_be_read_misses_everything() -> None:
    found = coverage("top 3 by age in Berlin", "result = (")
    assert found.coverage_score == 0.0
    assert found.details.missing_requirements == (
        "Code cannot be parsed",
        "Filter missing: city == Berlin",
        "Top 3: missing",
    )


def test_a_constant_misses_everything() -> None:
    found = coverage("all people", "result = 42")
    assert found.coverage_score == 0.0
    assert found.details.missing_requirements == ("No table goes into the result",)


EITHER = "How many people are older than 30 or in Berlin?"
BOTH = "How many people are older than 30 and in Berlin?"
JOINED = {
    "or": (
        'df[(df.age > 30) | (df.city == "Berlin")]',
        "df.query(\"age > 30 or city == 'Berlin'\")",
        "df.query(\"age > 30 | city == 'Berlin'\")",
        'df[np.logical_or(df.age > 30, df.city == "Berlin")]',
        'df[~((df.age <= 30) & (df.city != "Berlin"))]',
        'df.loc[df.age.gt(30) | df.city.isin(["Berlin"])]',
        'df[(df.age > 30) + (df.city == "Berlin")]',
        '[row for _, row in df.iterrows() if row.age > 30 or row.city == "Berlin"]',
    ),
    "and": (
        'df[(df.age > 30) & (df.city == "Berlin")]',
        'df[df.age > 30][df.city == "Berlin"]',
        "df.query(\"age > 30 and city == 'Berlin'\")",
        'df.query("age > 30").query("city == \'Berlin\'")',
        'df[np.logical_and(df.age > 30, df.city == "Berlin")]',
        'df[~((df.age <= 30) | (df.city != "Berlin"))]',
        '[row for _, row in df.iterrows() if row.age > 30 and row.city == "Berlin"]',
    ),
}


@pytest.mark.parametrize(("word", "rows"), [(word, rows) for word, forms in JOINED.items() for rows in forms])
def test_conditions_are_joined_as_the_question_joins_them(word: str, rows: str) -> None:
    right, wrong = (EITHER, BOTH) if word == "or" else (BOTH, EITHER)
    full = coverage(right, f"result = len({rows})")
    assert full.coverage_score == 1 and full.details.missing_requirements == ()
    part = coverage(wrong, f"result = len({rows})")
    assert part.details.filter_conditions_coverage == pytest.approx(2 / 3)  # both conditions, the wrong word
    assert part.details.missing_requirements[0].startswith(f'Filters joined by "{word}": ')


@pytest.mark.parametrize(
    ("question", "rows", "full"),
    [
        ("people in Berlin or Paris", 'df[df.city.isin(["Berlin", "Paris"])]', True),
        ("people in Berlin and Paris", 'df[df.city.isin(["Berlin", "Paris"])]', True),  # nobody is in both
        ("people in Berlin or Paris", "df.query(\"city in ['Berlin', 'Paris']\")", True),
        ("people in Berlin or Paris", 'df[(df.city == "Berlin") & (df.city == "Paris")]', False),
        ("people in Berlin or Paris", 'df[df.city == "Berlin"][df.city == "Paris"]', False),
        ("people not in Berlin or Paris", 'df[~df.city.isin(["Berlin", "Paris"])]', True),
        ("people not in Berlin or Paris", 'df[(df.city != "Berlin") & (df.city != "Paris")]', True),
        ("people not in Berlin or Paris", 'df[(df.city != "Berlin") | (df.city != "Paris")]', False),
        ("people with salary between 10 and 20", "df[df.salary.between(10, 20)]", True),
        ("people with salary between 10 and 20", "df[(df.salary >= 10) | (df.salary <= 20)]", False),
        ("people in Berlin or Paris", 'pd.concat([df[df.city == "Berlin"], df[df.city == "Paris"]])', True),
        (
            "people in Berlin with age over 30",
            'df[(df.city == "Berlin") & (df.age > 30)]',
            True,
        ),  # no word, nothing asked
    ],
)
def test_values_of_one_column_are_one_or_the_other(question: str, rows: str, full: bool) -> None:
    found = coverage(question, f"result = len({rows})")
    assert (found.details.filter_conditions_coverage == 1) == full
