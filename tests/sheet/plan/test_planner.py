from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from karat.sheet.functions import EXAMPLE_TABLE
from karat.sheet.plan.nodes import Plan
from karat.sheet.plan.planner import make_plan
from karat.sheet.plan.render import plan_mermaid, plan_text
from karat.sheet.text.parser import parse
from tests.sheet.contract import contract_example

INGREDIENTS = """!manual()
table Ingredients
    [item]
    [price_type]
override
[item],[price_type]
"Carrots","Cheap"
"Salmon","Dear"

"""


def planned(text: str) -> Plan:
    return make_plan(parse(text, "test.sheet"))


def kinds(plan: Plan) -> Counter[str]:
    return Counter(node.kind for node in plan.nodes)


@pytest.mark.shared_data
def test_the_contract_compiles_to_its_nodes(shared: Path) -> None:
    plan = planned(INGREDIENTS + contract_example(shared))
    found = kinds(plan)
    assert found["Evaluation"] == 1, "one choice for all fields, whoever asks and however the field is written"
    assert found["Retrieve"] == 2
    assert found["Recall"] == 2
    assert found["Mistake"] == 0


def test_every_node_comes_after_what_it_needs() -> None:
    plan = planned(f"{EXAMPLE_TABLE}\ntable T\n    [z] = [y] + [x]\n    [y] = [x] * 2\n    [x] = Fruit[price].SUM()\n")
    for node in plan.nodes:
        assert all(id < node.id for id in node.inputs)
    assert [field for table, field in plan.fields if table == "T"] == ["x", "y", "z"]


def test_equal_sub_expressions_are_one_node_across_tables_and_ways_of_writing() -> None:
    plan = planned(
        f"{EXAMPLE_TABLE}\ntable T\n    [a] = Fruit[price].SUM() + 1\n    [b] = SUM(Fruit[price]) * 2\ntable U\n    "
        "[c] = Fruit.FILTER($[price] > 2).COUNT()\n    [d] = COUNT(FILTER(Fruit, $[price] > 2)) + SUM(Fruit[price])\n"
    )
    labels = Counter(node.label for node in plan.nodes if node.op in ("apply", "query"))
    assert labels["SUM"] == 1
    assert labels["FILTER"] == 1
    assert labels["COUNT"] == 1
    assert labels[">"] == 1


def test_one_and_true_and_the_text_one_are_different_nodes() -> None:
    plan = planned('table T\n    [a] = {1, 1.0, "1"}\n')
    assert sum(node.op == "constant" for node in plan.nodes) == 3


def test_dependencies_are_between_fields() -> None:
    plan = planned(
        "table A\n    dim [n] = RANGE(2)\n    [x] = B[y].SUM()\n    [z] = [n]\ntable B\n    [y] = A[z].SUM()\n    [w] "
        "= A.FILTER($[n] > 1)[z].SUM() + A[x].SUM()\n"
    )
    assert kinds(plan)["Mistake"] == 0, "A needs B and B needs A, but no field needs itself"
    order = list(plan.fields)
    assert order.index(("A", "z")) < order.index(("B", "y")) < order.index(("A", "x")) < order.index(("B", "w"))


def test_evaluating_inside_the_evaluation_table_is_no_cycle() -> None:
    text = (
        INGREDIENTS
        + "!evaluation()\n!manual()\ntable E\n    [n] = E.EVALUATE_N(Ingredients[item])\n    !evaluation_question()\n  "
        '  [q]\n    !evaluation_field("Ingredients", "item")\n    [t]\noverride\n[q],[t]\n"a","Carrots"\n'
    )
    assert kinds(planned(text))["Mistake"] == 0


def test_only_what_a_table_needs_is_planned() -> None:
    sheet = parse("table A\n    [x] = 1\ntable B\n    [y] = A[x]\n    [z] = 2\ntable C\n    [w] = B[z]\n")
    assert list(make_plan(sheet, only=["C"]).fields) == [("B", "z"), ("C", "w")]


def test_the_tokenizer_and_mrr_have_their_nodes() -> None:
    found = kinds(planned('table T\n    [a] = TOKENS("a")\n    [b] = MRR({"a"}, "a")\n    [c] = INPUT("f.csv")[a]\n'))
    assert found["Tokenize"] == found["MRR"] == found["Input"] == 1


def test_the_plan_as_text() -> None:
    text = plan_text(planned("table T\n    [a] = ({1, 2}.SUM() + 1) * {1, 2}.SUM()\n    [b] = [a]\n"))
    assert text == (
        "T\n"
        "  Field T[a]\n"
        "    Formula *\n"
        "      Formula +\n"
        "        Function SUM #1\n"
        "          Array {}\n"
        "            Value 1\n"
        "            Value 2\n"
        "        Value 1\n"
        "      Function SUM (#1, above)\n"
        "  Field T[b]\n"
        "    Field T[a]\n"
    )


def test_the_plan_as_mermaid_quotes_what_would_break_it() -> None:
    text = plan_mermaid(planned('table \'A "b" <c>\'\n    [x] = "#[]" & 1\n'))
    assert text.startswith("flowchart LR\n")
    labels = [line for line in text.splitlines() if '["' in line]
    assert all(line.count('"') == 2 and "<" not in line for line in labels)
    edges = [line.split() for line in text.splitlines() if "-->" in line]
    names = {line.strip().split("[")[0] for line in labels}
    assert edges
    assert all(source in names and target in names for source, _, target in edges)
