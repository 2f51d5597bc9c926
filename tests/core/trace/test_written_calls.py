"""Calls that nobody reads as such: in a model's words, and beside a trace that says there were none. They are never
"no calls"."""

from __future__ import annotations

import json

import pytest

from karat.core.trace.reading import read_trace
from karat.core.trace.records import Trace
from karat.core.trace.written_calls import has_written_call, is_written_result

USER = {"role": "user", "content": "How many orders are late?"}
DONE = {"role": "assistant", "content": "412"}
ARGUMENTS = {"year": 2021}
CALLS = [{"id": "1", "type": "function", "function": {"name": "drop", "arguments": '{"year": 2021}'}}]
CALLING = {"role": "assistant", "content": None, "tool_calls": CALLS}

WRITTEN = [
    'Thought: x\nAction: drop\nAction Input: {"year": 2021}',
    "Thought 1: x\nAction 1: drop[2021]",
    'Action:\n```json\n{"action": "drop", "action_input": {"year": 2021}}\n```',
    '<tool_call>{"name": "drop"}</tool_call>',
    '<TOOLCALL>[{"name": "drop"}]</TOOLCALL>',
    "<use_mcp_tool><tool_name>drop</tool_name></use_mcp_tool>",
    "<execute_command><command>rm</command></execute_command>",
    "<function=drop>{}</function>",
    "<start_function_call>call:drop{year:2021}<end_function_call>",
    '<|channel|>commentary to=functions.drop <|constrain|>json<|message|>{"year": 2021}<|call|>',
    "<|python_tag|>drop.call(year=2021)",
    '[TOOL_CALLS] [{"name": "drop"}]',
    "\u273fFUNCTION\u273f: drop\n\u273fARGS\u273f: {}",
    "```tool_code\ndrop(year=2021)\n```",
    "```py\ndrop(year=2021)\n```<end_code>",
    "[drop(year=2021)]",
    '{"name": "drop", "parameters": {"year": 2021}}',
    '[{"name": "drop", "arguments": {"year": 2021}}]',
    'I call it:\n```json\n{"tool": "drop", "args": {"year": 2021}}\n```',
    '{"function": "drop", "args": "{}"}',
]
ORDINARY = [
    "412",
    "There are 412. Action: none is needed.",
    "Use the function sum(); the tool is fine.",
    '{"name": "Chile", "value": 19.5}',
    '{"name": "Gross domestic product", "parameters": {"unit": "USD"}}',
    "```python\nprint(1)\n```",
    "Map<Function> and <tooltip>x</tooltip>",
    "[1, 2, 3]",
    "{",
    "",
]


def of(body: object) -> Trace:
    return read_trace(json.dumps(body).encode())


@pytest.mark.parametrize("said", WRITTEN)
def test_a_call_in_words_is_not_no_call(said: str) -> None:
    assert has_written_call(said)
    speaking = {"role": "assistant", "content": said}
    for after in ([DONE], [{"role": "user", "content": "Observation: dropped"}, DONE], []):
        found = of({"messages": [USER, speaking, *after]})
        assert (found.calls, found.unread) == (None, True)
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": said}]}
    call = {"type": "function_call", "name": "search", "call_id": "1", "arguments": "{}"}
    assert of([USER, item, {"type": "function_call_output", "call_id": "1", "output": ""}]).calls is None
    assert [one.tool for one in of([USER, item, call]).calls or ()] == ["search"]
    model = {"id": "m", "run_type": "llm", "parent_run_id": "r", "outputs": {"generations": [[{"text": said}]]}}
    root = {"id": "r", "run_type": "chain", "inputs": {}, "outputs": {"output": "412"}, "child_runs": [model]}
    assert (of(root).calls, of(root).unread) == (None, True)


@pytest.mark.parametrize("said", WRITTEN)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_call_in_the_words_of_a_span(said: str, form: str) -> None:
    content = said if form == "text" else json.dumps([{"role": "assistant", "content": said}])
    values = {
        "gen_ai.operation.name": "chat",
        "gen_ai.completion.0.finish_reason": "stop",
        "gen_ai.completion": content,
    }
    given = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
    span = {"traceId": "t", "spanId": "s", "name": "chat", "startTimeUnixNano": "1", "attributes": given}
    found = of({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    assert (found.calls, found.unread) == (None, True)


@pytest.mark.parametrize("said", ORDINARY)
def test_ordinary_words_are_no_call(said: str) -> None:
    assert not has_written_call(said)
    assert of({"messages": [USER, {"role": "assistant", "content": said or "."}]}).calls == ()


@pytest.mark.parametrize(
    "said",
    [
        "Observation: dropped",
        "Observation 2:\ndropped",
        "Tool result: dropped",
        "Tool call response: dropped",
        "<tool_response>dropped</tool_response>",
        "<function_results>dropped</function_results>",
        "[use_mcp_tool for 'x'] Result: dropped",
        "Execution logs:\ndropped",
        "exitcode: 0 (execution succeeded)",
    ],
)
def test_a_result_that_comes_as_the_users_is_no_question(said: str) -> None:
    assert is_written_result(said)
    result = {"role": "user", "content": said}
    code = {"role": "assistant", "content": "```python\ndrop(2021)\n```"}
    assert (of({"messages": [USER, code, result, DONE]}).unread, of({"messages": [USER, code, result]}).unread) == (
        (True, True)
    )
    found = of({"messages": [USER, CALLING, result, DONE]})
    assert [call.tool for call in found.calls or ()] == ["drop"], "the call is read, and only its result is text"


@pytest.mark.parametrize("said", ["And in 2020?", "What was the observation?", "My observation is that 3 are late."])
def test_a_question_stays_one(said: str) -> None:
    assert of({"messages": [USER, CALLING, DONE, {"role": "user", "content": said}, DONE]}).calls == ()


def test_agents_that_speak_as_users_call_nothing() -> None:
    other = {"role": "user", "name": "critic", "content": "Fine."}
    assert of({"messages": [{**USER, "name": "me"}, DONE, other, DONE]}).calls == ()


@pytest.mark.parametrize(
    "body",
    [
        {"trace": [], "messages": [USER, CALLING, DONE]},
        {"trace": [], "choices": [{"message": CALLING}]},
        {"id": "a", "trace": [], "response": {"messages": [USER, CALLING, DONE]}},
        {"messages": [USER, DONE], "response": {"choices": [{"message": CALLING}]}},
        {"messages": [USER, DONE], "usedTools": [{"tool": "drop", "toolInput": ARGUMENTS, "toolOutput": "x"}]},
        {"messages": [USER, DONE], "intermediateSteps": [{"action": {"tool": "drop", "toolInput": ARGUMENTS}}]},
        {"steps": [{"content": [{"type": "tool-call", "toolCallId": "1", "toolName": "drop", "input": ARGUMENTS}]}]},
        {"messages": [USER, {"role": "assistant", "tool_calls": [{"function": "drop", "arguments": ARGUMENTS}]}, DONE]},
        [
            {"content": {"role": "user", "parts": [{"text": "x"}]}},
            {"content": {"role": "model", "parts": [{"functionCall": {"name": "drop", "args": ARGUMENTS}}]}},
            {"content": {"role": "model", "parts": [{"text": "412"}]}},
        ],
    ],
)
def test_calls_are_found_beside_what_has_none(body: object) -> None:
    assert [(call.tool, call.arguments) for call in of(body).calls or ()] == [("drop", ARGUMENTS)]


@pytest.mark.parametrize("key", ["tool_results", "spans", "function_log", "mcp_calls", "intermediate"])
def test_what_may_be_calls_beside_a_conversation_is_not_no_calls(key: str) -> None:
    bodies: tuple[dict[str, object], ...] = ({"messages": [USER, DONE]}, {"trace": []})
    for body in bodies:
        found = of({**body, key: [{"what": "drop"}]})
        assert (found.calls, found.unread) == (None, True)
        assert of({**body, key: []}).calls == ()


@pytest.mark.parametrize(
    "key", ["tools", "available_tools", "functions", "tool_choice", "tool_definitions", "toolConfig"]
)
def test_what_could_be_called_is_no_call(key: str) -> None:
    assert of({"messages": [USER, DONE], key: [{"name": "drop"}]}).calls == ()
