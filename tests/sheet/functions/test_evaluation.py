"""Evaluation tables, from the contract's own example to the ranks behind RETRIEVE."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.ranks import ranking
from karat.search.records import Floats, Model
from karat.sheet.check.checker import check_sheet
from karat.sheet.compute.resources import Resources
from karat.sheet.evaluation import Settings, evaluate, evaluation_of
from karat.sheet.functions import FUNCTIONS
from karat.sheet.functions.evaluation import recall
from karat.sheet.text.parser import parse
from karat.sheet.values import NA, Array, plain
from tests.sheet.contract import contract_example
from tests.sheet.evaluated import NO_FOLDER, column, evaluated, mistake_of, value_of

INGREDIENTS = """!manual()
table Ingredients
    [item]
    [price_type]
override
[item],[price_type]
"Carrots","Cheap"
"Potatoes","Cheap"
"Onions","Cheap"
"Garlic","Cheap"
"Salmon","Expensive"
"Saffron","Luxury"

"""


# -- the contract
# --------------------------------------------------------------------------------------------------------


@pytest.mark.shared_data
def test_the_contract_runs_as_it_is_printed(shared: Path) -> None:
    book = evaluated(INGREDIENTS + contract_example(shared))
    assert book.problems == ()
    assert list(book.table("EvaluationResult").rows()) == [(1, 1)]
    (pick_items, pick_types) = book.choices["Evaluation"].picks
    assert pick_items.field == "Ingredients[item]"
    assert pick_items.n >= 4
    assert pick_types.field == "Ingredients[price_type]"


@pytest.mark.shared_data
def test_the_contract_runs_on_a_bound_table(shared: Path, tmp_path: Path) -> None:
    file = tmp_path / "ingredients.csv"
    file.write_text("item,price_type\nCarrots,Cheap\nPotatoes,Cheap\nOnions,Cheap\nGarlic,Cheap\nSalmon,Expensive\n")
    book = evaluate(parse(contract_example(shared)), folder=NO_FOLDER, tables={"Ingredients": file})
    assert book.problems == ()
    assert list(book.table("EvaluationResult").rows()) == [(1, 1)]


EVALUATION = """!evaluation()
!manual()
table Evaluation
    !evaluation_question()
    [Question]
    !evaluation_field("Ingredients[item]")
    [Items]
    !evaluation_field("Ingredients", "price_type")
    [Types]
    [retrieved] = RETRIEVE(Ingredients[item], [Question], 2, "bm25")
    [recall] = RECALL([retrieved], [Items])
    [recall of columns] = RECALL(RETRIEVE(Ingredients[item], Evaluation[Question], 2, "bm25"), Evaluation[Items])
    [recall by hand] = RETRIEVE(Ingredients[item], Evaluation[Question], 2, "bm25").INTERSECTION(Evaluation[Items]).COUNT() / Evaluation[Items].COUNT()
    [recall at once] = RECALL(Ingredients[item], [Question], [Items], 2, "bm25")
    [missing] = MISSING([retrieved], [Items])
    [types] = RECALL(RETRIEVE(Ingredients[price_type], [Question], 1, "bm25"), [Types])
    [average] = AVERAGE([recall], [types])
override
[Question],[Items],[Types]
"carrots with onions","Carrots;Onions","Luxury"
"salmon","Salmon;Saffron",
"expensive saffron",,"Expensive"
"""


def figures(field: str) -> list[object]:
    return column(INGREDIENTS + EVALUATION, "Evaluation", field)


def test_recall_is_the_same_however_it_is_asked() -> None:
    expected = [1, 0.5, 1]
    for field in ("recall", "recall of columns", "recall at once"):
        assert figures(field) == expected, field
    assert figures("recall by hand") == [1, 0.5, None], "0 of 0: the formula says nothing about an empty truth"


def test_missing_names_exactly_the_keys_that_were_not_found() -> None:
    assert figures("missing") == [[], ["Saffron"], []]


def test_of_an_empty_truth_nothing_is_missing() -> None:
    assert figures("Types") == [["Luxury"], None, ["Expensive"]]
    assert figures("types") == [0, 1, 1]
    assert figures("average") == [0.5, 0.75, 1]


def test_the_sum_of_recalls_the_average_and_the_choice_are_one_number() -> None:
    """The example of the specification: two fields, truths "Leek" and empty, and Leek is not retrieved."""
    text = """
!manual()
table Food
    [item], [kind]
override
[item],[kind]
"Leek","Green"
"Milk","White"

!evaluation()
!manual()
table Evaluation
    [r1] = RECALL(RETRIEVE(Food[item], [Question], 0, NA), [Items])
    [r2] = RECALL(RETRIEVE(Food[kind], [Question], 1, "bm25"), [Kinds])
    [half] = ([r1] + [r2]) / 2
    [average] = AVERAGE([r1], [r2])
    !evaluation_question()
    [Question]
    !evaluation_field("Food[item]")
    [Items]
    !evaluation_field("Food[kind]")
    [Kinds]
override
[Question],[Items],[Kinds]
"what is long","Leek",
"""
    found = {name: column(text, "Evaluation", name) for name in ("r1", "r2", "half", "average")}
    assert found == {"r1": [0], "r2": [1], "half": [0.5], "average": [0.5]}


def test_a_field_that_is_left_out_has_no_n_and_no_model() -> None:
    text = """
!manual()
table Food
    [item], [story]
override
[item],[story]
"Leek","a very long story about a leek that nobody can afford to send"
"Milk","another story, just as long, about a cow and all of her friends"

!evaluation()
!manual()
table Evaluation
    [n] = EVALUATE_N(Food[story])
    [model] = EVALUATE_MODEL(Food[story])
    [retrieved] = RETRIEVE(Food[story], [Question], [n], [model])
    !evaluation_question()
    [Question]
    !evaluation_field("Food[item]")
    [Items]
    !evaluation_field("Food[story]")
    [Stories]
override
[Question],[Items],[Stories]
"a leek","Leek",
"a cow",,"another story, just as long, about a cow and all of her friends"
"""
    book = evaluated(text, settings=Settings(models=("bm25",), budget_tokens=4))
    assert book.problems == ()
    assert next(book.table("Evaluation").rows())[:2] == (0, NA)
    assert column(text, "Evaluation", "n") == [1, 1], "with more tokens it is retrieved"
    assert [len(cell) for cell in book.column("Evaluation", "retrieved") if isinstance(cell, Array)] == [0, 0]
    (problem,) = evaluated(
        text, settings=Settings(models=("bm25",), budget_tokens=4, required=("Food[story]",))
    ).problems
    assert "one value of each required field takes up to" in problem.message


def test_a_question_is_scored_against_its_own_ranking() -> None:
    """A known defect elsewhere: every question's MRR against the first one's ranking."""
    text = INGREDIENTS + EVALUATION.replace(
        "[missing] = MISSING", "[mrr] = MRR([retrieved], [Items])\n    [missing] = MISSING"
    )
    assert column(text, "Evaluation", "mrr") == [1.5, 1, None]
    text = text.replace(
        "MRR([retrieved], [Items])",
        'MRR(RETRIEVE(Ingredients[item], Evaluation[Question], 2, "bm25"), Evaluation[Items])',
    )
    assert column(text, "Evaluation", "mrr") == [1.5, 1, None]


def test_an_escaped_semicolon_is_part_of_the_value() -> None:
    """A known defect elsewhere: it still splits."""
    text = INGREDIENTS.replace('"Saffron"', '"salt; pepper"') + EVALUATION.replace(
        "Salmon;Saffron", "Salmon;salt'; pepper"
    )
    assert column(text, "Evaluation", "Items")[1] == ["Salmon", "salt; pepper"]
    assert evaluation_of(parse(text), folder=NO_FOLDER).fields[0].truths[1] == ("Salmon", "salt; pepper")


def test_truths_may_be_arrays() -> None:
    text = INGREDIENTS + EVALUATION.replace("    [Items]\n", '    [Items] = {"Onions", "Milk"}\n').replace(
        "[Question],[Items],[Types]", "[Question],[x],[Types]"
    ).replace("    [retrieved]", "    [x]\n    [retrieved]")
    assert column(text, "Evaluation", "recall") == [0.5, 0, 0]


def test_truths_as_plain_text_go_in_step_with_the_questions() -> None:
    text = INGREDIENTS + EVALUATION.replace('    !evaluation_field("Ingredients[item]")\n', "")
    assert column(text, "Evaluation", "recall of columns") == [1, 0.5, 1]


# -- the evaluation table
# --------------------------------------------------------------------------------------------------


def test_the_evaluation_table_is_read_without_computing_the_rest() -> None:
    found = evaluation_of(
        parse(INGREDIENTS + EVALUATION + '\ntable Broken\n    [x] = INPUT("nothing.csv")\n'), folder=NO_FOLDER
    )
    assert found.name == "Evaluation"
    assert found.questions == ("carrots with onions", "salmon", "expensive saffron")
    items, types = found.fields
    assert (items.field, types.field) == ("Ingredients[item]", "Ingredients[price_type]")
    assert types.values == ("Cheap", "Expensive", "Luxury"), "distinct, in their order"
    assert items.truths == (("Carrots", "Onions"), ("Salmon", "Saffron"), ())
    assert types.truths == (("Luxury",), (), ("Expensive",))


def test_rows_without_a_question_are_left_out() -> None:
    text = INGREDIENTS + EVALUATION + ',"Carrots",\n'
    assert len(evaluation_of(parse(text), folder=NO_FOLDER).questions) == 3


@pytest.mark.parametrize(
    ("applied", "asked"),
    [
        ("filter [use] = 1", ("carrots", "garlic")),
        ("filter ROW() > 1\n  sort -[passed]", ("onions", "garlic")),
        ("filter [passed] = 0", ("carrots", "onions", "garlic")),  # looks at the choice: it comes after
        ("sort [passed]", ("carrots", "onions", "garlic")),
    ],
)
def test_rows_that_a_filter_leaves_out_are_no_questions(applied: str, asked: tuple[str, ...]) -> None:
    text = f"""{INGREDIENTS}!evaluation()
!manual()
table E
    [use]
    !evaluation_question()
    [q]
    !evaluation_field("Ingredients[item]")
    [t]
    [passed] = RECALL(RETRIEVE(Ingredients[item], [q], EVALUATE_N(Ingredients[item]), "bm25"), [t]) = 1
apply
  {applied}
override
[use],[q],[t]
1,"carrots","Carrots"
0,"onions","Salmon"
1,"garlic","Garlic"
"""
    assert evaluation_of(parse(text), folder=NO_FOLDER).questions == asked
    (choice,) = evaluated(text, settings=Settings(models=("bm25",))).choices.values()
    assert choice.questions == len(asked)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (INGREDIENTS, "the sheet has no table marked !evaluation()"),
        (INGREDIENTS + EVALUATION + EVALUATION.replace("table Evaluation", "table Other"), "2 tables marked"),
        (INGREDIENTS + EVALUATION.replace("    !evaluation_question()\n", ""), "no field marked !evaluation_question"),
        (EVALUATION, "there is no table Ingredients"),
        (INGREDIENTS.replace("[item]", "[thing]") + EVALUATION, "there is no field [item] in Ingredients"),
    ],
)
def test_what_is_wrong_with_an_evaluation_table(text: str, said: str) -> None:
    with pytest.raises(UserError) as error:
        evaluation_of(parse(text), folder=NO_FOLDER)
    assert said in error.value.message


def test_one_of_several_evaluation_tables_is_named() -> None:
    text = INGREDIENTS + EVALUATION + EVALUATION.replace("table Evaluation", "table Other").replace("salmon", "fish")
    assert evaluation_of(parse(text), folder=NO_FOLDER, name="Other").questions[1] == "fish"


# -- choosing
# ----------------------------------------------------------------------------------------------------------------

CHOSEN = """
table Chosen
    [n] = Evaluation.EVALUATE_N(Ingredients[item])
    [as text] = EVALUATE_N("Ingredients[item]")
    [alone] = EVALUATE_N(Ingredients[item])
    [model] = Evaluation.EVALUATE_MODEL(Ingredients[item])
    [types] = EVALUATE_MODEL("Ingredients[price_type]")
"""


def test_n_and_model_are_the_joint_choice_of_the_evaluation_table() -> None:
    book = evaluated(INGREDIENTS + EVALUATION + CHOSEN, settings=Settings(models=("bm25",)))
    assert book.problems == ()
    items = book.choices["Evaluation"].picks[0]
    assert list(book.table("Chosen").rows()) == [(items.n, items.n, items.n, "bm25", "bm25")]
    assert items.n == 6, "with pessimistic ties, Saffron comes last for a question about salmon"


def test_a_limit_on_n_or_on_tokens_is_kept() -> None:
    few = evaluated(INGREDIENTS + EVALUATION + CHOSEN, settings=Settings(models=("bm25",), max_n=2))
    assert list(few.column("Chosen", "n")) == [2]
    none = evaluated(INGREDIENTS + EVALUATION + CHOSEN, settings=Settings(models=("bm25",), budget_tokens=1))
    (problem,) = none.problems
    assert "nothing can be found within a budget of 1 token:" in problem.message
    assert list(none.column("Evaluation", "recall")) == [1, 0.5, 1], "what does not depend on the choice is there"


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("Ingredients.EVALUATE_N(Ingredients[item])", "Ingredients is not an evaluation table"),
        ("Evaluation.EVALUATE_N(Evaluation[Question])", "Evaluation has no truths for Evaluation[Question]"),
        ('EVALUATE_N("item")', "needs a field"),
    ],
)
def test_what_cannot_be_chosen(formula: str, said: str) -> None:
    assert said in mistake_of(formula, INGREDIENTS + EVALUATION, checked=False)


def test_an_unknown_model_is_a_mistake_of_its_cell() -> None:
    assert 'there is no model "bm52"' in mistake_of('RETRIEVE({"a"}, "a", 1, "bm52")', checked=False)


def test_a_sheet_may_not_name_a_model_that_runs_code() -> None:
    assert "a file is not allowed to request" in mistake_of('RETRIEVE({"a"}, "a", 1, "python:os:getcwd")')


# -- retrieving
# --------------------------------------------------------------------------------------------------------------


def test_a_column_of_questions_is_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[int, int]] = []
    real = ranking.best

    def counting(model: Model, questions: Sequence[str], values: Sequence[str], n: int, **rest: object) -> object:
        calls.append((len(questions), n))
        return real(model, questions, values, n, **rest)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(ranking, "best", counting)
    text = (
        INGREDIENTS
        + """
table Q
    dim [n] = RANGE(50)
    [one] = RETRIEVE(Ingredients[item], "carrots " & [n], 1 + [n] MOD 3, "bm25")
    [two] = RETRIEVE(Ingredients[item], "carrots " & Q[n], 1, "bm25").COUNT()
"""
    )
    book = evaluated(text)
    assert book.problems == ()
    assert calls == [(50, 3), (50, 1)], "one pass for each field and model, up to the largest n"
    assert [len(cell) for cell in book.column("Q", "one")] == [1 + n % 3 for n in range(1, 51)]
    assert set(book.column("Q", "two")) == {1}


def test_values_are_distinct_texts() -> None:
    assert value_of('RETRIEVE({"a", "b", "a", NA, ""}, "b", 9, "bm25")') == ["b", "a"]
    assert value_of('RETRIEVE({7, 8}, "8", 1, "bm25")') == ["8"]
    assert value_of('RETRIEVE({"a"}, "a", 0, "bm25")') == []
    assert value_of('RETRIEVE({}, "a", 3, "bm25")') == []
    assert value_of('RETRIEVE({"a"}, NA, 3, "bm25")') is None


def test_scores_come_with_their_values() -> None:
    assert value_of('RETRIEVE_SCORES({"Milk", "Leek"}, "leek", 2, "bm25")[value]') == ["Leek", "Milk"]
    best, rest = value_of('RETRIEVE_SCORES({"Milk", "Leek"}, "leek", 2, "bm25")[score]')
    assert best > rest


def _fixed(scores: np.ndarray) -> Model:
    def score(questions: Sequence[str], values: Sequence[str]) -> Floats:
        return np.array([[scores[int(q[1:]), int(v[1:])] for v in values] for q in questions], dtype=np.float32)

    return Model("fixed", "1", score=score)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_recall_from_retrieving_is_recall_from_ranks_where_no_scores_tie(data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 8))
    ties = data.draw(st.booleans())
    levels = st.integers(0, 3) if ties else st.integers(0, 10**6)
    scores = np.array(
        data.draw(st.lists(st.lists(levels, min_size=width, max_size=width, unique=not ties), min_size=1, max_size=4))
    )
    values = [f"v{at}" for at in range(width)]
    questions = [f"q{at}" for at in range(len(scores))]
    truths = [tuple(data.draw(st.sets(st.sampled_from([*values, "v?"]), min_size=1))) for _ in questions]
    model = _fixed(scores)
    resources = Resources(NO_FOLDER)
    resources._models["fixed"] = model
    ranks = ranking.rank_field("f", values, questions, truths, [model], depth=width).models[0].ranks
    for n in range(1, width + 1):
        found = resources.best("fixed", questions, Array(values), n)
        for retrieved, expected, own in zip(found, truths, ranks, strict=True):
            by_retrieving = recall(Array([value for value, _ in retrieved]), Array(expected))
            by_rank = float(((own >= 1) & (own <= n)).sum()) / len(expected)
            assert by_rank <= by_retrieving
            if not ties:
                assert by_rank == by_retrieving


def test_the_default_model_is_used_when_none_is_named() -> None:
    text = 'RECALL({"Carrots", "a very old bicycle"}, "carrots", "Carrots")'
    assert value_of(text) == 1
    book = evaluated(f"table T\n    [x] = {text}\n", settings=Settings(default_model="bm25"))
    assert [plain(cell) for cell in book.column("T", "x")] == [1]


def test_a_ranker_may_stand_where_a_model_does() -> None:
    field = '{"Milk", "Carrots", "Salmon"}'
    assert value_of(f'RETRIEVE({field}, "carrots", 1, "rrf(bm25, wordllama; k=60)")') == ["Carrots"]
    scores = value_of(f'RETRIEVE_SCORES({field}, "carrots", 1, "rrf(bm25, wordllama; k=60)")[score]')
    assert scores == [pytest.approx(2 / 61)]
    for expression, message in (
        ("rrf(bm25, wordlama)", 'column 11 of rrf(bm25, wordlama): there is no model "wordlama"'),
        ("rrf(bm25, wordllama; k=1|2)", "stands for 2 rankers"),
    ):
        formula = f'RETRIEVE({field}, "carrots", 1, "{expression}")'
        assert message in mistake_of(formula, checked=False)
        (found,) = check_sheet(parse(f"table T\n    [x] = {formula}\n", "t.sheet"), "t.sheet", FUNCTIONS)
        assert message in found.message and found.line == 2
    assert "not allowed" in mistake_of(f'RETRIEVE({field}, "x", 1, "rerank(bm25, python:json:dumps)")')


def test_a_ranker_can_be_chosen_and_is_named_by_its_settings() -> None:
    settings = Settings(models=("rrf(bm25, wordllama; k=10|60)",))
    sheet = FUNCTIONS["EVALUATE_MODEL"].example.sheet
    assert value_of("Evaluation.EVALUATE_MODEL(Ingredients[item])", sheet, settings=settings) == (
        "rrf(bm25, wordllama; k=10)"
    )
    retrieved = (
        'RETRIEVE(Ingredients[item], "a glass of milk", Evaluation.EVALUATE_N(Ingredients[item]), '
        "Evaluation.EVALUATE_MODEL(Ingredients[item]))"
    )
    assert "Milk" in value_of(retrieved, sheet, settings=settings)
