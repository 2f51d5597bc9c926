"""Two queries part by part, and the sentence about it."""

from __future__ import annotations

import pytest
import sqlglot

from karat.suites.answers.text_to_sql.components import qualified
from karat.suites.answers.text_to_sql.components.difference import Difference, difference
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


STAFF = (("emp", ("id", "name", "dept", "salary", "boss")), ("odd table", ("select", "two words")), *SCHEMA)


@pytest.mark.parametrize(
    ("dialect", "gold", "sql", "sentence"),
    [
        # what an outer join takes for a partner is no filter
        ("sqlite", "select c.id from customer c left join sale s on s.customer_id = c.id and s.day = 'x'",
         "select c.id from customer c left join sale s on s.customer_id = c.id where s.day = 'x'",
         "misses the join `left day = 'x'`; has the extra filter `day = 'x'`"),
        ("sqlite", "select s.id from sale s left join customer c on s.customer_id = c.id",
         "select s.id from customer c left join sale s on s.customer_id = c.id",
         "joins by `left join sale`, gold by `left join customer`"),
        ("sqlite", "select id from emp except select boss from emp", "select boss from emp except select id from emp",
         "combines by `except SELECT id FROM emp`, gold by `except SELECT boss FROM emp`"),
        ("sqlite", "select name from emp order by salary", "select name from emp order by salary nulls last",
         "orders by `salary asc nulls last`, gold by `salary asc`"),
        ("postgres", "select id from emp order by salary desc", "select id from emp order by salary desc nulls last",
         "orders by `salary desc nulls last`, gold by `salary desc`"),
        ("postgres", "select distinct on (dept) name from emp", "select distinct name from emp",
         "has `distinct`, gold `distinct on (dept)`"),
        ("postgres", "select id from emp order by id fetch first 3 rows only", "select id from emp order by id limit 4",
         "has `limit 4`, gold `limit 3`"),
        ("duckdb", "select name from emp qualify row_number() over (order by id) = 1",
         "select name from emp qualify row_number() over (order by id) = 2",
         "filters by `row_number() OVER (ORDER BY id) = 2`, gold by `row_number() OVER (ORDER BY id) = 1`"),
        ("sqlite", "with a as (select dept, avg(salary) m from emp group by dept) select m from a where m > 1",
         "with a as (select dept, max(salary) m from emp group by dept) select m from a where m > 1",
         "uses the sub-query `SELECT dept, max(salary) AS m FROM emp GROUP BY dept`, "
         "gold `SELECT dept, avg(salary) AS m FROM emp GROUP BY dept`"),
        ("sqlite", "with p as (select * from emp where id > 1) select id, sum(salary) over (order by id) from p",
         "select id, sum(salary) over () from emp where id > 1",
         "computes `sum(salary) OVER ()`, gold `sum(salary) OVER (ORDER BY id)`"),
        ("sqlite", "select name from emp order by salary desc limit 1",
         "select name from emp where salary = (select max(salary) from emp)",
         "has the extra filter `salary = (sub-query)`; does not order by `salary desc`; has no `limit 1`; and 1 more"),
        ("sqlite", "select name from customer c where exists (select 1 from sale s where s.customer_id = c.id)",
         "select name from customer c where not exists (select 1 from sale s where s.customer_id = c.id)",
         "filters by `NOT EXISTS (sub-query)`, gold by `EXISTS (sub-query)`"),
        ("sqlite", "select name from emp where id in (select boss from emp)",
         "select name from emp where id not in (select boss from emp)",
         "filters by `NOT id IN (sub-query)`, gold by `id IN (sub-query)`"),
        ("sqlite", "select dept from emp group by dept having count(*) > 3",
         "select dept from emp group by dept having count(*) > 2",
         "keeps groups with `count(*) > 2`, gold `count(*) > 3`"),
        ("sqlite", 'select "two words" from "odd table"', 'select "select" from "odd table"',
         'selects `select`, gold `"two words"`'),
    ],
)  # fmt: skip
def test_a_sentence_names_what_really_differs(dialect: str, gold: str, sql: str, sentence: str) -> None:
    assert difference(gold, sql, dialect, STAFF).sentence == sentence


@pytest.mark.parametrize(
    ("gold", "sql"),
    [
        ("select name from emp where id in (2, 1)", "select name from emp where id = 1 or 2 = id"),
        ("select name from emp where not (id = 1 or salary > 2)", "select name from emp where id <> 1 and salary <= 2"),
        ("select name from emp where id > 5 and id > 5", "select name from emp where id > 5"),
        ("select s.id from sale s left join customer c on s.customer_id = c.id",
         "select s.id from customer c right join sale s on c.id = s.customer_id"),
        ("with a as (select dept, avg(salary) m from emp group by dept) select m from a where m > 1",
         "select x.m from (select dept, avg(salary) m from emp group by dept) x where x.m > 1"),
        ("with a as (select * from emp), b as (select * from a where id > 1) select name from b",
         "select name from emp where id > 1"),
        ("select name from emp e where salary > (select avg(salary) from emp x where x.dept = e.dept)",
         "select a.name from emp a where a.salary > (select avg(b.salary) as m from emp b where a.dept = b.dept)"),
        ("with emp as (select * from emp where id > 1) select name from emp",
         "with emp as (select * from emp where id > 1) select emp.name from emp"),
    ],
)  # fmt: skip
def test_other_ways_to_write_a_query_have_no_difference(gold: str, sql: str) -> None:
    assert difference(gold, sql, "sqlite", STAFF) == Difference()


REQUIRED = frozenset({("customer", "id"), ("sale", "id"), ("emp", "id")})


@pytest.mark.parametrize(
    ("gold", "sql", "sentence"),
    [
        ("select count(*) from sale where day = 'x'", "select count(id) from sale where day = 'x'", ""),
        ("select count(*) from sale where day = 'x'", "select count(s.id) from sale s where s.day = 'y'",
         "filters by `day = 'y'`, gold by `day = 'x'`"),
        ("select dept from emp group by dept order by count(*) desc",
         "select dept from emp group by dept order by count(id)",
         "orders by `count(*) asc`, gold by `count(*) desc`"),
        ("select name from customer c where (select count(*) from sale s where s.customer_id = c.id) > 2",
         "select name from customer c where (select count(s.id) from sale s where s.customer_id = c.id) > 2", ""),
        ("select count(*) from emp a join emp b on a.boss = b.id",
         "select count(b.id) from emp a join emp b on a.boss = b.id", ""),
        # a column that may be null, or that is null where an outer join has no partner, counts fewer rows
        ("select count(*) from sale", "select count(amount) from sale", "computes `count(amount)`, gold `count(*)`"),
        ("select count(*) from customer c left join sale s on s.customer_id = c.id",
         "select count(s.id) from customer c left join sale s on s.customer_id = c.id",
         "computes `count(id)`, gold `count(*)`"),
        ("select count(*) from sale", "select count(distinct id) from sale",
         "computes `count(DISTINCT id)`, gold `count(*)`"),
    ],
)  # fmt: skip
def test_a_count_of_a_column_that_holds_no_null_counts_rows(gold: str, sql: str, sentence: str) -> None:
    assert difference(gold, sql, "sqlite", STAFF, REQUIRED).sentence == sentence


def test_a_join_that_runs_the_other_way_is_told_with_its_tables() -> None:
    gold = "select e.name from emp e join emp b on e.boss = b.id"
    sql = "select e.name from emp e join emp b on b.boss = e.id"
    found = difference(gold, sql, "sqlite", STAFF).sentence
    assert found == "joins by `inner emp 2.boss = emp.id`, gold by `inner emp 2.id = emp.boss`"


def test_a_cte_that_grows_without_limit_is_left_where_it_is() -> None:
    more = ", ".join(f"c{n} as (select a.id from c{n - 1} a join c{n - 1} b on a.id = b.id)" for n in range(1, 30))
    sql = f"with c0 as (select id from emp), {more} select id from c29"
    assert difference(sql, sql.replace("c29 ", "c28 "), "sqlite", STAFF).problem == ""


def test_what_cannot_be_parsed_says_so() -> None:
    found = difference("select 1", "select from where", "sqlite", SCHEMA)
    assert found.components == ()
    assert "cannot be compared part by part" in found.problem


def test_a_query_that_is_too_long_is_not_taken_apart() -> None:
    """A megabyte of SQL takes seconds for each look at it, and an answer may be one."""
    long = f"select id from sale where id in ({', '.join(map(str, range(20_000)))})"
    assert "at most 50,000 are taken apart" in difference("select id from sale", long, "sqlite", SCHEMA).problem
    deep = " and ".join(f"(id = {n} or day = 'x' or amount is null)" for n in range(300))
    found = difference("select id from sale", f"select id from sale where not ({deep})", "sqlite", SCHEMA)
    assert "nested too deeply" in found.problem


def test_spiders_hardness() -> None:
    assert hardness("select count(*) from customer", "sqlite") == "easy"
    assert hardness("select name, id from customer order by id", "sqlite") == "medium"
    assert hardness("select name from customer where id not in (select customer_id from sale)", "sqlite") == "hard"
    assert [level(0, 0, 0), level(1, 0, 2), level(2, 0, 1), level(3, 0, 0), level(2, 1, 0)] == [
        "easy", "medium", "medium", "hard", "extra",
    ]  # fmt: skip
