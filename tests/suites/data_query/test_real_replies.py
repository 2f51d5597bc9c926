"""Replies as real assistants write them: each gets the right figure, or an error with its reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from karat.core.records import Prediction
from karat.core.suite import Unreadable
from karat.suites.data_query.comparison import Comparison, compare
from karat.suites.data_query.details import details
from karat.suites.data_query.explain import explain
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Period, short_dataset
from tests.suites.data_query.building import case, kept, target

TARGET = target(
    {"COUNTRY": [("MEX", "Mexico"), ("USA", "United States")]},
    "IMF:WEO",
    period=Period("2010", "2015"),
    outcome="answer",
)
BOTH = [{"id": "MEX", "name": "Mexico"}, {"id": "USA", "name": "United States"}]
WHEN = {"start": "2010", "end": "2015"}


def own(values: object = BOTH, dataset: str = "IMF:WEO", **more: object) -> dict[str, object]:
    dimension = {"dimension_name": "COUNTRY", "values": values}
    return {"indicator_selection": [{"dataset_id": dataset, "dimensions": [dimension]}], "period": WHEN, **more}


def chat(content: str | None, **more: object) -> dict[str, object]:
    return {"choices": [{"message": {"role": "assistant", "content": content, **more}}]}


def called(*arguments: object) -> dict[str, object]:
    calls = [{"function": {"name": "query", "arguments": json.dumps(one)}} for one in arguments]
    return chat(None, tool_calls=calls)


def mcp(*filters: dict[str, object], urn: str = "IMF:WEO", **more: object) -> dict[str, object]:
    return {"structuredContent": {"queries": [{"datasetUrn": urn, "filters": list(filters), **more}]}}


def where(name: str = "COUNTRY", values: object = BOTH, operator: str = "in", **more: object) -> dict[str, object]:
    return {"dimensionId": name, "operator": operator, "values": values, **more}


def time(operator: str, *values: str) -> dict[str, object]:
    return where("TIME_PERIOD", list(values), operator)


def timed(period: object) -> dict[str, object]:
    return {**own(), "period": period}


def tools(state: object) -> dict[str, object]:
    return {"state": {"tool_messages": [{"role": "tool", "custom_content": {"state": state}}]}}


def scored(reply: object, **options: Any) -> Comparison:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    return compare(case("c", TARGET), 0, Prediction("c", 0, 0, text.encode()), Options(today="2026-11-15", **options))


@pytest.mark.parametrize(
    "reply",
    [
        own(),
        chat("Sure! Here is the selection:\n```json\n" + json.dumps(own()) + "\n```\nLet me know."),
        chat("I selected " + json.dumps(own()) + " for you."),
        chat("<think>" + json.dumps(own([{"id": "BRA"}])) + "</think>" + json.dumps(own())),
        called(own()),
        called(own(), own()),
        own(explanation="I looked it up", confidence=0.9, start="2026-01-01T10:00:00Z", time=1.25),
        own(dataset="urn:sdmx:org.sdmx.infomodel.datastructure.Dataflow=IMF:WEO(9.0.0)"),
        own(dataset="IMF,WEO,9.0.0"),
        mcp(where(), time("between", "2010", "2015")),
        mcp(where(), time("between", "2015", "2010")),
        mcp(where(), time("ge", "2010-Q1"), time("le", "2015Q4"), urn="IMF,WEO"),
        mcp(where(), time("gt", "2009"), time("lt", "2016-01")),
        mcp(where(), time("in", "2010", "2011", "2012", "2013", "2014", "2015")),
        mcp(where(), where("time_period", ["2010", "2015"], "BETWEEN")),
        mcp(where(values=[*BOTH, "BRA"]), where(operator="not in", values=["BRA"]), time("between", "2010", "2015")),
        mcp(where(), where(operator="all", values=[]), time("between", "2010", "2015")),
        timed({"start": "2010-01-01", "end": "2015-M12"}),
        {"content": [{"type": "text", "text": json.dumps(own())}]},
        {**own(), "query": "Population of Mexico", "dataset": "cases of May", "url": "https://x"},
        mcp(where(values=[{"id": "MEX", "name": "Mexico"}, BOTH[1]], isDefault=None), time("between", "2010", "2015")),
        mcp({"dimensionId": "COUNTRY", "operator": None, "values": BOTH}, time("between", "2010", "2015")),
        "data: " + json.dumps({"choices": [{"delta": {"content": json.dumps(own())}}]}) + "\n\ndata: [DONE]\n\n",
    ],
)
def test_replies_that_are_fully_right(reply: object) -> None:
    found = scored(reply)
    assert found.wholly_right, found
    assert found.series.exact is not False and found.period == 1.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (chat("https://x/rest/data/IMF,WEO/MEX+USA.A?startPeriod=2010"), "it is text without JSON"),
        ({"url": "https://x/rest/data/IMF,WEO/MEX+USA"}, "its keys are: url"),
        (chat("| code | name |\n|---|---|\n| MEX | Mexico |"), "it is text without JSON"),
        (chat("I'm sorry, I can't help with that."), "it is text without JSON"),
        (called(own(), own([{"id": "BRA"}])), "2 different selections"),
        (chat(json.dumps(own([{"id": "BRA"}])) + " Final: " + json.dumps(own())), "2 different selections"),
        (chat("{'indicator_selection': []}"), "not valid JSON"),
        (own(["MEX", "USA"]), "is a string, expected an object"),
        (own([{"id": "MEX+USA"}]), "joins several codes"),
        (own([{"id": "MEX, USA", "name": "Mexico, United States"}]), "joins several codes"),
        (own([{"id": "MEX - Mexico"}, {"id": "USA"}]), 'give "MEX" as its id'),
        (own([{"id": "Mexico (MEX)"}]), 'give "MEX" as its id'),
        (own([{"id": "*"}]), "is a wildcard"),
        (own([{"id": "M%"}]), "is a wildcard"),
        (own([{"id": "all", "name": "All countries"}]), "is a wildcard"),
        (own([{"id": "", "name": "Mexico"}]), "is an empty id"),
        (own([{"code": "MEX"}]), 'unknown key "code"'),
        (mcp(where(values=["*"])), "is a wildcard"),
        (mcp(where(operator="like", values=["M%"])), 'unknown operator "like"'),
        (mcp(where(values=["MEX"]), where(values=["USA"])), "no code passes the filters on COUNTRY"),
        (mcp(where(negate=True)), 'unknown key "negate"'),
        (mcp({"dimensionId": "COUNTRY", "codes": ["MEX"]}), 'unknown key "codes" in a filter. Did you mean values'),
        (mcp(where(), startPeriod="2010"), 'unknown key "startPeriod" in a query'),
        (mcp(where(), logic="or"), 'filters are read as "and"'),
        (mcp(where(), enabled=False), '"enabled": false in a query'),
        (mcp(where(isActive=False)), '"isActive": false in a filter'),
        (mcp(where(values=[{"id": "MEX", "excluded": True}])), '"excluded": true in a value'),
        ({**own(), "exclude": {"COUNTRY": ["USA"]}}, 'unknown key "exclude" in the answer'),
        ({**own(), "lastNObservations": 1}, 'unknown key "lastNObservations" in the answer'),
        ({"indicator_selection": [], "error": "timeout"}, "the response says that it failed: timeout"),
        ({"structuredContent": {"queries": [], "success": False}}, 'the response says that it failed: "success" is'),
        (mcp(where(), logical_operator="ANY_OF"), 'filters are read as "and"'),
        (mcp(where(), key="MEX+USA.A"), 'unknown key "key" in a query'),
        ({"structuredContent": {"queries": [{"datasetUrn": "IMF:WEO", "key": "MEX"}]}}, 'unknown key "key"'),
        ({"isError": True, "content": [{"type": "text", "text": "boom"}]}, "boom"),
        ({**own(), "period": None, "startPeriod": "2010"}, 'unknown key "startPeriod" in the answer'),
        ({"indicator_selection": own()["indicator_selection"], "years": [2010]}, "Did you mean period"),
        ({"indicator_selection": own()["indicator_selection"], "year": 2010}, "Did you mean period"),
        (timed("2010 to 2015"), "period is a string"),
        (timed({"start": "last 5 years"}), '"last 5 years" is no period'),
        (timed({"start": "P5Y"}), '"P5Y" is no period'),
        (timed({"start": "2010/2015"}), '"2010/2015" is no period'),
        (timed({"start": "2010", "end": "now"}), '"now" is no period'),
        (timed({"from": "2010", "to": "2015"}), 'unknown key "from" in period'),
        (mcp(where(), time("last", "5")), 'unknown operator "last"'),
        (mcp(where(), time("in", "2010-2015")), '"2010-2015" on TIME_PERIOD is no period'),
        (mcp(where(), time("gt", "9999")), "the period is empty"),
        (mcp(where(), time("lt", "0001")), "the period is empty"),
        ({"outcome": "NO_DATA"}, 'unknown outcome "NO_DATA"'),
        ({"indicatorSelection": []}, "Did you mean indicator_selection"),
        ({**own(), "dimension": [{"dimension_name": "FREQ"}]}, 'unknown key "dimension" in the answer'),
        ({"indicator_selection": [], "value": ["MEX"]}, 'unknown key "value" in the answer'),
        ({"indicator_selection": [], "label": "Mexico"}, 'unknown key "label" in the answer'),
        ({"indicator_selection": [], "queries": [{"datasetUrn": "IMF:WEO"}]}, 'unknown key "queries" in the answer'),
        ({"indicator_selection": [], "dataset": "IMF:WEO"}, 'unknown key "dataset" in the answer'),
        ({"indicator_selection": [], "key": "A.MEX+USA"}, 'unknown key "key" in the answer'),
        ({"indicator_selection": [], "query": {"COUNTRY": "MEX"}}, 'unknown key "query" in the answer'),
        ({"indicator_selection": [{"dataset": "IMF:WEO"}]}, "Did you mean dataset_id?"),
        ({**own(), "outcome": ["answer"]}, "outcome must be one text"),
        ({"data": {"result": own()}}, '"data.result" contains a selection, but Karat does not look there'),
        ({"queries": [{"dataset_urn": "IMF:WEO", "filters": [where()]}]}, "Did you mean datasetUrn?"),
        (mcp(where(values=None)), "the filter on COUNTRY has no values"),
        (mcp(where(), lastNObservations=5), 'unknown key "lastNObservations" in a query'),
        (chat("", custom_content=tools({"dimensions_id_to_name": {}})), "Did you mean dimension_id_to_name?"),
        ({**own(), "stages": [{"name": "s", "indicator_selecton": []}]}, 'unknown key "indicator_selecton" in a stage'),
        ({**own(), "stages": [{"name": "s", "indicator_selection": [{"dimension": []}]}]}, "Did you mean dimensions?"),
    ],
)
def test_replies_that_cannot_be_read_are_errors(reply: object, reason: str) -> None:
    with pytest.raises(Unreadable) as error:
        scored(reply)
    assert reason in str(error.value)


def test_ends_in_the_wrong_order_are_exchanged_with_a_note() -> None:
    note = "between 2015 2010 on TIME_PERIOD is read as 2010 to 2015"
    found = scored(mcp(where(), time("between", "2015", "2010")))
    assert (found.period, found.notes) == (1.0, (note,))
    assert kept((0, found))["notes"] == [note]
    assert [part.note for part in explain(details([(0, found)]), None).parts if part.label == "as read"] == [note]
    dimension = {"dimension_name": "TIME_PERIOD", "operator": "between", "values": [{"id": "2015"}, {"id": "2010"}]}
    assert scored({"indicator_selection": [{"dataset_id": "IMF:WEO", "dimensions": [dimension]}]}).notes == (note,)
    assert scored(mcp(where(), time("between", "2010", "2015"))).notes == ()


def test_an_entry_with_two_periods_is_unreadable() -> None:
    dimensions = [{"dimension_name": "TIME_PERIOD", "values": [{"id": "1990"}]}]
    with pytest.raises(Unreadable, match="a period and other values in TIME_PERIOD"):
        scored({"indicator_selection": [{"dataset_id": "IMF:WEO", "dimensions": dimensions, "period": WHEN}]})


def test_a_declined_answer_may_repeat_the_question() -> None:
    for reply in ({"indicator_selection": [], "query": "A joke?"}, {"is_out_of_scope": True, "dataset": "May"}):
        assert not scored(reply).wholly_right


@pytest.mark.parametrize("stated", [True, False])
def test_the_time_dimension_of_a_tool_is_the_period_where_none_is_stated(stated: bool) -> None:
    terms = {
        "COUNTRY": {"MEX": "Mexico", "USA": "United States"},
        "TIME_PERIOD": {str(y): "" for y in range(2010, 2016)},
    }
    state = {"dimension_id_to_name": {"IMF:WEO": terms}, **({"date_time_query_response": WHEN} if stated else {})}
    found = scored(chat("", custom_content=tools(state)))
    assert found.wholly_right and found.period == 1.0


def test_everything_without_values() -> None:
    found = scored(mcp(where(operator="all", values=None), time("between", "2010", "2015")))
    assert found.dimensions[0].counts.fn == 0


def test_a_dataset_that_the_tool_does_not_name_is_unreadable() -> None:
    key = "0b1c8a52-7a1f-4f3e-9d35-6f2a9c1e1234"
    state = {"dimension_id_to_name": {key: {"COUNTRY": {"MEX": "Mexico"}}}, "indexed_datasets_id_map": {}}
    with pytest.raises(Unreadable, match="does not say which dataset"):
        scored(chat("", custom_content=tools(state)))


def test_an_odd_id_that_the_target_has_is_a_code() -> None:
    wanted = target({"COUNTRY": [("EU+UK", "both"), ("*", "every"), ("A: b", "c")]}, "IMF:WEO")
    values = [{"id": "EU+UK", "name": "both"}, {"id": "*", "name": "every"}, {"id": "A: b", "name": "c"}]
    reply = {"indicator_selection": own(values)["indicator_selection"]}
    found = compare(case("c", wanted), 0, Prediction("c", 0, 0, json.dumps(reply).encode()), Options())
    assert found.wholly_right


def test_a_wrong_code_is_wrong_and_no_error() -> None:
    found = scored(own([{"id": "SP.POP-TOTL", "name": "x"}, BOTH[0]]))
    assert (found.dimensions[0].counts.tp, found.dimensions[0].counts.fp) == (1, 1)


@pytest.mark.parametrize(
    ("given", "short"),
    [
        ("IMF.RES,WEO", "IMF.RES:WEO"), ("IMF.RES,WEO,9.0.0", "IMF.RES:WEO(9.0.0)"),
        ("IMF,WEO,latest", "IMF:WEO(latest)"),
        ("urn:sdmx:org.sdmx.infomodel.datastructure.Dataflow=A:F(1.0)", "A:F(1.0)"), ("a, b", "a, b"), ("a/b", "a/b"),
    ],
)  # fmt: skip
def test_short_names_of_datasets(given: str, short: str) -> None:
    assert short_dataset(given) == short
