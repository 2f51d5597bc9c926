"""Two queries part by part, and the sentence about it."""

from __future__ import annotations

import pytest
import sqlglot

from karat.suites.answers.text_to_sql.components import qualified
from karat.suites.answers.text_to_sql.components.difference import difference
from karat.suites.answers.text_to_sql.components.hardness import hardness, level
from karat.suites.answers.text_to_sql.components.parts import parts_of

SCHEMA = (("customer", ("id", "name", "country", "born")), ("sale", ("id", "customer_id", "amount", "day")))
JOINED = "select c.name, sum(s.amount) from customer c join sale s on s.customer_id = c.id"


@pytest.mark.parametrize(
    ("gold", "sql", "sentence"),
    [
        (
            f"{JOINED} where country = 'FR' group by c.id",
            "select T1.name, sum(T2.amount) from sale T2 join customer T1 on T1.id = T2.customer_id group by T1.name",
            "misses the filter `country = 'FR'`; groups by `name`, gold by `id`",
        ),
        (
            "select name from customer where country = 'FR'",
            "select name from customer where country = 'DE'",
            "filters by `country = 'DE'`, gold by `country = 'FR'`",
        ),
        (
            "select name from customer c left join sale s on s.customer_id = c.id",
            "select name from customer c join sale s on s.customer_id = c.id",
            "joins by `inner id = customer_id`, gold by `left id = customer_id`",
        ),
        ("select name from customer", "select distinct name from customer", "has DISTINCT, gold has not"),
        ("select count(distinct name) from customer", "select count(name) from customer",
         "computes `count(name)`, gold `count(DISTINCT name)`"),
        ("select name from customer order by born desc", "select name from customer order by born",
         "orders by `born asc`, gold by `born desc`"),
        ('select name from customer where country = "fr"', 'select name from customer where country = "FR"',
         "filters by `country = 'FR'`, gold by `country = 'fr'`"),
        ("select name from customer limit 3", "select name from customer limit 5", "has `limit 5`, gold `limit 3`"),
    ],
)  # fmt: skip
def test_sentences(gold: str, sql: str, sentence: str) -> None:
    assert difference(gold, sql, "sqlite", SCHEMA).sentence == sentence


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        ("select name from customer where id between 1 and 3",
         "select a.name from customer a where 3 >= a.id and a.id >= 1"),
        ("select name from customer where country in ('FR')", "select name as n from customer where 'FR' = country"),
        (JOINED, "select c.name, sum(s.amount) from sale s inner join customer c on c.id = s.customer_id"),
        ("select id from (select id from customer)", "select id from customer"),
        ("with t as (select id, name from customer) select name from t", "select name from customer"),
        ('select name from customer where country = "FR"', "select name from customer where country = 'FR'"),
        ('select name from customer where id in (select customer_id from sale where day = "1 May")',
         "select name from customer where id in (select customer_id from sale where day = '1 May')"),
        ('select "name", `id` from customer', "select NAME, Id from customer"),
        ("select country, count(*) as n from customer group by country order by n",
         "select country, count(*) from customer group by country order by count(*)"),
    ],
)  # fmt: skip
def test_the_same_query_in_other_words_has_no_difference(gold: str, sql: str) -> None:
    assert difference(gold, sql, "sqlite", SCHEMA).components == ()


QUERIES = (
    "select name from customer where country = 'FR' and born > 1990 order by born desc limit 3",
    "select C.Name, sum(amount) from customer C join sale on customer_id = C.id group by C.name having count(*) > 2",
    "select a.name from customer a join customer b on a.country = b.country where a.id <> b.id",
    "select max(amount), day, 1 from sale where 3 < amount or day in ('x') and not id is null",
    "select rowid, unknown from sale, customer where customer.id = customer_id",
    "select count(distinct name) from customer where name like 'A%' and born between 1 and 2",
    "select case when id > 1 then 'a' else name end from customer",
)


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgres"])
def test_queries_of_one_scope_read_as_the_optimizer_has_them(
    sql: str, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = parts_of.__wrapped__(sql, dialect, SCHEMA)
    assert qualified._in_one_scope(sqlglot.parse_one(sql, dialect=dialect), qualified._columns(SCHEMA))
    monkeypatch.setattr(qualified, "_in_one_scope", lambda *_: False)
    assert parts_of.__wrapped__(sql, dialect, SCHEMA) == quick


def test_what_cannot_be_parsed_says_so() -> None:
    found = difference("select 1", "select from where", "sqlite", SCHEMA)
    assert found.components == ()
    assert "cannot be compared part by part" in found.problem


def test_spiders_hardness() -> None:
    assert hardness("select count(*) from customer", "sqlite") == "easy"
    assert hardness("select name, id from customer order by id", "sqlite") == "medium"
    assert hardness("select name from customer where id not in (select customer_id from sale)", "sqlite") == "hard"
    assert [level(0, 0, 0), level(1, 0, 2), level(2, 0, 1), level(3, 0, 0), level(2, 1, 0)] == [
        "easy", "medium", "medium", "hard", "extra",
    ]  # fmt: skip
