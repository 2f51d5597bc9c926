"""What a question asks for, by hand; and any text at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.codegen.analysis.records import Filter
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.question.vocabulary import vocabulary_for
from karat.suites.codegen.records import Schema

SCHEMA = Schema(
    {"people": ("name", "age", "salary", "city", "total_sales", "max_speed", "hireDate", "Department", "x")}
)
VALUES = {"city": ["Berlin", "New York"], "Department": ["Sales", "IT"]}


def asked(question: str) -> Asked:
    return read_question(question, SCHEMA, values=VALUES)


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("What is the average?", ()),
        ("the average age", ("age",)),
        ("AGES and Salaries of all", ("age", "salary")),
        ("total sales of each city", ("total_sales", "city")),
        ("the hire date, or hire_date, or hireDate", ("hireDate",)),
        ("x marks the spot", ()),
        ("the values of column x", ("x",)),
        ("the values of `x`", ("x",)),
        ("How many cities are in 'total_sales'?", ("city", "total_sales")),
        ("agenda, passage, manager", ()),
        ("totalsales or TotalSales", ("total_sales",)),
    ],
)
def test_mentioned_columns(question: str, columns: tuple[str, ...]) -> None:
    assert asked(question).columns == columns


@pytest.mark.parametrize(
    ("question", "statistics"),
    [
        ("mean salary", ("mean",)),
        ("the total salary and the number of people", ("sum", "count")),
        ("average max speed", ("mean",)),  # max_speed is a column: no maximum is asked for
        ("Who has the highest salary?", ("max",)),
        ("the lowest age", ("min",)),
        ("Who made the most sales?", ("max",)),
        ("Which city has the fewest people?", ("min",)),
        ("salary at least 5", ()),
        ("the total number of people", ("count",)),
        ("mean salary by city", ("mean", "groupby")),
        ("sum of salary for each department", ("sum", "groupby")),
    ],
)
def test_statistics(question: str, statistics: tuple[str, ...]) -> None:
    assert asked(question).statistics == statistics


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("age older than 30", [("age", ">", "30")]),
        ("more than 5 salaries", [("salary", ">", "5")]),
        ("salary of at least $50,000", [("salary", ">=", "50000")]),
        ("age between 20 and 30", [("age", ">=", "20"), ("age", "<=", "30")]),
        ("age of 65 or older", [("age", ">=", "65")]),
        ("age > 30 and salary <= 1000.5", [("age", ">", "30"), ("salary", "<=", "1000.5")]),
        ("where name is 'Ann'", [("name", "==", "Ann")]),
        ("everybody in New York", [("city", "==", "New York")]),
        ("rows where age is missing", [("age", "isnull", "")]),
        ("rows where age is not missing", [("age", "notnull", "")]),
        ("names of people older than 30", [("", ">", "30")]),
        ("salary of people whose age is over 30", [("age", ">", "30")]),
        ("how many missing values in the age column", [("age", "isnull", "")]),
        ("excluding everybody in New York", [("city", "!=", "New York")]),
        ("everybody not in New York", [("city", "!=", "New York")]),
        ("without rows where age is missing", [("age", "notnull", "")]),
        ("the mean of 3 numbers", []),
        ("the ages with a threshold of 3", []),
        ("fill the missing values of age with the mean", []),
        ("city other than 'Berlin'", [("city", "!=", "Berlin")]),
    ],
)
def test_conditions(question: str, conditions: list[tuple[str, str, str]]) -> None:
    assert list(asked(question).conditions) == [Filter(*condition) for condition in conditions]


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("mean salary by city and department", ("city", "Department")),
        ("count of people per city, department", ("city", "Department")),
        ("sorted by age", ()),
        ("the mean salary sorted by age", ()),
        ("total salary, top 3 names by salary", ()),
        ("top 3 total salary by city", ("city",)),
        ("median salary by city", ("city",)),
        ("the mean of salary divided by age", ()),
        ("show the age by name", ()),  # no statistic: nothing to group
    ],
)
def test_group_keys(question: str, keys: tuple[str, ...]) -> None:
    assert asked(question).group_keys == keys


def test_top_and_bottom() -> None:
    assert asked("top 5 by salary").top == (5,)
    assert asked("the three largest salaries").top == (3,)
    assert asked("the top earners").top == (None,)
    assert asked("the 2 youngest").bottom == (2,)
    assert asked("the largest salary").top == ()


def test_order_and_joins() -> None:
    assert asked("sorted by age in descending order").ordering == ("sorted", "descending order", "descending")
    assert asked("top 3").ordering == ("top or bottom",)
    assert asked("just the names").ordering == ()
    two = Schema({"a": ("id",), "b": ("id",)})
    assert read_question("combine both tables", two).joining
    assert not asked("combine the figures").joining
    assert asked("merge it with itself").joining


def test_columns_of_several_tables_ask_for_a_join() -> None:
    two = Schema({"orders": ("customer", "amount"), "customers": ("customer", "country")})
    assert read_question("total amount by country", two).joining
    assert not read_question("total amount by customer", two).joining


def test_an_order_that_was_bought_is_no_order_of_rows() -> None:
    assert asked("the average order of each city").ordering == ()
    assert asked("Order the cities by age").ordering == ("order the",)


def test_between_two_columns_is_no_filter() -> None:
    assert not asked("the difference between age and salary").filtering
    assert asked("age between 20 and 30").filtering


@given(st.text(max_size=300), st.lists(st.text(min_size=1, max_size=12), max_size=5, unique=True))
def test_any_text_can_be_read(question: str, columns: list[str]) -> None:
    found = read_question(question, Schema({"t": tuple(columns)}))
    assert set(found.columns) <= set(columns)
    assert set(found.group_keys) <= set(columns)


@given(
    st.lists(
        st.sampled_from(
            [
                "by",
                "per",
                "for",
                "each",
                "top",
                "5",
                "between",
                "3",
                "and",
                "7",
                "age",
                "city",
                "mean",
                "where",
                "is",
                "not",
                ">",
                "'Ann'",
                ",",
            ]
        ),
        max_size=25,
    )
)
def test_any_order_of_the_vocabularys_words_can_be_read(words: list[str]) -> None:
    found = asked(" ".join(words))
    assert all(condition.column in {"", *SCHEMA.columns} for condition in found.conditions)


PEOPLE = Schema({"people": ("name", "age", "salary", "city", "date")})
BOUGHT = Schema({"orders": ("order_id", "customer_id", "amount", "order_date")})


@pytest.mark.parametrize(
    "question",
    [
        "List the people, smaller date ahead",
        "Let the smaller date come first",
        "Return the names, latest first",
        "names, earliest date first, please",
        "names with the most recent date on top",
        "put the biggest salary at the top",
        "higher salaries ahead of lower ones",
        "show the names in chronological order",
        "names, reverse chronological",
        "Ranked by salary, who earns what?",
        "a ranking of people by salary",
        "from the highest salary to the lowest",
        "salary from largest to smallest",
        "people, oldest to newest",
        "names A to Z",
        "salaries, low to high",
        "Keep the order of the rows",
        "Double each salary and keep the order",
        "the salaries in the same order as the input",
        "names in the same order",
        "Preserve the order",
        "without changing the order of rows",
        "the order should be preserved",
        "The order of the rows must not change",
        "retain the original row order",
        "different cities in order of appearance",
        "names, higher salary coming before lower salary",
        "the better paid before the others",
        "older people precede younger ones",
        "names starting with the highest salary",
        "names, beginning from the most recent date",
        "names by salary from the highest downwards",
        "people from the oldest on",
        "from richest to poorest",
        "the highest-paid first",
        "put the highest salary at the head of the list",
        "Order people by salary desc",
        "names A-Z",
        "names in lexicographic order",
        "dates from past to present",
        "people over 30 as they come in the table",
        "people over 30 in table order",
        "the order of the rows should stay as is",
        "leave the order untouched",
        "names, priciest first",
        "salaries going up",
        "people over 30, the rows as they are in the table",
        "Order of the output: by date, then by name",
        "names in the sequence in which they first appear",
        "The lower the salary, the higher up the row",
        "names, starting with the one with the highest salary",
        "the same people in reversed order",
    ],
)
def test_an_order_is_asked_for_in_many_words(question: str) -> None:
    assert read_question(question, PEOPLE).ordered


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("Sort by city, then by salary descending", "city salary"),
        ("Sort the people by city in ascending order and by salary in descending order", "city salary"),
        ("List the people ordered by city, then by salary from highest to lowest", "city salary"),
        ("Arrange by city (A-Z), age and salary.", "city age salary"),
        ("Sort by city and show the name and salary", "city"),
        ("List name and salary sorted by city", "city"),
        ("Sort by city with name and salary", "city"),
        ("Sortiere nach city, dann nach salary absteigend", "city salary"),
        ("Die Personen nach city und salary sortiert, mit name und age", "city salary"),
        ("Trie les personnes par city, puis par salary décroissant", "city salary"),
        ("Ordena las personas por city y luego por salary descendente", "city salary"),
        ("What are the salaries in ascending order?", ""),
    ],
)
def test_the_columns_that_rows_are_sorted_by(question: str, keys: str) -> None:
    known = vocabulary_for("auto", question)
    assert read_question(question, PEOPLE, words_known=known).order_keys == tuple(keys.split())


@pytest.mark.parametrize(
    ("question", "schema"),
    [
        ("In order to see the trend, compute the mean salary", PEOPLE),
        ("salaries of the same order of magnitude", PEOPLE),
        ("people between 2019 and 2020", PEOPLE),
        ("salary from 2019 to 2020", PEOPLE),
        ("first name of the oldest person", PEOPLE),
        ("What is the largest salary?", PEOPLE),
        ("people whose salary is higher than the average", PEOPLE),
        ("keep only the first row of each city", PEOPLE),
        ("the salary before the latest date", PEOPLE),
        ("names starting with A of people with the highest salary", PEOPLE),
        ("people whose salary is higher than that of the others", PEOPLE),
        ("salary down to the last cent", PEOPLE),
        ("leave out the lowest salary", PEOPLE),
        ("Keep rows where age is over 30", PEOPLE),
        ("highest salary in the last month", PEOPLE),
        ("the lowest salary to be paid", PEOPLE),
        ("What is the order id?", BOUGHT),
        ("amount by order id", BOUGHT),
        ("How many things were ordered in 2020?", BOUGHT),
        ("Which order has the highest amount?", BOUGHT),
        ("customers who bought both in the same order", BOUGHT),
        ("keep the order with the largest amount", BOUGHT),
        ("total amount of each order", BOUGHT),
    ],
)
def test_the_noun_alone_asks_for_no_order(question: str, schema: Schema) -> None:
    found = read_question(question, schema)
    assert not found.ordered, (found.ordering, found.keeps_order)


@pytest.mark.parametrize(
    ("question", "direction"),
    [
        ("smaller date ahead", "ascending"),
        ("latest date first", "descending"),
        ("smallest salary at the bottom", "descending"),
        ("from the highest salary to the lowest", "descending"),
        ("lowest to highest salary", "ascending"),
        ("lower salaries before higher ones", "ascending"),
        ("starting with the highest salary", "descending"),
        ("from the lowest salary up", "ascending"),
        ("the better paid before the rest", "descending"),
        ("oldest first", ""),  # the largest age, or the smallest date
    ],
)
def test_the_direction_of_an_order(question: str, direction: str) -> None:
    said = {"ascending", "descending"} & set(read_question(question, PEOPLE).ordering)
    assert said == ({direction} if direction else set())


def test_to_keep_an_order_is_not_to_sort() -> None:
    found = read_question("Double each salary and keep the order", PEOPLE)
    assert found.keeps_order and found.ordering == ()
    assert read_question("orders by amount, highest first", BOUGHT).ordered
    assert read_question("the amounts in the same order as the table", BOUGHT).ordered


def test_a_small_word_is_no_value_unless_it_is_written_like_one() -> None:
    values = {"city": ["IT", "NO", "Oslo"]}
    plain = read_question("Total salary per age where it is above 3 and no name is missing", PEOPLE, values=values)
    assert not [one for one in plain.conditions if one.column == "city"]
    written = read_question("Total salary of people in IT", PEOPLE, values=values)
    assert [(one.column, one.value) for one in written.conditions] == [("city", "IT")]
