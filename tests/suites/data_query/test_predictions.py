"""Recorded files and raw responses, in own, DIAL and MCP form."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.core.suite import Unreadable
from karat.suites.data_query.predictions import read_predictions
from karat.suites.data_query.responses import read_response
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Period, Selection, Term

OWN = {
    "indicator_selection": [
        {"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": [{"id": "a", "name": "b"}]}]}
    ]
}
SELECTED = Selection((DatasetSelection("X:D", (Dimension("A", (Term("a", "b"),)),)),))


def response(body: Any) -> Selection:
    return read_response(json.dumps(body).encode())


def dial(*states: Any) -> dict[str, Any]:
    tools = [{"role": "tool", "custom_content": {"state": state}} for state in states]
    return {
        "id": "chatcmpl-1",
        "choices": [{"message": {"content": "Here.", "custom_content": {"state": {"tool_messages": tools}}}}],
    }


def test_own_form() -> None:
    assert response(OWN) == SELECTED
    assert response({"id": "c", "turn": 0, "latency": 1.5, **OWN}) == SELECTED
    assert response({"is_out_of_scope": True}) == Selection(is_out_of_scope=True)
    assert response({"response": OWN}) == SELECTED


def test_dial_form_names_the_dataset_by_its_map() -> None:
    body = dial(
        {
            "dimension_id_to_name": {
                "u-1": {"INDICATOR": {"LP": "Population"}, "COUNTRY": {"MEX": "Mexico", "NO": "Norway"}}
            },
            "indexed_datasets_id_map": {"u-1": "IMF.RES:WEO(9.0.0)", "u-2": "other"},
            "date_time_query_response": {"start": "2015-01-01", "end": None},
        }
    )
    assert response(body) == Selection(
        (
            DatasetSelection(
                "IMF.RES:WEO(9.0.0)",
                (
                    Dimension("INDICATOR", (Term("LP", "Population"),)),
                    Dimension("COUNTRY", (Term("MEX", "Mexico"), Term("NO", "Norway"))),
                ),
            ),
        ),
        period=Period("2015-01-01"),
    )


def test_dial_answers_of_several_tools_are_joined() -> None:
    one, two = ({"dimension_id_to_name": {u: {"A": {"a": "b"}}}} for u in "pq")
    assert [part.dataset_id for part in response(dial(one, {}, two)).indicator_selection] == ["p", "q"]
    assert response(dial({"dimension_id_to_name": {}})) == Selection()


def test_mcp_form() -> None:
    filters = [
        {"dimensionId": "A", "operator": "in", "values": [{"id": "a", "name": "b"}], "isDefault": True},
        {"dimensionId": "C", "operator": "all", "values": []},
        {"dimensionId": "TIME_PERIOD", "operator": "between", "values": ["2015", "2020"]},
        {"dimensionId": "Z", "operator": "excluded", "values": [{"id": "z", "name": "z"}]},
    ]
    query = {"datasetUrn": "urn:sdmx:org.sdmx.infomodel.datastructure.Dataflow=IMF.RES:WEO(9.0.0)", "filters": filters}
    expected = Selection(
        (
            DatasetSelection(
                "IMF.RES:WEO(9.0.0)", (Dimension("A", (Term("a", "b"),), "in", True), Dimension("C", (), "all"))
            ),
        ),
        period=Period("2015", "2020"),
    )
    assert response({"structuredContent": {"queries": [query]}}) == expected
    assert response({"jsonrpc": "2.0", "result": {"structuredContent": {"queries": [query]}}}) == expected
    assert expected.indicator_selection[0].dimensions[1].everything


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "the response is empty"),
        (b"<html>", "a web page"),
        (b"[1]", "it is a list, not a JSON object"),
        (b'{"answer": 42}', "its keys are: answer"),
        (b'{"indicator_selection": [{"dimensions": []}]}', '"dataset_id" is missing in indicator_selection.0.'),
        (
            b'{"indicator_selection": [{"dataset_id": 1}]}',
            "indicator_selection.0..dataset_id is a whole number, expected a string",
        ),
        (b'{"choices": []}', "without choices"),
        (b'{"structuredContent": {"queries": [{}]}}', '"datasetUrn" is missing in structuredContent.queries.0.'),
        (b'{"response": "text"}', "it is text without JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_what_cannot_be_read_says_what_was_expected(raw: bytes, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        read_response(raw)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from(["choices", "message", "custom_content",
                "state", "tool_messages", "dimension_id_to_name", "structuredContent", "queries", "result", "response",
                "indicator_selection", "period"]), x, max_size=4), max_leaves=12))  # fmt: skip
def test_any_json_is_read_or_refused_never_a_crash(body: Any) -> None:
    with suppress(Unreadable):
        response(body)


def lines(path: Path, *items: Any) -> Path:
    path.write_text("\n".join(i if isinstance(i, str) else json.dumps(i) for i in items), encoding="utf-8")
    return path


def test_jsonl_with_what_stands_beside_the_selection(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "p.jsonl",
        {"id": "a", **OWN, "latency": 1.5, "tokens": 812, "cost": 0.01},
        "",
        {"id": "b", "turn": 1, "error": "429 after 5 tries"},
        {"id": "c", "error": {"kind": "timeout", "message": "no answer in 60 s"}, "tokens": {"total_tokens": 7}},
    )
    loaded = read_predictions(file)
    assert loaded.problems == ()
    a, b, c = loaded.predictions
    assert (a.case_id, a.turn, a.latency, a.tokens, a.cost, a.error) == ("a", None, 1.5, 812, 0.01, None)
    assert read_response(a.response) == SELECTED
    assert b.error is not None and (b.turn, b.error.kind, b.error.message) == (1, "recorded", "429 after 5 tries")
    assert c.error is not None and (c.error.kind, c.tokens) == ("timeout", 7)


def test_a_line_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    file = lines(
        tmp_path / "p.jsonl", {"id": "a", **OWN}, "{broken", '{"turn": 0}', {"id": "a", **OWN}, {"id": "b", **OWN}
    )
    loaded = read_predictions(file)
    assert [p.case_id for p in loaded.predictions] == ["a", "b"]
    assert [problem.line for problem in loaded.problems] == [2, 3, 4]
    assert "a second prediction" in loaded.problems[2].message


def test_a_json_list_and_a_folder_of_responses(tmp_path: Path) -> None:
    listed = lines(tmp_path / "p.json", json.dumps([{"id": "a", **OWN}, {"id": "b", **OWN}]))
    assert [p.case_id for p in read_predictions(listed).predictions] == ["a", "b"]
    folder = tmp_path / "answers"
    folder.mkdir()
    lines(folder / "a.json", OWN)
    lines(folder / "b.1.json", dial())
    found = [(p.case_id, p.turn) for p in read_predictions(folder).predictions]
    assert found == [("a", None), ("b", 1)]


def test_no_predictions_at_all_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        read_predictions(tmp_path / "nothing.jsonl")
    with pytest.raises(UserError, match="no predictions in"):
        read_predictions(tmp_path)
