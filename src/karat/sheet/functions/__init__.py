"""The functions of the language, by name, and a reference of them in Markdown."""

from __future__ import annotations

import json

from karat.sheet.functions.arrays import ARRAYS
from karat.sheet.functions.conversions import CONVERSIONS
from karat.sheet.functions.dates import DATES
from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.functions.evaluation import EVALUATION
from karat.sheet.functions.logic import LOGIC
from karat.sheet.functions.mathematics import MATHEMATICS
from karat.sheet.functions.numbers import NUMBERS
from karat.sheet.functions.tables import TABLES
from karat.sheet.functions.text import TEXTS

__all__ = ["EXAMPLE_TABLE", "FUNCTIONS", "Example", "Function", "Parameter", "example_sheet", "reference"]

FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (*TABLES, *ARRAYS, *NUMBERS, *MATHEMATICS, *TEXTS, *CONVERSIONS, *DATES, *LOGIC, *EVALUATION)
}

GROUPS = {
    "tables": "Where rows come from",
    "arrays": "Arrays and tables",
    "numbers": "Numbers",
    "text": "Text",
    "dates": "Dates",
    "logic": "Conditions",
    "evaluation": "Evaluation",
}

EXAMPLE_TABLE = """!manual()
table Fruit
    key [name]
    [kind]
    [price]
override
[name],[kind],[price]
"Apple","sweet",3
"Lemon","sour",2
"Pear","sweet",4
"""
"""What ``Fruit`` is in the examples."""


def example_sheet(example: Example) -> str:
    """The whole sheet of an example: its tables, then a table ``Example`` whose field ``[value]`` is the formula."""
    tables = EXAMPLE_TABLE if example.sheet == "Fruit" else example.sheet
    return f"{tables}\ntable Example\n    [value] = {example.formula}\n"


def reference() -> str:
    """Every function with its arguments and an example, in Markdown: a table for each group."""
    lines = ["In the examples, `Fruit` is this table:", "", "```", EXAMPLE_TABLE.rstrip(), "```"]
    for group, title in GROUPS.items():
        lines += ["", f"## {title}", "", "| function | what it gives | arguments | example |", "|---|---|---|---|"]
        lines += [_line(function) for function in FUNCTIONS.values() if function.group == group]
    return "\n".join(lines) + "\n"


def _line(function: Function) -> str:
    named = {parameter.name: parameter for form in function.forms for parameter in form}
    arguments = "; ".join(f"{name}: {parameter.what}" for name, parameter in named.items())
    example = f"`{function.example.formula}` = `{json.dumps(function.example.value, ensure_ascii=False)}`"
    calls = "<br>".join(f"`{call}`" for call in function.signature())
    cells = (calls, function.summary, arguments, example)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
