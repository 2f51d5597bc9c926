"""Understanding, case by case as its module tells them; the numbers can be checked by hand."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.suites.codegen.scored import SHOP, understanding


def parts(question: str, code: str) -> tuple[float, float, float]:
    """The three parts as shares, 0 to 1."""
    found = understanding(question, code).details
    return (
        found.column_extraction_score / 0.4,
        found.nl_parsing_score / 0.3,
        found.statistical_understanding_score / 0.3,
    )


def test_the_example_by_hand() -> None:
    found = understanding(
        "average salary by city of people older than 30", 'result = df[df.age > 30].groupby("city").salary.sum()'
    )
    assert found.understanding_score == pytest.approx(0.4 + 0.3 + 0.15)
    assert found.details.statistical_understanding_score == pytest.approx(0.15)
    assert found.details.extracted_columns == ("age", "salary", "city")
    assert found.details.mentioned_columns == ("salary", "city")
    assert found.details.statistical_operations == ("sum", "groupby")


def test_the_contracts_shape() -> None:
    found = msgspec.to_builtins(understanding("average age", "result = df.age.mean()"))
    assert found == {
        "understanding_score": pytest.approx(1.0),
        "details": {
            "column_extraction_score": 0.4,
            "nl_parsing_score": 0.3,
            "statistical_understanding_score": 0.3,
            "extracted_columns": ("age",),
            "mentioned_columns": ("age",),
            "statistical_operations": ("mean",),
        },
    }


# -- columns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("average age and salary", "result = df[['age', 'salary']].mean()", 1.0),
        ("average age and salary", "result = df.age.mean()", 2 / 3),  # one of two, nothing else: 2 × 1 / (2 + 1)
        ("average age", "result = df.salary.mean()", 0.0),
        ("average age", "result = df[['age', 'salary']].mean()", 2 / 3),
        ("average age in Berlin", "result = df[df.city == 'Berlin'].age.mean()", 1.0),  # Berlin mentions city
        ("average age in Berlin", "result = df.age.mean()", 2 / 3),
        ("What is the average?", "result = df.age.mean()", 1.0),  # nothing mentioned; "average" is no age
        ("What is the average?", "result = 42", 0.0),
        ("names of people older than 30", "result = df[df.age > 30].name", 1.0),  # age is implied
        ("names of people older than 30", "result = df[df.age > 31].name", 2 / 3),
        ("how many people per city", "result = df.groupby('city').name.count()", 1.0),  # what is counted is implied
        ("how many people per city", "result = df.groupby('city').name.max()", 2 / 3),
    ],
)
def test_columns(question: str, code: str, share: float) -> None:
    assert parts(question, code)[0] == pytest.approx(share)


def test_keys_of_a_join_are_implied() -> None:
    code = "result = orders.merge(customers, on='customer_id').groupby('country').amount.sum()"
    assert understanding("total amount by country", code, SHOP).understanding_score == pytest.approx(1.0)


# -- language ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("top 3 by salary", "result = df.nlargest(3, 'salary')", 1.0),
        ("top 3 by salary", "result = df.sort_values('salary', ascending=False).head(3)", 1.0),
        ("top 3 by salary", "result = df.sort_values('salary').tail(3)", 1.0),
        ("top 3 by salary", "result = df.nlargest(5, 'salary')", 0.5),
        ("top 3 by salary", "result = df.sort_values('salary', ascending=False)", 0.5),
        ("top 3 by salary", "result = df.nsmallest(3, 'salary')", 0.0),
        ("top 3 by salary", "result = df.sort_values('salary').head(3)", 0.0),
        ("top 3 by salary", "result = df.head(3)", 0.0),
        ("the top earner", "result = df.sort_values('salary', ascending=False)", 1.0),
        ("the top earner", "result = df.loc[df.salary.idxmax()]", 1.0),
        ("bottom 2 by age", "result = df.nsmallest(2, 'age')", 1.0),
        ("bottom 2 by age", "result = df.sort_values('age')[:2]", 1.0),
        ("bottom 2 by age", "result = df.nlargest(2, 'age')", 0.0),
        ("age over 30", "result = df[df.age > 30]", 1.0),
        ("age over 30 and salary below 9", "result = df[df.age > 30]", 0.5),
        ("top 3 by salary with age over 30", "result = df.nlargest(3, 'salary')", 0.5),
        ("only the managers", "result = df[df.name == 'x']", 1.0),
        ("only the managers", "result = df", 0.0),
        ("all people", "result = df", 1.0),
        ("all people", "result = 42", 0.0),
    ],
)
def test_language(question: str, code: str, share: float) -> None:
    assert parts(question, code)[1] == pytest.approx(share)


# -- statistics -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "code", "share"),
    [
        ("mean age", "result = df.age.mean()", 1.0),
        ("mean age", "result = df.groupby('city').age.agg('mean')", 1.0),
        ("mean age", "result = np.mean(df.age)", 1.0),
        ("mean age", "result = df.age.describe()", 1.0),
        ("mean age", "result = df.age.sum() / len(df)", 1.0),
        ("mean age", "result = df.age.sum()", 0.0),
        ("mean age", "result = df.age.agg(['mean', 'sum'])", 2 / 3),  # 2 × 1 / (2 × 1 + 0 + 1)
        ("sum of age", "result = df.age.sum()", 1.0),
        ("sum of age", "result = df.age.mean()", 0.0),
        ("maximum age", "result = df.age.max()", 1.0),
        ("maximum age", "result = df.nlargest(1, 'age')", 1.0),
        ("maximum age", "result = df.age.idxmax()", 1.0),
        ("maximum age", "result = df.sort_values('age', ascending=False).age.iloc[0]", 1.0),
        ("maximum age", "result = df.age.min()", 0.0),
        ("minimum age", "result = df.sort_values('age').head(1)", 1.0),
        ("minimum age", "result = df.age.max()", 0.0),
        ("how many people", "result = len(df)", 1.0),
        ("how many people", "result = df.shape[0]", 1.0),
        ("how many people", "result = (df.age > 3).sum()", 1.0),
        ("how many people", "result = df.name.nunique()", 1.0),
        ("how many people", "result = df.age.mean()", 0.0),
        ("mean age per city", "result = df.groupby('city').age.mean()", 1.0),
        ("mean age per city", "result = df.pivot_table(index='city', values='age')", 1.0),
        ("mean age per city", "result = df.age.mean()", 2 / 3),  # one of two
        ("count of people per city", "result = df.city.value_counts()", 1.0),
        ("mean age", "result = df.groupby('city').age.mean().max()", 1.0),  # a maximum besides is not held against it
        ("names", "result = df.name", 1.0),
        ("names", "result = (", 0.0),
    ],
)
def test_statistics(question: str, code: str, share: float) -> None:
    assert parts(question, code)[2] == pytest.approx(share)


# -- whatever is given ------------------------------------------------------------------------------------------------


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_scores_between_0_and_1(question: str, code: str) -> None:
    found = understanding(question, code)
    assert 0.0 <= found.understanding_score <= 1.0
    assert 0.0 <= found.details.column_extraction_score <= 0.4
    assert 0.0 <= found.details.nl_parsing_score <= 0.3
    assert 0.0 <= found.details.statistical_understanding_score <= 0.3


def test_code_that_cannot_be_read_scores_0() -> None:
    assert understanding("average age", "result = df.age.mean(").understanding_score == 0.0


def test_a_running_total_is_a_total() -> None:
    assert understanding("running total of salary", 'result = df["salary"].cumsum()').understanding_score == 1.0
