"""Finding the code in a response."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.suite import Unreadable
from karat.suites.codegen.code import code_in, code_of

CODE = "result = df.age.mean()"


@pytest.mark.parametrize(
    "response",
    [
        CODE,
        f"```python\n{CODE}\n```",
        f"Here you are:\n\n```\n{CODE}\n```\nIt takes the mean.",
        f"~~~py\n{CODE}\n~~~",
        f"```python\n{CODE}",  # cut off before the end
        f"   ```python\n   {CODE}\n   ```",
        f">>> {CODE}",
        json.dumps({"code": CODE}),
        json.dumps({"id": "t1", "response": f"```python\n{CODE}\n```"}),
        json.dumps({"choices": [{"message": {"role": "assistant", "content": f"```python\n{CODE}\n```"}}]}),
        json.dumps({"choices": [{"text": CODE}]}),
        json.dumps(f"```\n{CODE}\n```"),
    ],
)
def test_one_code_in_many_wrappings(response: str) -> None:
    assert code_of(response.encode()) == CODE


def test_several_blocks_are_one_program_and_other_languages_are_not_code() -> None:
    text = "First:\n```python\na = 1\n```\nrun it:\n```bash\npython x.py\n```\nthen\n```python\nresult = a\n```\n"
    assert code_in(text) == "a = 1\n\nresult = a"


def test_code_that_begins_like_json_is_code() -> None:
    assert code_of(b"[x for x in df.age]") == "[x for x in df.age]"
    assert code_of(b'{"a": 1}["a"]') == '{"a": 1}["a"]'


def test_a_body_without_code_says_what_it_has() -> None:
    with pytest.raises(Unreadable, match="its keys are: id, usage"):
        code_of(b'{"id": "x", "usage": {}}')


@given(st.binary(max_size=300))
def test_any_bytes_are_code_or_unreadable(response: bytes) -> None:
    try:
        assert isinstance(code_of(response), str)
    except Unreadable as error:
        assert "no code" in str(error)
