"""A problem in the published form of DS-1000, small enough to be read at a glance. Two inputs; the answer keeps rows
above a limit."""

from __future__ import annotations

from typing import Any

from karat.core.records import Case, Where
from karat.suites.codegen.benchmarks.ds1000 import read_problem
from karat.suites.codegen.records import Task

CONTEXT = '''
import pandas as pd
import copy
import tokenize, io


def generate_test_case(test_case_id):
    def generate_ans(data):
        secret_df, secret_limit = data
        return secret_df[secret_df["a"] > secret_limit]

    def define_test_input(test_case_id):
        if test_case_id == 1:
            df, limit = pd.DataFrame({"a": [3, 1, 2], "b": list("xyz")}), 1
        if test_case_id == 2:
            df, limit = pd.DataFrame({"a": [7, 9, 8], "b": list("uvw")}), 7
        return df, limit

    test_input = define_test_input(test_case_id)
    expected_result = generate_ans(copy.deepcopy(test_input))
    return test_input, expected_result


def exec_test(result, ans):
    try:
        pd.testing.assert_frame_equal(result, ans, check_dtype=False)
        return 1
    except:
        return 0


exec_context = r"""
import pandas as pd
df, limit = test_input
[insert]
"""


def test_execution(solution: str):
    code = exec_context.replace("[insert]", solution)
    for i in range(2):
        test_input, expected_result = generate_test_case(i + 1)
        test_env = {"test_input": test_input}
        exec(code, test_env)
        assert exec_test(test_env["result"], expected_result)
'''
STRING = """

def test_string(solution: str):
    tokens = []
    for token in tokenize.tokenize(io.BytesIO(solution.encode("utf-8")).readline):
        tokens.append(token.string)
    assert "for" not in tokens and "while" not in tokens
"""
RIGHT = 'result = df[df["a"] > limit]'
BODY = CONTEXT.replace(
    "df, limit = test_input\n[insert]",
    "def f(frame, least):\n[insert]\ndf, limit = test_input\nresult = f(df, limit)",
)


def row(
    context: str = CONTEXT, reference: str = RIGHT, *, number: int | str = 7, library: str = "Pandas"
) -> dict[str, Any]:
    about = {"problem_id": number, "library": library, "perturbation_type": "Origin", "perturbation_origin_id": 7}
    return {
        "prompt": "Problem:\nKeep the rows where a is above the limit.\nA:\n<code>\nimport pandas as pd\n</code>\n"
        "result = ... # put solution in this variable\nBEGIN SOLUTION\n<code>\n",
        "reference_code": reference,
        "metadata": about,
        "code_context": context,
    }


def problem(context: str = CONTEXT, reference: str = RIGHT) -> Task:
    """The task of such a problem."""
    made = read_problem(row(context, reference), Where("problems.jsonl", 0, 0, 1))
    assert isinstance(made, Case), made
    target = made.conversation[1].target
    assert target is not None
    return target
