"""Problems that bring their own tests: every input counts, the checks of the text too, and an answer cannot reach its
judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import karat
from karat.core.suite import NotApplicable
from karat.sandbox import Sandbox
from karat.suites.codegen.comparison import Comparison, judged
from karat.suites.codegen.details import details_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.report import why
from karat.suites.codegen.running.completion import code_for
from karat.suites.codegen.running.references import schema_of
from tests.suites.codegen.problems import BODY, CONTEXT, RIGHT, STRING, problem, row

QUESTION = "Keep the rows where a is above the limit."


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def tried(box: Sandbox, task: Task, code: str) -> Comparison:
    return judged(QUESTION, task, [code], Options(performance=False), box)


def test_the_reference_and_other_right_code_pass(box: Sandbox) -> None:
    for code in (RIGHT, "result = df.loc[df.a.gt(limit)]", "result = df.query('a > @limit')"):
        assert tried(box, problem(), code).correctness.passed, code


def test_every_input_counts(box: Sandbox) -> None:
    found = tried(box, problem(), "result = df[df.a > 1]")
    assert not found.correctness.passed
    assert found.correctness.reason == "test_failed"
    assert found.correctness.evidence["test_input"] == 2
    listed = "result = df[df.a.isin([2, 3])]"
    assert not tried(box, problem(), listed).correctness.passed


def test_code_that_fails_on_a_later_input_did_not_run(box: Sandbox) -> None:
    found = tried(box, problem(), "assert 3 in df.a.values\nresult = df[df.a > limit]")
    assert (found.last.ran, found.last.line, found.last.error) == (False, 1, "AssertionError")
    assert found.correctness.score == 0.0


def test_the_checks_of_the_text_count(box: Sandbox) -> None:
    task = problem(CONTEXT + STRING)
    looped = "rows = [i for i in df.index if df.a[i] > limit]\nresult = df.loc[rows]"
    assert tried(box, problem(), looped).correctness.passed
    found = tried(box, task, looped)
    assert (found.correctness.passed, found.correctness.reason) == (False, "test_failed")
    assert "does not meet the problem's requirements" in found.correctness.evidence["problem"]
    assert tried(box, task, f"# no while here, for sure\n{RIGHT}").correctness.passed


@pytest.mark.parametrize(
    "code", ["", "pass", "result = df", "result = 42  # the rows where a is above the limit", "result = None"]
)
def test_code_that_does_nothing_never_passes(box: Sandbox, code: str) -> None:
    assert not tried(box, problem(), code).correctness.passed
    overwritten = CONTEXT.replace("[insert]\n", "[insert]\nresult = df\n")
    assert not tried(box, problem(overwritten, "df = df[df.a > limit]"), code).correctness.passed


@pytest.mark.parametrize(
    ("context", "reference", "why"),
    [
        (CONTEXT.replace("assert exec_test", "exec_test"), RIGHT, "accept code that does nothing: result = "),
        (
            CONTEXT.replace("[insert]\n", "[insert]\nresult = df\n").replace("assert exec_test", "exec_test"),
            "df = df[:1]",
            "does nothing: pass",
        ),
        (
            CONTEXT.replace('secret_df[secret_df["a"] > secret_limit]', "secret_df"),
            "result = df.copy()",
            "does nothing: result = df",
        ),
        (CONTEXT, "result = df[df.a >= limit]", "reject the reference here: AssertionError"),
        (CONTEXT + STRING, f"for _ in [1]: {RIGHT}", "reject the reference here: AssertionError"),
        (CONTEXT, "result = df.no_such_thing", "the reference fails here: AttributeError"),
        (CONTEXT.replace("import copy", "import copy, no_such_module"), RIGHT, "No module named 'no_such_module'"),
        (
            CONTEXT.replace("return secret_df", "return no_such_name"),
            RIGHT,
            "reject the reference here: NameError",
        ),
    ],
)
def test_tests_that_cannot_judge_are_not_held_against_the_model(
    box: Sandbox, context: str, reference: str, why: str
) -> None:
    with pytest.raises(NotApplicable, match="gold_error") as told:
        tried(box, problem(context, reference), RIGHT)
    assert why in str(told.value)


WRONG = "result = df"
FORGED = {
    "patched tests": f"pd.testing.assert_frame_equal = lambda *a, **k: None\n{WRONG}",
    "patched everywhere": "import pandas._testing as t, pandas.testing as p\n"
    "for m in (t, p):\n    for n in dir(m):\n        if n.startswith('assert'): setattr(m, n, lambda *a, **k: "
    f"None)\n{WRONG}",
    "no assertion errors": f"import builtins\nbuiltins.AssertionError = type('E', (), {{}})\n{WRONG}",
    "always equal": "class E:\n    def __eq__(self, o): return True\n    def __getattr__(self, n): return self\nresult "
                    "= E()",
    "a frame that is always "
    "equal": "class E(pd.DataFrame):\n    @property\n    def shape(self): return (2, 2)\n    def __eq__(self, o): "
             "return True\n"
    "    def equals(self, o): return True\nresult = E(df)",
    "all frames in sight": "import sys\nframe = sys._getframe()\nwhile frame:\n"
    "    for name in ('exec_test', 'judged', 'verdict'):\n        frame.f_globals[name] = lambda *a: 1\n    frame = "
    "frame.f_back\n" + WRONG,
    "a result of its own": "import sys\nm = sys.modules['__main__']\nm.result = {'execution': '', 'input': 2, "
                           "'string': ''}\n" + WRONG,
    "an early end": "import os\nos._exit(0)",
    "a quiet end": "import sys\nresult = df\nsys.exit(0)",
    "a pickle": "class P:\n    def __reduce__(self): return (exec, ('import builtins; builtins.AssertionError = "
                "ValueError',))\nresult = P()",
    "another encoder": "import json\njson.dumps = lambda *a, **k: '{\"execution\": \"\"}'\nresult = 1",
    "an answer in another name": "answer = df[df.a > limit]",
}  # fmt: skip


@pytest.mark.parametrize("how", FORGED)
def test_a_verdict_cannot_be_forged(box: Sandbox, how: str) -> None:
    found = tried(box, problem(), FORGED[how])
    assert not found.correctness.passed
    assert tried(box, problem(), RIGHT).correctness.passed  # and nothing of it is left behind


def test_nothing_of_the_answer_is_in_sight(box: Sandbox) -> None:
    look = (
        "import gc, sys\n"
        "texts = [o for o in gc.get_objects() if isinstance(o, (dict, tuple, list))]\n"
        "frame, seen = sys._getframe(), []\n"
        "while frame:\n    seen += [repr(frame.f_code.co_consts), repr(list(frame.f_locals.values()))]\n    frame = "
        "frame.f_back\n"
        "word = '_'.join(['secret', 'df'])\n"
        "result = word in ''.join(seen) or any(word in repr(t)[:100000] for t in texts[-2000:])"
    )
    found = tried(box, problem(), look)
    assert found.last.ran
    assert found.result == "False"


def test_an_answer_finds_only_what_the_harness_gives_it(box: Sandbox) -> None:
    for name in ("np", "copy", "generate_test_case", "expected_result", "exec_test", "tables"):
        assert tried(box, problem(), f"{name}\n{RIGHT}").last.error == f"NameError: name '{name}' is not defined"


def test_the_body_of_a_function(box: Sandbox) -> None:
    task = problem(BODY, '    kept = frame[frame["a"] > least]\n    return kept')
    for code in (
        "return frame[frame.a > least]",
        "    return frame[frame.a > least]",
        "x = least\nreturn frame[frame.a > x]",
    ):
        assert tried(box, task, code).correctness.passed, code
    for code in ("pass", "return frame", "return frame[frame.a > 1]"):
        assert not tried(box, task, code).correctness.passed, code
    failed = tried(box, task, "x = 1\nreturn frame.nothing").last
    assert (failed.error_class, failed.line) == ("attribute_error", 2)


def test_a_body_below_other_lines_of_its_function(box: Sandbox) -> None:
    below = BODY.replace("def f(frame, least):\n", "def f(frame, least):\n  kept = frame\n  # go on here\n")
    task = problem(below, "  return kept[kept.a > least]\n")
    assert tried(box, task, "x = least\nreturn kept[kept.a > x]").correctness.passed
    assert not tried(box, task, "return kept").correctness.passed


@pytest.mark.parametrize(
    "text",
    [
        RIGHT,
        f"{RIGHT}\n</code>\nEND SOLUTION\n",
        f"<code>\n{RIGHT}\n</code>",
        f"```python\n{RIGHT}\n```\n</code>",
        f"A:\n<code>\nimport pandas as pd\n</code>\nresult = ...\nBEGIN SOLUTION\n<code>\n{RIGHT}\n</code>\nThat is "
        "it.",
        f"{RIGHT}\n### END SOLUTION\nprint(nothing)",
    ],
)
def test_answers_go_on_as_the_prompt_does(text: str) -> None:
    assert code_for(problem(), text.encode()) == RIGHT


def test_inputs_of_chance_are_the_same_for_answer_and_tests(box: Sandbox) -> None:
    chance = CONTEXT.replace(
        '{"a": [3, 1, 2], "b": list("xyz")}), 1', '{"a": __import__("random").sample(range(99), 9)}), 40'
    )
    assert tried(box, problem(chance), "result = df.loc[df.a.gt(limit)]").correctness.passed
    drawn = CONTEXT.replace('secret_df[secret_df["a"] > secret_limit]', "secret_df.sample(2)")
    with pytest.raises(NotApplicable, match="reject the reference"):
        tried(
            box,
            problem(
                drawn.replace("[3, 1, 2]", "list(range(10**5))").replace('list("xyz")', "1"), "result = df.sample(2)"
            ),
            RIGHT,
        )


def test_names_of_the_input_are_tables_and_values(box: Sandbox) -> None:
    for context, code in ((CONTEXT, RIGHT), (BODY, "return frame[frame.a > least]")):
        task = problem(context, code)
        schema, _ = schema_of(box, task)
        assert schema.tables == {"df": ("a", "b")}
        found = tried(box, task, code)
        assert found.facts.tables == ("df",)
        assert found.facts.columns == ("a",)
        assert [one.column for one in found.facts.filters] == ["a"]


def test_a_syntax_error_has_its_own_line(box: Sandbox) -> None:
    found = tried(box, problem(), "x = 1\nresult = df[")
    assert (found.last.error_class, found.last.line) == ("syntax_error", 2)


def test_a_report_says_which_input_is_wrong_and_what_was_printed(tmp_path: Path) -> None:
    (tmp_path / "problems.jsonl").write_text("\n".join(json.dumps(row(number=number)) for number in (0, 1)))
    answers = [{"id": 0, "code": "result = df[df.a > 1]"}, {"id": 1, "code": "print(df[df.a > limit])"}]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, answers)))
    result = karat.score(
        suite="codegen",
        cases=tmp_path / "problems.jsonl",
        predictions=tmp_path / "answers.jsonl",
        options={"performance": False},
        workers=1,
    )
    told = {case.id: why(case, details_of(case)).splitlines()[0] for case in result.cases}
    assert told["0"] == "test failed: wrong on test input 2 of 2"
    assert told["1"] == "the answer was printed, not returned: assign it to `result`"
