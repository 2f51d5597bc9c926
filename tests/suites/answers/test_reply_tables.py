"""Tables that an assistant gives in its reply itself: Markdown, CSV and JSON, against gold that is a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.records import Case, Prediction, Turn
from karat.core.replies import read_reply
from karat.core.replies.tables import Table, tables_in
from karat.core.suite import Unreadable
from karat.suites.answers.comparison import compare
from karat.suites.answers.options import Options
from karat.suites.answers.records import Entry, Function, Gold
from karat.suites.answers.responses import understand
from tests.reply_forms import body, chat, given_as_json, json_forms, responses_api, text_forms, tool_call

RECORDS: list[dict[str, Any]] = [
    {"region": "north", "total": 10.5},
    {"region": "south|west", "total": None},
    {"region": "a, b", "total": 7},
]
TABLE = Table(("region", "total"), (("north", "10.5"), ("south|west", None), ("a, b", "7")))
MARKDOWN = "| region | total |\n|:--|--:|\n| **north** | `10.5` |\n| south\\|west | |\n| a, b | 7 |"
CSV = 'region,total\nnorth, 10.5\nsouth|west,\n"a, b",7'
WORDS = {
    "Markdown": f"Here it is:\n\n{MARKDOWN}\n\nAnything else?",
    "Markdown in a block": f"Sure.\n```markdown\n{MARKDOWN}\n```",
    "CSV": f"As CSV:\n```csv\n{CSV}\n```\nDone.",
    "TSV": "```tsv\n" + "region\ttotal\nnorth\t10.5\nsouth|west\t\na, b\t7" + "\n```",
    "records": f"```json\n{json.dumps(RECORDS, indent=1)}\n```",
    "records in words": f"The rows are {json.dumps(RECORDS)}.",
    "twice the same": f"{MARKDOWN}\n\n```csv\n{CSV}\n```",
}
OBJECTS: dict[str, Any] = {
    "records under answer": {"answer": RECORDS},
    "rows": {"rows": RECORDS},
    "columns and rows": {"columns": ["region", "total"], "rows": [list(one.values()) for one in RECORDS]},
    "columns and data": {"data": {"columns": ["region", "total"], "data": [list(one.values()) for one in RECORDS]}},
    "Markdown as the answer": {"answer": MARKDOWN},
    "CSV as the answer": {"answer": f"```csv\n{CSV}\n```"},
    "records as text": {"answer": json.dumps(RECORDS)},
}


def tables(response: bytes) -> list[Table]:
    return [table for table, _ in tables_in(read_reply(response, ("answer", "sql")))]


@pytest.mark.parametrize("words", WORDS)
def test_a_table_in_words_is_read_in_every_form(words: str) -> None:
    for form, response in text_forms(WORDS[words]).items():
        assert tables(response) == [TABLE], form


def test_markdown_needs_no_bars_around_its_lines() -> None:
    words = "Here:\n\n  region | total\n:--- | ---:\nnorth | 10.5\na\\|b | 7\n\nDone."
    assert tables(body(chat(words))) == [Table(("region", "total"), (("north", "10.5"), ("a|b", "7")))]
    one_column = body(chat("|n|\n|-|\n|7|\n||\n"))
    assert tables(one_column) == [Table(("n",), (("7",), (None,)))]


@pytest.mark.parametrize("given", OBJECTS)
def test_a_table_in_json_is_read_in_every_form(given: str) -> None:
    for form, response in json_forms(OBJECTS[given]).items():
        assert tables(response) == [TABLE], form


def test_a_list_of_records_is_read_where_it_is_the_body_the_arguments_or_an_attachment() -> None:
    for form in ("body", "recorded", "structured output", "JSON part", "DIAL JSON attachment"):
        assert tables(given_as_json(RECORDS)[form]) == [TABLE], form
    csv = {"attachments": [{"type": "text/csv", "data": CSV}]}
    assert tables(body(chat("Here.", custom_content=csv))) == [TABLE]
    assert tables(body(responses_api({"type": "function_call", "name": "t", "arguments": json.dumps(RECORDS)}))) == [
        TABLE
    ]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            "| a | b |\n|--|--|\n| 1 |",
            "the Markdown table in the response cannot be read: row 1 has 1 cell, and the heading 2",
        ),
        ("| a | b |\n|--|--|\n| 1 | 2 |\n| 1 | 2 | 3 |", "row 2 has 3 cells, and the heading 2"),
        ("```csv\na,b\n1,2\n1\n```", "the block of csv in the response cannot be read: row 2 has 1 cell"),
        ("```csv\na;b\n1;2\n```", "its heading is separated by semicolons, and commas were expected"),
        ('```csv\na,b\n1,"2\n```', "the block of csv in the response cannot be read"),
        ("```csv\n\n```", "the block of csv in the response is empty"),
        ("```csv\na\n1", "has no end"),
        ('[{"a": 1}, {"b": 1}]', 'record 2 and the first differ in the key "a"'),
        ('[{"a": {"b": 1}}]', 'is not a single value: {"b":1}'),
    ],
)
def test_what_is_only_nearly_a_table_is_an_error(words: str, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        tables(body(chat(words)))
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "words",
    [
        "It is 7.",
        "a | b is a choice",
        "a | b\n-----\n",
        "- a | b\n- c | d",
        '{"thoughts": "hm"}',
        "[1, 2]",
        "[]",
        "```\na,b\n1,2\n```",
    ],
)
def test_what_is_no_table_is_none(words: str) -> None:
    assert tables(body(chat(words))) == []


# -- judged -----------------------------------------------------------------------------------------------------------


def judged(
    folder: Path, response: Any, func: Function = "table_match", golds: int = 1, options: Options | None = None
) -> Any:
    files = []
    for number in range(golds):
        file = folder / f"gold{number}.csv"
        file.write_text(f"n,m\n{7 + number},x\n{8 + number},\n", encoding="utf-8")
        files.append(str(file))
    gold = Gold("q", (Entry(func, {"ignore_order": True}, tuple(files)),), family="own")
    case = Case("q", (Turn("user", "How many?", gold),))
    given = response if isinstance(response, bytes) else body(response)
    return compare(case, 0, Prediction("q", response=given, latency=0.1), options or Options())


RIGHT = "| n | m |\n|---|---|\n| 7 | x |\n| 8 |  |"


@pytest.mark.parametrize(
    ("response", "right"),
    [
        (chat(RIGHT), True),
        (chat(RIGHT.replace("7", "9")), False),
        (chat(RIGHT.replace("| 8 |  |", "")), False),
        (chat("```csv\nn,m\n8,\n7,x\n```"), True),
        (chat("```csv\nn,m\n8,\n7,y\n```"), False),
        (chat('[{"n": 7, "m": "x"}, {"m": null, "n": 8}]'), True),
        ([{"n": 7, "m": "x"}, {"n": 8, "m": None}], True),
        ([{"n": 7, "m": "x"}, {"n": 8, "m": "0"}], False),
        ([{"answer": 7, "sql": "x"}, {"answer": 8, "sql": None}], True),
        (
            chat(f"```sql\nSELECT n, m FROM t\n```\nwhich gives\n\n{RIGHT}"),
            True,
        ),  # no engine here: the table is the answer
        (chat(None, refusal="No."), False),
    ],
)
def test_a_given_table_gets_its_verdict_from_both_profiles(tmp_path: Path, response: Any, right: bool) -> None:
    found = judged(tmp_path, response)
    assert (found.strict.state == "right", found.spider2.state == "right") == (right, right), found


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (
            chat("It is 7."),
            "Expected a Markdown table, a block of csv, or JSON records. The response begins: It is 7.",
        ),
        (
            chat(f"{RIGHT}\n\nor\n\n{RIGHT.replace('7', '9')}"),
            "2 different tables in the response, in the text and in the text",
        ),
        (
            chat(f"{RIGHT}\n\n```csv\nn,m\n1,2\n```"),
            "2 different tables in the response, in the text and in a fenced block",
        ),
        (chat("| n | m |\n|--|--|\n| 7 |"), "row 1 has 1 cell, and the heading 2. The response begins: | n | m |"),
        (chat(RIGHT, finish="length"), "cut off"),
        (chat('{"sql": "SELECT 1"} or {"sql": "SELECT 2"}'), "2 different answers"),
        (chat(tool_calls=[tool_call({"q": "x"}, "look_up")]), "its keys are: q"),
    ],
)
def test_what_is_unclear_is_an_error_with_how_it_begins(tmp_path: Path, response: Any, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        judged(tmp_path, response)
    assert reason in str(caught.value)


def test_several_golds_take_several_tables_and_a_duckdb_file_takes_none(tmp_path: Path) -> None:
    both = f"{RIGHT}\n\n```csv\nn,m\n8,x\n9,\n```"
    assert judged(tmp_path, chat(both), "tables_match", golds=2).strict.state == "right"
    assert judged(tmp_path, chat(RIGHT), "tables_match", golds=2).strict.state == "wrong"
    with pytest.raises(Unreadable, match="the gold is a DuckDB file"):
        judged(tmp_path, chat(RIGHT), "duckdb_match")


def test_check_response_shows_the_table() -> None:
    assert understand(body([{"n": 7}]), Options()) == {"table": "n\n7\n"}
    assert understand(body(chat(RIGHT)), Options()) == {"answer": RIGHT, "table": "n,m\n7,x\n8,\n"}
    ragged = understand(body(chat("| n | m |\n|--|--|\n| 7 |")), Options())
    assert "row 1 has 1 cell" in ragged["no table"] and ragged["answer"]
    with pytest.raises(Unreadable, match="its keys are: q"):
        understand(body(chat(tool_calls=[tool_call({"q": "x"}, "look_up")])), Options())


def test_rows_after_a_gap_are_not_dropped_from_the_table() -> None:
    """Without them the table could equal gold by chance."""
    with pytest.raises(Unreadable, match="more rows follow after a gap"):
        tables(body(f"{MARKDOWN}\n\nand\n\n| west | 3 |"))
    assert tables(body(f"{MARKDOWN}\n\nThe |total| of a | b is 3.")) == [TABLE]


def test_cells_of_a_markdown_table_are_what_is_read() -> None:
    rows = (
        ("*Lind*", "Lind"),
        ("***Lind***", "Lind"),
        ("[Lind](https://museum.example/62)", "Lind"),
        ("**[Lind](https://museum.example/62)**", "Lind"),
        ("R&amp;D", "R&D"),
        ("R&D, AT&T", "R&D, AT&T"),
        ("Lind<br>Sato", "Lind Sato"),
        ("&nbsp;", None),
        ("a_b_c", "a_b_c"),
        ("2*3*4", "2*3*4"),
        ("x[1](y) z", "x[1](y) z"),
    )
    text = "| artist |\n|---|\n" + "\n".join(f"| {written} |" for written, _ in rows)
    assert tables_in(read_reply(text.encode()))[0][0].rows == tuple((read,) for _, read in rows)
