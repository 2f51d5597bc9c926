"""What code does on the way to its result: form by form, each small enough to check by eye."""

from __future__ import annotations

import pytest

from karat.suites.codegen.analysis.facts import read as analyse
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.records import Schema

PEOPLE = Schema({"people": ("name", "age", "salary", "city", "dept", "hire date")})
SHOP = Schema({"orders": ("id", "customer", "amount"), "customers": ("customer", "country")})


def facts(code: str, schema: Schema = PEOPLE) -> CodeFacts:
    found = analyse(code, schema)
    assert not found.syntax_error
    return found


def filters(code: str) -> list[str]:
    return [f"{one.column} {one.operator} {one.value}".strip() for one in facts(code).filters]


def aggregations(code: str, schema: Schema = PEOPLE) -> list[tuple[str, str]]:
    return [(one.function, one.column) for one in facts(code, schema).aggregations]


def orders(code: str) -> list[tuple[str, tuple[str, ...], bool | None, int | None]]:
    return [(one.kind, one.columns, one.ascending, one.count) for one in facts(code).orders]


# -- columns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "columns"),
    [
        ('result = df["age"]', "age"),
        ('result = df[["age", "name"]]', "name age"),
        ("result = df.age", "age"),
        ("result = df.shape", ""),
        ("result = people.age", "age"),
        ('result = df.loc[:, "age"]', "age"),
        ('result = df.loc[:, ["age", "city"]]', "age city"),
        ("result = df.iloc[:, 1]", "age"),
        ("result = df.iloc[:, [0, -2]]", "name dept"),
        ("result = df.iloc[:, 1:3]", "age salary"),
        ("result = df[df.columns[2]]", "salary"),
        ('c = "age"\nresult = df[c]', "age"),
        ('wanted = ["age"] + ["city"]\nresult = df[wanted]', "age city"),
        ('p = "hire"\nresult = df[f"{p} date"]', "hire date"),
        ('result = df["hire" + " date"]', "hire date"),
        ('result = df["Age"]', ""),
        ("d = df\nresult = d.age", "age"),
        ('import pandas as pd\nx = pd.read_csv("people.csv")\nresult = x["age"]', "age"),
        ('result = df.rename(columns={"age": "years"})["years"]', "age"),
        ('result = df.rename(columns={"age": "years"})["name"]', "name"),
        ('df.columns = ["a", "b", "c", "d", "e", "f"]\nresult = df["b"]', "age"),
        ('df["x"] = df["age"] * df["salary"]\nresult = df["x"].sum()', "age salary"),
        ('df["x"] = df["age"] * 2\nresult = df["salary"].sum()', "salary"),
        ('result = df.assign(x=lambda d: d.age + 1)["x"]', "age"),
        ('result = df.assign(x=lambda d: d.age + 1)["city"]', "city"),
        ('result = df.eval("x = age * salary")["x"]', "age salary"),
        ('result = df.drop(columns=["age"])["city"]', "city"),
        ('result = df.drop_duplicates(subset=["city"])', "city"),
        ('result = df.set_index("name")["age"]', "name age"),
        ('result = df.groupby("city").mean()["age"]', "age city"),
        ('result = df.mean(numeric_only=True)["age"]', "age"),
        ('result = df["age"].corr(df["salary"])', "age salary"),
        ('result = df.apply(lambda row: row["age"] * row.salary, axis=1)', "age salary"),
        ('result = [r["name"] for r in df.to_dict("records")]', "name"),
        ("result = [a * s for a, s in zip(df.age, df.salary)]", "age salary"),
        ("out = []\nfor row in df.itertuples():\n    out.append(row.name)\nresult = out", "name"),
        ('result = pd.DataFrame({"a": df.age, "s": df.salary})["a"]', "age"),
        ('def f(d, c="age"):\n    return d[c]\nresult = f(df)', "age"),
        ('def f(d, c):\n    return d[c]\nresult = df.pipe(f, "city")', "city"),
        ("f = lambda d: d.age\nresult = f(df)", "age"),
        ("result = np.mean(df.age)", "age"),
        ("df.age.mean()", "age"),
        ('with open("x") as f:\n    result = df["age"]', "age"),
        ('try:\n    result = df["age"]\nexcept KeyError:\n    result = df["city"]', "age city"),
        ('if len(df) > 3:\n    c = "age"\nelse:\n    c = "age"\nresult = df[c]', "age"),
        ("result = (df.age, df.city)[1]", "city"),
        ('result = {"a": df.age, "c": df.city}["a"]', "age"),
        ("return df.age", "age"),
        ("if (n := df.age.max()) > 3:\n    result = n", "age"),
    ],
)
def test_columns(code: str, columns: str) -> None:
    expected = tuple(one for one in PEOPLE.columns if one in columns.replace("hire date", "hire_date").split())
    expected += ("hire date",) if "hire date" in columns else ()
    assert facts(code).columns == expected


@pytest.mark.parametrize(
    "code",
    [
        "# df['age'].mean()\nresult = 42",
        "'age salary'\nresult = 42",
        "note = 'df.age.mean()'\nresult = note",
        "x = df['age'].mean()\nresult = 42",
        "def f(d):\n    return d.age\nresult = 42",
        "if False:\n    result = df.age\nelse:\n    result = 42",
        "DEBUG = False\nif DEBUG:\n    result = df.age\nelse:\n    result = 42",
        "while False:\n    result = df.age\nresult = 42",
        "def f(d):\n    return 42\n    return d.age\nresult = f(df)",
        "print(df.age.mean())\nresult = 42",
        "result = df.age\nresult = 42",
        "result = (42, df.age)[0]",
        'data = {"age": 3}\nresult = data["age"]',
        'df = pd.DataFrame({"age": [1, 2]})\nresult = df["age"].mean()',
        "print('the mean of df.age')",
        "lambda: df.age\nresult = 42",
        'cols = ["age", "salary"]\nresult = 42',
        "",
    ],
)
def test_what_does_not_reach_the_result_gives_nothing(code: str) -> None:
    found = facts(code)
    assert (found.columns, found.operations, found.filters, found.aggregations, found.tables) == ((),) * 5


# -- filters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("result = df[df.age > 30]", ["age > 30"]),
        ("result = df[30.0 < df.age]", ["age > 30"]),
        ("result = df[~(df.age > 30)]", ["age <= 30"]),
        ("result = df[(df.age > 30) & (df.city == 'X')]", ["age > 30", "city == X"]),
        ("result = df[~((df.age > 30) | (df.city == 'X'))]", ["age <= 30", "city != X"]),
        ("m = df.age >= 18\nresult = df.loc[m, 'name']", ["age >= 18"]),
        ("a = df.age > 1\nb = df.age < 9\nresult = df[a & b]", ["age > 1", "age < 9"]),
        ("result = df[df.city.isin(['A', 'B'])]", ["city in A", "city in B"]),
        ("result = df[~df.city.isin(['A', 'B'])]", ["city != A", "city != B"]),
        ("result = df[df.age.between(3, 7)]", ["age >= 3", "age <= 7"]),
        ("result = df[df.age.between(3, 7, inclusive='neither')]", ["age > 3", "age < 7"]),
        ("result = df[df.name.str.contains('An')]", ["name contains An"]),
        ("result = df[df.name.str.lower() == 'ann']", ["name == ann"]),
        ("result = df[df.age.isna()]", ["age isnull"]),
        ("result = df[~df.age.isna()]", ["age notnull"]),
        ("result = df.dropna(subset=['age'])", ["age notnull"]),
        ("result = df[df.age.gt(3)]", ["age > 3"]),
        ("result = df[df['hire date'].dt.year == 2020]", ["hire date == 2020"]),
        ("result = df[df['hire date'] >= pd.Timestamp('2020-01-01')]", ["hire date >= 2020-01-01"]),
        ("result = df.query('age > 30 and city == \"X\"')", ["age > 30", "city == X"]),
        ("result = df.query('age > 30 & city != \"X\"')", ["age > 30", "city != X"]),
        ("n = 5\nresult = df.query('age > @n')", ["age > 5"]),
        ("n = 5\nresult = df.query(f'age > {n}')", ["age > 5"]),
        ("result = df.query('`hire date` < 3 or not age > 2')", ["hire date < 3", "age <= 2"]),
        ("result = df.query('3 < age <= 7')", ["age > 3", "age <= 7"]),
        ('result = df.query(\'city in ["A", "B"]\')', ["city in A", "city in B"]),
        ("result = df.query('this is no query')", []),
        ("result = df.age.where(df.age > 3)", ["age > 3"]),
        ("result = df.age.mask(df.age > 3)", ["age <= 3"]),
        ("result = np.where(df.age > 3, 'a', 'b')", ["age > 3"]),
        ("result = (df.age > 3).sum()", ["age > 3"]),
        ("result = df[lambda d: d.age > 3]", ["age > 3"]),
        ("df['old'] = df.age > 60\nresult = df[df['old']]", ["age > 60"]),
        ("result = df[df.age > df.age.mean()]", ["age >"]),
        ("limit = 30\nresult = df[df.age > limit + 5]", ["age > 35"]),
        ("result = [r for r in df.to_dict('records') if r['age'] > 3]", ["age > 3"]),
        (
            "t = 0\nfor _, row in df.iterrows():\n    if row['age'] > 3:\n        t += row['salary']\nresult = t",
            ["age > 3"],
        ),
        (
            "t = 0\nfor _, r in df.iterrows():\n    if r.age <= 3:\n        continue\n    t += 1\nresult = t",
            ["age > 3"],
        ),
        ("result = df.groupby('city').age.mean()['Berlin']", ["city == Berlin"]),
        ("result = df.set_index('name').loc['Ann']", ["name == Ann"]),
        ("s = df.groupby('city').salary.sum()\nresult = s[s > 100]", ["salary > 100"]),
        ("result = df.groupby('city').filter(lambda g: len(g) > 5)", ["> 5"]),
        ("if len(df) > 0:\n    result = df.age.mean()", []),
        ("df = df[df.age > 3]\ndf = df[df.salary < 9]\nresult = df", ["age > 3", "salary < 9"]),
    ],
)
def test_filters(code: str, expected: list[str]) -> None:
    assert sorted(filters(code)) == sorted(expected)


# -- groups, aggregations ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("result = df.groupby('city').age.mean()", ("city",)),
        ("result = df.groupby(['city', 'dept']).size()", ("city", "dept")),
        ("result = df.groupby(df.city)['age'].mean()", ("city",)),
        ("k = ['city']\nresult = df.groupby(by=k).age.max()", ("city",)),
        ("result = df.pivot_table(index='city', columns='dept', values='age')", ("city", "dept")),
        ("result = pd.pivot_table(df, index='city', values='age')", ("city",)),
        ("result = pd.crosstab(df.city, df.dept)", ("city", "dept")),
        ("result = df.city.value_counts()", ("city",)),
        ("result = df.groupby(pd.Grouper(key='hire date', freq='M')).age.mean()", ("hire date",)),
        ("result = {c: df[df.city == c].age.mean() for c in df.city.unique()}", ("city",)),
        ("out = {}\nfor c, g in df.groupby('city'):\n    out[c] = g.age.mean()\nresult = out", ("city",)),
        (
            "d = {}\nfor _, r in df.iterrows():\n    d[r['city']] = d.get(r['city'], 0) + r['age']\nresult = d",
            ("city",),
        ),
        ("result = df.age.mean()", ()),
    ],
)
def test_group_keys(code: str, keys: tuple[str, ...]) -> None:
    assert facts(code).group_keys == keys


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("result = df.age.mean()", [("mean", "age")]),
        ("result = df.groupby('city').age.agg('mean')", [("mean", "age")]),
        ("result = df.groupby('city').age.agg(['mean', 'max'])", [("mean", "age"), ("max", "age")]),
        ("result = df.groupby('city').agg({'age': 'mean', 'salary': ['min', 'sum']})",
         [("mean", "age"), ("min", "salary"), ("sum", "salary")]),
        ("result = df.groupby('city').agg(a=('age', 'mean'), s=('salary', "
         "'sum'))", [("mean", "age"), ("sum", "salary")]),
        ("result = df.groupby('city').agg(a=('age', 'mean'), s=('salary', 'sum'))['s']", [("sum", "salary")]),
        ("result = df.groupby('city').agg(a=pd.NamedAgg(column='age', aggfunc='max'))", [("max", "age")]),
        ("result = df.groupby('city').age.agg(lambda s: s.sum())", [("sum", "age")]),
        ("result = df.groupby('city').apply(lambda g: g['age'].mean())", [("mean", "age")]),
        ("result = df.groupby('city').age.agg(np.mean)", [("mean", "age")]),
        ("result = df.groupby('city').age.transform('mean')", [("mean", "age")]),
        ("result = df.pivot_table(index='city', values='age')", [("mean", "age")]),
        ("result = df.pivot_table(index='city', values='age', aggfunc='sum')", [("sum", "age")]),
        ("result = df[['age']].sum()", [("sum", "age")]),
        ("result = np.nanmean(df.age)", [("mean", "age")]),
        ("result = len(df[df.age > 3])", [("len", "")]),
        ("result = df.shape[0]", [("size", "")]),
        ("result = (df.age > 3).sum()", [("count", "age")]),
        ("result = (df.age > 3).mean()", [("share", "age")]),
        ("result = df.age.sum() / len(df)", [("mean", "age")]),
        ("result = df.age.sum() / df.age.count()", [("mean", "age")]),
        ("result = len(df.city.unique())", [("nunique", "city")]),
        ("result = sum(r['age'] for r in df.to_dict('records'))", [("sum", "age")]),
        ("result = max(df.to_dict('records'), key=lambda r: r['age'])", [("max", "age")]),
        ("result = df.loc[df.age.idxmax(), 'name']", [("idxmax", "age")]),
        ("t = 0\nfor a in df.age:\n    t += a\nresult = t", [("sum", "age")]),
        ("n = 0\nfor a in df.age:\n    n += 1\nresult = n", [("count", "")]),
        ("t = n = 0\nfor a in df.age:\n    t += a\n    n += 1\nresult = t / n", [("mean", "age")]),
        ("b = 0\nfor a in df.age:\n    if a > b:\n        b = a\nresult = b", [("max", "age")]),
        ("b = None\nfor r in df.to_dict('records'):\n    if b is None or r['age'] < b['age']:\n        b = r\nresult = "
         "b", [("min", "age")]),
        ("m = df.age.mean()\nresult = df.salary.max()", [("max", "salary")]),
        ("result = df.name.str.count('a')", []),
    ],
)  # fmt: skip
def test_aggregations(code: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(aggregations(code)) == sorted(expected)


# -- order ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("result = df.sort_values('age')", [("sort", ("age",), True, None)]),
        ("result = df.sort_values(by=['age', 'city'], ascending=[False, "
         "True])", [("sort", ("age", "city"), False, None)]),
        ("result = df.sort_values('age', ascending=False).head(3)",
         [("sort", ("age",), False, None), ("head", ("age",), False, 3)]),
        ("result = df.sort_values('age').iloc[-2:]", [("sort", ("age",), True, None), ("tail", ("age",), True, 2)]),
        ("result = df.sort_values('age')[:4]['name']", [("sort", ("age",), True, None), ("head", ("age",), True, 4)]),
        ("result = df.sort_values('age')[::-1].head(2)",
         [("sort", ("age",), True, None), ("sort", ("age",), False, None), ("head", ("age",), False, 2)]),
        ("result = df.nlargest(5, 'age')", [("largest", ("age",), False, 5)]),
        ("result = df.age.nsmallest()", [("smallest", ("age",), True, 5)]),
        ("n = 2\nresult = df.nlargest(n=n, columns=['age'])", [("largest", ("age",), False, 2)]),
        ("result = df.head(3)", [("head", (), None, 3)]),
        ("result = df.city.value_counts().head(2)", [("sort", (), False, None), ("head", (), False, 2)]),
        ("df.sort_values('age', inplace=True)\nresult = df.tail(1)",
         [("sort", ("age",), True, None), ("tail", ("age",), True, 1)]),
        ("result = sorted(df.age, reverse=True)[:3]", [("sort", ("age",), False, None), ("head", ("age",), False, 3)]),
        ("r = df.to_dict('records')\nr.sort(key=lambda x: x['age'])\nresult = r[0]",
         [("sort", ("age",), True, None), ("head", ("age",), True, 1)]),
        ("df.sort_values('age')\nresult = df", []),
    ],
)  # fmt: skip
def test_orders(code: str, expected: list[tuple[str, tuple[str, ...], bool | None, int | None]]) -> None:
    assert orders(code) == expected


# -- joins ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind", "keys"),
    [
        ("result = orders.merge(customers, on='customer')", "merge", ("customer",)),
        ("result = orders.merge(customers)", "merge", ("customer",)),
        ("result = pd.merge(orders, customers, left_on='customer', right_on='customer')", "merge", ("customer",)),
        ("result = orders.join(customers.set_index('customer'), on='customer')", "join", ("customer",)),
        ("result = pd.concat([orders, customers])", "concat", ()),
        (
            "c = customers.set_index('customer')['country']\norders['x'] = orders.customer.map(c)\nresult = orders",
            "merge",
            ("customer",),
        ),
        (
            "g = customers[customers.country == 'DE']\nresult = orders[orders.customer.isin(g.customer)]",
            "merge",
            ("customer",),
        ),
    ],
)
def test_joins(code: str, kind: str, keys: tuple[str, ...]) -> None:
    found = facts(code, SHOP).joins
    assert [(one.kind, one.keys) for one in found] == [(kind, keys)]


def test_a_join_that_is_not_read_is_none() -> None:
    assert facts("m = orders.merge(customers)\nresult = orders.amount.sum()", SHOP).joins == ()


def test_columns_through_a_join() -> None:
    found = facts("m = orders.merge(customers, on='customer')\nresult = m.groupby('country').amount.sum()", SHOP)
    assert found.columns == ("customer", "amount", "country")
    assert found.tables == ("orders", "customers")


# -- lines and names --------------------------------------------------------------------------------------------------


def test_dead_lines_and_unused_names() -> None:
    code = (
        "import numpy as np\n"
        "x = df.age.mean()\n"
        "y = df.salary\n"
        "def f():\n"
        "    return 1\n"
        "if len(df) > 3:\n"
        "    z = 3\n"
        "print(x)\n"
        "result = y.sum()\n"
        "result\n"
    )
    found = facts(code)
    assert found.dead_lines == (2, 4, 5, 6, 7)
    assert found.unused_names == (("x", 2), ("f", 4), ("z", 7))


def test_code_that_is_all_needed_has_no_dead_line() -> None:
    code = (
        "limit = 30\n"
        "def older(data, than):\n"
        "    picked = data.age > than\n"
        "    return data[picked]\n"
        "total = 0\n"
        "for _, row in older(df, limit).iterrows():\n"
        "    if row['city'] == 'X':\n"
        "        total += row['salary']\n"
        "result = total\n"
    )
    found = facts(code)
    assert found.dead_lines == ()
    assert found.unused_names == ()


def test_a_filter_stands_on_its_line() -> None:
    assert [
        one.line for one in facts("m = df.age > 3\n\nresult = (\n    df[m]\n    .query('salary > 2')\n)").filters
    ] == [1, 5]


def test_the_answer_may_have_another_name() -> None:
    found = analyse("result = df.age\nanswer = df.city", PEOPLE, answer="answer")
    assert found.columns == ("city",)


def test_a_table_may_be_the_answer() -> None:
    assert analyse("df['x'] = df.age * 2", PEOPLE, answer="df").columns == ("age",)
    assert analyse("df.age", PEOPLE, answer="df").columns == ("age",)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("adults = people[people.age > 17]\nadults.to_csv('a.csv', index=False)", ["age > 17"]),
        (
            "adults = people[people.age > 17]\nwith open('a.txt', 'w') as f:\n    f.write(str(len(adults)))",
            ["age > 17"],
        ),
        ("people[people.age > 17].to_json('a.json')\nopen('b.txt', 'w').write('done')", ["age > 17"]),
        ("import numpy as np\nnp.save('a.npy', people[people.age > 17].salary)", ["age > 17"]),
        ("people[people.age > 17].to_csv('a.csv')\nresult = people.salary.mean()", []),
        ("people[people.age > 17].to_csv('a.csv')\npeople.salary.mean()", []),
    ],
)
def test_what_is_written_is_the_answer_of_code_that_sets_none(code: str, found: list[str]) -> None:
    assert filters(code) == found
    assert bool(facts(code).dead_lines) is not bool(found)
