"""Finding the code in a response."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.suite import Unreadable
from karat.suites.codegen.responses import code_of, text_of
from karat.suites.codegen.running.code_blocks import code_in
from tests.reply_forms import body, chat, json_forms, text_forms, tool_call

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


def test_of_several_blocks_the_last_python_one_is_the_answer() -> None:
    text = "First:\n```python\na = 1\n```\nrun it:\n```bash\npython x.py\n```\nthen\n```python\nresult = a\n```\n"
    assert code_in(text) == "result = a"
    assert code_in(f"{text}\nIt prints\n```\n42\n```\n") == "result = a", "a block without a language may be output"
    assert code_in(f"{text}\nFirst run\n```python\n!pip install pandas\n```") == "!pip install pandas"


FENCED = f"Draft:\n```python\nresult = 0\n```\nBetter:\n```python\n{CODE}\n```\nThat is all."


@pytest.mark.parametrize("form", text_forms(FENCED))
def test_the_last_block_is_found_in_every_form(form: str) -> None:
    assert code_of(text_forms(FENCED)[form]) == CODE


IN_JSON = {form: response for form, response in json_forms({"code": CODE}).items() if "inside words" not in form}


@pytest.mark.parametrize("form", IN_JSON)
def test_json_with_code_is_found_in_every_form(form: str) -> None:
    assert code_of(IN_JSON[form]) == CODE


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (chat("I am sorry, I cannot do that."), "text without a code block"),
        (chat("Sorry"), "text without a code block"),
        (chat(f"Here is the code you asked for:\n\n{CODE}"), "cannot be told apart from its text"),
        (chat("```sql\nSELECT 1\n```"), "none of its blocks is Python"),
        (chat("```python\n\n```"), "its code block is empty"),
        (chat(f"```python\n{CODE}\n", finish="length"), "cut off at the token limit"),
        (chat(CODE, finish="content_filter"), "content filter"),
        (chat('{"code": "a = 1"}', tool_calls=[tool_call({"code": "a = 2"})]), "2 different codes"),
        (chat(""), "whose message is empty"),
        ({"foo": 1}, "its keys are: foo"),
        (chat('{"thoughts": "hm"}'), "its keys are: thoughts"),
    ],
)
def test_what_holds_no_code_is_an_error(response: Any, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        code_of(body(response))


BROKEN = ["result = df.age.mean(", "x == 1 if", "for x in df:\nprint(x)", "df", "42", "df.age.mean()", "return x"]


@pytest.mark.parametrize("text", BROKEN)
def test_broken_code_is_still_code(text: str) -> None:
    assert code_of(body(chat(text))) == text


def test_what_goes_on_from_a_program_need_be_no_program() -> None:
    for text in ('["a", "b"]', '{"a": 1}', ".sort()", "[1] = 1", "    return df", "df.a = 1\n    return df"):
        assert text_of(text.encode(), continues=True) == text


def test_a_refusal_is_code_that_does_nothing() -> None:
    assert code_of(body(chat(None, refusal="I may\nnot."))) == "# refused: I may not."


def test_a_code_interpreter_gets_its_code_bare() -> None:
    assert code_of(body(chat(None, tool_calls=[tool_call(CODE, "python")]))) == CODE


def test_code_that_begins_like_json_is_code() -> None:
    assert code_of(b"[x for x in df.age]") == "[x for x in df.age]"
    assert code_of(b"[1, 2]") == "[1, 2]"
    assert code_of(b'{"a": 1}["a"]') == '{"a": 1}["a"]'


def test_a_body_without_code_says_what_it_has() -> None:
    with pytest.raises(Unreadable, match="its keys are: id, usage"):
        code_of(b'{"id": "x", "usage": {}}')


@given(st.binary(max_size=300))
def test_any_bytes_are_code_or_unreadable(response: bytes) -> None:
    with suppress(Unreadable):
        assert isinstance(code_of(response), str)
        assert isinstance(text_of(response, continues=True), str)


def test_json_lines_are_no_code_although_python_would_run_them() -> None:
    with pytest.raises(Unreadable, match="no code in the response"):
        code_of(b'{"step": "think", "text": "lamps"}\n{"step": "end", "text": "5"}\n')
    with pytest.raises(Unreadable, match="a recorded stream"):
        code_of(b'data: {"token": "result"}\n\ndata: {"token": " = 1"}\n\n')


@pytest.mark.parametrize(
    "text",
    [
        "The share is 2/7, about 28.6 %.",
        "About 28.6 %",
        "28.6 %",
        "The total is 62 (see orders.csv).",
        "Die Summe ist 62 (aus orders).",
        "\u5360\u6bd4\u4e3a 2/7\uff08\u7ea6 28.6%\uff09",
        "<p>Use <code>result = orders.pieces.sum()</code></p>",
        "I computed df.age.mean() and got 41.2.",
    ],
)
def test_a_sentence_about_the_result_is_no_code_whatever_signs_it_has(text: str) -> None:
    with pytest.raises(Unreadable, match=r"no code in the response|cannot be told apart"):
        code_of(body(chat(text)))


def test_code_with_texts_and_comments_of_any_words_is_code() -> None:
    for text in (
        'result = "the share is high',
        "x = 1 # the share is high\nresult = x +",
        "raise ValueError('too many of them'",
    ):
        assert code_of(body(chat(text))) == text


@pytest.mark.parametrize(
    "page",
    [
        '<p>Run:</p><pre><code class="language-python">result = df[df.a &lt; 3]</code></pre>',
        '<pre class="highlight"><code>result = df[df.a &lt; 3]\n</code></pre>\n<p>Done.</p>',
        '<pre lang="python"><code><span class="n">result</span> = df[df.a &lt; 3]</code></pre>',
    ],
)
def test_blocks_of_answers_in_html(page: str) -> None:
    assert code_of(body(chat(page))) == "result = df[df.a < 3]"


def blocks(*codes: str) -> bytes:
    return body(chat("\n\nThen:\n\n".join(f"```python\n{code}\n```" for code in codes)))


@pytest.mark.parametrize(
    ("codes", "answer"),
    [
        (["x = df.age", "result = x.mean()"], "x = df.age\nresult = x.mean()"),
        (["result = df.age.mean()", "print(result)"], "result = df.age.mean()\nprint(result)"),
        (["result = df.age.mean()", "result = round(result, 1)"], "result = df.age.mean()\nresult = round(result, 1)"),
        (["total = 0", "total += 1"], "total = 0\ntotal += 1"),
        (["a = 1", "b = a", "result = b"], "a = 1\nb = a\nresult = b"),
        (["import math", "result = math.floor(df.age.max())"], "import math\nresult = math.floor(df.age.max())"),
        (["def f(x):\n    return x", "result = f(1)"], "def f(x):\n    return x\nresult = f(1)"),
        (["result = df.age.mean()", "# Output: 41.2"], "result = df.age.mean()"),
        (["result = 0", "result = df.age.mean()"], "result = df.age.mean()"),  # another draft
        (["x = 1", "result = [x for x in df.age]"], "result = [x for x in df.age]"),
        (["df = pd.read_csv('people.csv')", "result = df.age.mean()"], "result = df.age.mean()"),
        (["df = pd.DataFrame({'age': [1]})", "result = df.age.mean()"], "result = df.age.mean()"),
        (["x = df.age", "result = x.mean("], "result = x.mean("),
    ],
)
def test_blocks_that_go_on_from_each_other_are_one_answer(codes: list[str], answer: str) -> None:
    assert code_of(blocks(*codes)) == answer
