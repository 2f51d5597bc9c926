"""Ranker expressions: what they stand for, and what is said of a mistake, where."""

from __future__ import annotations

import pytest

from karat.core.problems import UserError
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.parse import split_expressions
from karat.search.rankers.tree import label_of


def labels(text: str) -> list[str]:
    return [label_of(ranker) for ranker in rankers_of(text)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("bm25", ["bm25"]),
        (" openai:small@http://localhost:8080/v1 ", ["openai:small@http://localhost:8080/v1"]),
        ("rrf(bm25, wordllama; k=60)", ["rrf(bm25, wordllama; k=60)"]),
        ("rrf( bm25 ,wordllama )", ["rrf(bm25, wordllama; k=60)"]),
        ("rrf(bm25, wordllama; k=10|60)", ["rrf(bm25, wordllama; k=10)", "rrf(bm25, wordllama; k=60)"]),
        ("rrf(a, b; w=1,2; k=60.50)", ["rrf(a, b; k=60.5; w=1,2)"]),
        ("wsum(a, b; w=0.30,0.7; norm=minmax)", ["wsum(a, b; w=0.3,0.7; norm=minmax)"]),
        ("wsum(a, b)", ["wsum(a, b; w=1,1; norm=minmax)"]),
        (
            "wsum(a, b; w=grid(0.5); norm=minmax|zscore)",
            [
                "wsum(a, b; w=1,0; norm=minmax)",
                "wsum(a, b; w=0.5,0.5; norm=minmax)",
                "wsum(a, b; w=0,1; norm=minmax)",
                "wsum(a, b; w=1,0; norm=zscore)",
                "wsum(a, b; w=0.5,0.5; norm=zscore)",
                "wsum(a, b; w=0,1; norm=zscore)",
            ],
        ),
        ("wsum(a, b; w=1,0|grid(1))", ["wsum(a, b; w=1,0; norm=minmax)", "wsum(a, b; w=0,1; norm=minmax)"]),
        (
            "rerank(bm25, python:mine:score; depth=10|50)",
            [f"rerank(bm25, python:mine:score; depth={n})" for n in (10, 50)],
        ),
        ("mmr(minilm)", ["mmr(minilm; lambda=0.7)"]),
        (
            "rrf(rerank(a, python:m:f; depth=5), wsum(b, c; w=0.25,0.75); k=1|2)",
            [f"rrf(rerank(a, python:m:f; depth=5), wsum(b, c; w=0.25,0.75; norm=minmax); k={k})" for k in (1, 2)],
        ),
    ],
)
def test_what_an_expression_stands_for(written: str, expected: list[str]) -> None:
    assert labels(written) == expected
    for label in expected:
        assert labels(label) == [label]


def test_a_grid_has_every_vector_of_its_steps_once() -> None:
    assert len(labels("wsum(a, b; w=grid(0.1))")) == 11
    three = labels("wsum(a, b, c; w=grid(0.1))")
    assert len(three) == len(set(three)) == 66


@pytest.mark.parametrize(
    ("written", "column", "message", "hint"),
    [
        ("rff(bm25, wordllama)", 1, 'there is no ranker "rff(…)"', 'Did you mean "rrf"?'),
        ("rrf(bm25, wordllama; kk=3)", 22, 'rrf has no setting "kk"', 'Did you mean "k"?'),
        ("rrf(bm25, wordllama; k=3; k=4)", 27, 'the setting "k" is given twice', "k=10|60"),
        ("rrf(bm25, wordllama; k)", 23, 'expected "=" after k', ""),
        ("rrf(bm25, wordllama; k=)", 24, "expected a value for k", ""),
        ("rrf(bm25, wordllama; k=ten)", 24, '"ten" is not a number', ""),
        ("rrf(bm25, wordllama; k=-1)", 24, "must be 0 or more", ""),
        ("rrf(bm25, wordllama; k=1|nan)", 26, '"nan" is not a number', ""),
        ("rrf(bm25, wordllama", 20, 'expected "," or ";" or ")"', "rrf(bm25, wordllama; k=60)"),
        ("rrf(bm25, wordllama) x", 22, '"x" after the end', ""),
        ("rrf(bm25)", 1, "two or more models", ""),
        ("rrf(bm25, )", 11, "expected the name of a model", ""),
        ("", 1, "expected the name of a model", ""),
        ("wsum(a, b; w=0.3)", 14, "1 weight for 2 models", "w=0.3,0.7"),
        ("wsum(a, b; w=0,0)", 14, "one of them above 0", ""),
        ("wsum(a, b; w=-1,2)", 14, "0 or more", ""),
        ("wsum(a, b; w=grid(0.3))", 14, "does not reach 1 in whole steps", ""),
        ("wsum(a, b; w=grid(0))", 14, "does not reach 1 in whole steps", ""),
        ("wsum(a, b, c, d; w=grid(0.01))", 20, "176,851 rankers", "At most 2,000"),
        ("wsum(a, b; norm=minmix)", 17, 'no norm "minmix"', 'Did you mean "minmax"?'),
        ("wsum(a, rerank(b, python:m:f))", 9, "rerank gives only an order", "Use rrf"),
        ("rrf(a, mmr(b))", 8, "mmr cannot be a part", ""),
        ("rerank(bm25)", 1, "a ranker and the name of a reranker", ""),
        ("rerank(bm25, python:m:f; depth=2.5)", 32, "a whole number from 1", ""),
        ("mmr(bm25, wordllama)", 1, "the name of one model", ""),
        ("mmr(bm25; lambda=1.5)", 18, "from 0 to 1", ""),
        ("rrf(" * 30 + "a", 85, "nested more than 20 deep", ""),
    ],
)
def test_a_mistake_names_its_column(written: str, column: int, message: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        rankers_of(written)
    assert caught.value.message.startswith(f"column {column} of {written}: ")
    assert message in caught.value.message and hint in caught.value.hint


def test_expressions_are_split_at_commas_outside_parentheses() -> None:
    written = "bm25, rrf(bm25, wordllama; w=1,2),bm25,,mmr(minilm)"
    assert split_expressions(written) == ["bm25", "rrf(bm25, wordllama; w=1,2)", "mmr(minilm)"]
    assert split_expressions(" , ") == []
