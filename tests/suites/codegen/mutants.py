"""Reference answers to questions about three small schemas, and wrong variants of each, made by changing its syntax
tree.

A score that is worth something puts the reference above every variant that changes what the question asks for.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import NamedTuple

from karat.suites.codegen.records import Schema

PEOPLE = Schema({"people": ("name", "age", "salary", "city", "department", "start_date")})
SHOP = Schema(
    {
        "orders": ("order_id", "customer_id", "product", "quantity", "amount"),
        "customers": ("customer_id", "customer_name", "country", "segment"),
    }
)
WEATHER = Schema({"weather": ("station", "month", "temperature", "rainfall", "wind_speed")})

VALUES: dict[str, dict[str, list[str]]] = {
    "people": {"city": ["Berlin", "Paris"], "department": ["IT", "Sales"]},
    "orders": {"country": ["Germany", "France"], "segment": ["Retail"], "product": ["Lamp", "Chair"]},
    "weather": {"station": ["North", "South"], "month": ["July", "January"]},
}


class Example(NamedTuple):
    """A question, code that answers it, and the columns that the question asks about."""

    question: str
    code: str
    columns: tuple[str, ...]
    schema: Schema

    @property
    def values(self) -> dict[str, list[str]]:
        return VALUES[next(iter(self.schema.tables))]


EXAMPLES: tuple[Example, ...] = (
    Example("What is the average salary?", 'result = df["salary"].mean()', ("salary",), PEOPLE),
    Example(
        "What is the average salary by city and department?",
        'result = df.groupby(["city", "department"])["salary"].mean().reset_index()',
        ("salary", "city", "department"),
        PEOPLE,
    ),
    Example(
        "Who are the top 5 names by salary?",
        'result = df.sort_values("salary", ascending=False).head(5)[["name", "salary"]]',
        ("salary", "name"),
        PEOPLE,
    ),
    Example(
        "List the names and ages of the 3 youngest people in Berlin.",
        'result = df[df["city"] == "Berlin"].nsmallest(3, "age")[["name", "age"]]',
        ("name", "age", "city"),
        PEOPLE,
    ),
    Example(
        "How many people have an age over 30 and a salary below 50000?",
        'result = len(df[(df["age"] > 30) & (df["salary"] < 50000)])',
        ("age", "salary"),
        PEOPLE,
    ),
    Example(
        "What is the total salary for each department where age is at least 40?",
        'older = df.query("age >= 40")\nresult = older.groupby("department")["salary"].sum()',
        ("salary", "department", "age"),
        PEOPLE,
    ),
    Example(
        "What is the highest salary in the IT department?",
        'mask = df.department == "IT"\nresult = df.loc[mask, "salary"].max()',
        ("salary", "department"),
        PEOPLE,
    ),
    Example(
        "What is the minimum age per city?",
        'result = df.groupby("city").agg(youngest=("age", "min")).reset_index()',
        ("age", "city"),
        PEOPLE,
    ),
    Example(
        "Count the people per department, sorted in descending order.",
        'result = df.groupby("department").size().sort_values(ascending=False)',
        ("department",),
        PEOPLE,
    ),
    Example(
        "Mean salary of people with age between 25 and 35, by city.",
        'between = df[(df["age"] >= 25) & (df["age"] <= 35)]\nresult = between.groupby("city")["salary"].mean()',
        ("salary", "age", "city"),
        PEOPLE,
    ),
    Example(
        "Show name and salary sorted by salary in ascending order.",
        'result = df[["name", "salary"]].sort_values("salary", ascending=True)',
        ("name", "salary"),
        PEOPLE,
    ),
    Example(
        "What is the name of the person with the largest salary?",
        'result = df.loc[df["salary"].idxmax(), "name"]',
        ("name", "salary"),
        PEOPLE,
    ),
    Example(
        "What is the total amount by country?",
        'joined = orders.merge(customers, on="customer_id")\nresult = joined.groupby("country")["amount"].sum()',
        ("amount", "country"),
        SHOP,
    ),
    Example(
        "Join orders with customers and give the average amount per segment in Germany.",
        'both = pd.merge(orders, customers, on="customer_id")\nboth = both[both["country"] == "Germany"]\n'
        'result = both.groupby("segment")["amount"].mean()',
        ("amount", "segment", "country"),
        SHOP,
    ),
    Example(
        "Which are the 3 largest amounts for the product 'Lamp'?",
        'result = orders[orders["product"] == "Lamp"].nlargest(3, "amount")["amount"]',
        ("amount", "product"),
        SHOP,
    ),
    Example(
        "Total quantity per product, top 2 products only.",
        'totals = orders.groupby("product")["quantity"].sum()\nresult = totals.sort_values(ascending=False).head(2)',
        ("quantity", "product"),
        SHOP,
    ),
    Example(
        "How many orders have a quantity of more than 10?",
        'result = orders[orders["quantity"] > 10].shape[0]',
        ("quantity",),
        SHOP,
    ),
    Example(
        "Sum of amount by country and segment, after merging both tables.",
        'merged = orders.merge(customers, on="customer_id", how="left")\n'
        'result = merged.groupby(["country", "segment"], as_index=False)["amount"].sum()',
        ("amount", "country", "segment"),
        SHOP,
    ),
    Example(
        "Maximum amount for each customer name.",
        'result = orders.merge(customers, on="customer_id").groupby("customer_name")["amount"].max()',
        ("amount", "customer_name"),
        SHOP,
    ),
    Example(
        "What is the mean temperature per station?",
        'means = {}\nfor station, rows in df.groupby("station"):\n    means[station] = '
        'rows["temperature"].mean()\nresult = means',
        ("temperature", "station"),
        WEATHER,
    ),
    Example(
        "Average rainfall in July for each station with wind speed above 5.",
        'july = df[(df["month"] == "July") & (df["wind_speed"] > 5)]\n'
        'result = july.pivot_table(index="station", values="rainfall", aggfunc="mean")',
        ("rainfall", "month", "station", "wind_speed"),
        WEATHER,
    ),
    Example(
        "The lowest temperature of the station North.",
        'result = df[df["station"] == "North"]["temperature"].min()',
        ("temperature", "station"),
        WEATHER,
    ),
    Example(
        "Bottom 4 months by rainfall.",
        'result = df.sort_values("rainfall").head(4)["month"].tolist()',
        ("month", "rainfall"),
        WEATHER,
    ),
    Example(
        "Total rainfall by month, ordered from high to low.",
        'result = df.groupby("month").agg({"rainfall": "sum"}).sort_values("rainfall", ascending=False)',
        ("rainfall", "month"),
        WEATHER,
    ),
    Example(
        "How many rows are there per station where temperature is below 0?",
        'def cold(data):\n    return data[data["temperature"] < 0]\n\n\nresult = cold(df).groupby("station").size()',
        ("station", "temperature"),
        WEATHER,
    ),
    Example(
        "What is the average wind speed where rainfall is not missing?",
        'result = df[df["rainfall"].notna()]["wind_speed"].mean()',
        ("wind_speed", "rainfall"),
        WEATHER,
    ),
)


class Mutant(NamedTuple):
    kind: str
    code: str


def mutants(example: Example) -> list[Mutant]:
    """All wrong variants of a reference, each once."""
    made = dict.fromkeys(_changed(example))
    own = ast.unparse(ast.parse(example.code))
    return [mutant for mutant in made if mutant.code != own]


def _changed(example: Example) -> Iterator[Mutant]:
    tree = ast.parse(example.code)
    for place, node in enumerate(ast.walk(tree)):
        for kind, replacement in _replacements(node, example):
            again = copy.deepcopy(tree)
            target = list(ast.walk(again))[place]
            yield Mutant(kind, ast.unparse(_Replace(target, replacement).visit(again)))
    yield Mutant("constant", "result = 42")
    commented = "\n".join(f"# {line}" for line in example.code.splitlines())
    yield Mutant("comment only", f"# {example.question}\n{commented}\nresult = 42")
    yield Mutant("dead code", example.code.replace("result =", "unused =") + "\nresult = 42")
    yield Mutant("strings only", f"note = {example.code!r}\nresult = 42")


class _Replace(ast.NodeTransformer):
    """One node for another."""

    def __init__(self, target: ast.AST, replacement: ast.AST) -> None:
        self.target = target
        self.replacement = replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.target else self.generic_visit(node)


SWAPPED = {
    "mean": "sum",
    "sum": "mean",
    "max": "min",
    "min": "max",
    "idxmax": "idxmin",
    "nlargest": "nsmallest",
    "nsmallest": "nlargest",
    "head": "tail",
}


def _replacements(node: ast.AST, example: Example) -> Iterator[tuple[str, ast.AST]]:
    """What this node may be replaced with, and the name of that change."""
    match node:
        case ast.Subscript(value=value, slice=ast.Compare() | ast.BinOp(op=ast.BitAnd()) | ast.Call()):
            yield "drop a filter", value
        case ast.Call(func=ast.Attribute(value=value, attr="query")):
            yield "drop a filter", value
        case ast.Subscript(value=ast.Attribute(attr="loc") as located, slice=ast.Tuple(elts=[ast.Name(), picked])):
            yield "drop a filter", ast.Subscript(located.value, picked, ast.Load())
        case ast.BinOp(op=ast.BitAnd(), left=left, right=right):
            yield "drop a filter", left
            yield "drop a filter", right
        case ast.Call(func=ast.Attribute(value=value, attr="merge"), args=args):
            yield "drop the join", args[0] if isinstance(value, ast.Name) and value.id == "pd" else value
        case ast.Call(func=ast.Attribute(value=value, attr="sort_values")):
            yield "drop the sort", value
        case ast.Call(func=ast.Attribute(value=value, attr="nlargest" | "nsmallest"), args=[count, _]):
            yield "drop the sort", ast.Call(ast.Attribute(value, "head", ast.Load()), [count], [])
        case ast.Call(func=ast.Attribute(attr="groupby"), args=[ast.List(elts=keys)]) if len(keys) > 1:
            for drop in range(len(keys)):
                again = copy.deepcopy(node)
                assert isinstance(again.args[0], ast.List)
                del again.args[0].elts[drop]
                yield "drop a group-by column", again
        case ast.Subscript(value=ast.Call(func=ast.Attribute(value=value, attr="groupby")), slice=picked):
            yield "drop a group-by column", ast.Subscript(value, picked, ast.Load())
        case ast.keyword(arg="ascending", value=ast.Constant(value=bool(upwards))):
            yield "swap top and bottom", ast.keyword("ascending", ast.Constant(not upwards))
        case _:
            pass
    if isinstance(node, ast.Attribute) and node.attr in SWAPPED:
        kind = "swap top and bottom" if node.attr in ("nlargest", "nsmallest", "head") else f"swap {_pair(node.attr)}"
        yield kind, ast.Attribute(node.value, SWAPPED[node.attr], ast.Load())
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value in ("mean", "sum", "max", "min"):
            yield f"swap {_pair(node.value)}", ast.Constant(SWAPPED[node.value])
        elif node.value in example.columns:
            yield "wrong column", ast.Constant(_another(node.value, example))


def _pair(name: str) -> str:
    return "mean and sum" if name in ("mean", "sum") else "max and min"


def _another(column: str, example: Example) -> str:
    """A column of the same table that the question does not ask about; of any table when there is none."""
    table = next(columns for columns in example.schema.tables.values() if column in columns)
    others = [name for name in (*table, *example.schema.columns) if name not in example.columns]
    return others[0]
