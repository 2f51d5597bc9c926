"""The scores themselves are measured: a reference stands above its wrong variants, and nothing that does not run raises
a score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.suites.codegen.mutants import EXAMPLES, Example, mutants
from tests.suites.codegen.regex_scorer import regex_coverage, regex_understanding
from tests.suites.codegen.scored import both


def score(example: Example, code: str) -> float:
    return both(example.question, code, example.schema, example.values)


def regex_score(example: Example, code: str) -> float:
    question, schema = example.question, example.schema
    return (regex_understanding(question, code, schema) + regex_coverage(question, code, schema)) / 2


def test_references_stand_above_their_mutants() -> None:
    pairs = [(example, mutant) for example in EXAMPLES for mutant in mutants(example)]
    above = [pair for pair in pairs if score(pair[0], pair[0].code) > score(pair[0], pair[1].code) + 1e-9]
    anchor = [pair for pair in pairs if regex_score(pair[0], pair[0].code) > regex_score(pair[0], pair[1].code) + 1e-9]
    assert len(pairs) > 200
    assert len(above) / len(pairs) >= 0.95
    assert len(anchor) / len(pairs) < 0.7  # what reading the text alone comes to


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.question)
def test_references_score_in_full(example: Example) -> None:
    assert score(example, example.code) == pytest.approx(1.0)


IDLE = (
    "# df.groupby('city')['salary'].mean().nlargest(3)",
    "'age salary city department country amount mean sum'",
    "unused = df_copy['age'] if False else None",
    "note = \"df.groupby('city').salary.mean()\"",
    "def never(d):\n    return d.groupby('city')['salary'].mean().sort_values()",
    "if False:\n    result = df.groupby('city')['salary'].mean()",
    "waste = [t.merge(t).sort_values('age').head(3) for t in []]",
    "print('average salary by city')",
    "unused_filter = lambda d: d[d['age'] > 30]",
    "extra = next(iter(globals()), None)",
)
WRONG = ("result = 42", "result = df", "result = None")


@given(st.sampled_from(EXAMPLES), st.data())
def test_what_does_not_reach_the_result_raises_no_score(example: Example, data: st.DataObject) -> None:
    code = data.draw(st.sampled_from((example.code, *WRONG, *(mutant.code for mutant in mutants(example)))))
    added = data.draw(st.lists(st.sampled_from(IDLE), min_size=1, max_size=4))
    before = data.draw(st.booleans())
    longer = "\n".join((*added, code) if before else (code, *added))
    assert score(example, longer) <= score(example, code) + 1e-9
