"""Every format that is imported, for the suites it is for: what is written passes check, and score gives the true
figures."""

from __future__ import annotations

import datetime
import io
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import xlsxwriter

import karat
from karat.cli import main
from karat.core import plugins


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Said:
    """What a command printed and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def command(*words: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["karat", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        with pytest.raises(SystemExit) as stopped:
            main.main()
        printed = capsys.readouterr()
        return Said(int(stopped.value.code or 0), printed.out, printed.err)

    return command


def figures(suite: str, cases: str, predictions: str) -> dict[str, float | None]:
    """The means; the files must be without a mistake."""
    loaded = plugins.load_suite(suite)
    found = loaded.load_cases(Path(cases))
    assert found.problems == () and not loaded.check_cases(found.cases, [], loaded.options()).problems
    result = karat.score(suite=suite, cases=cases, predictions=predictions)
    assert not result.problems, result.problems
    return {item.metric: item.mean for item in result.summary}


SELECTION = [
    {
        "dataset_id": "IMF:WEO",
        "dimensions": [
            {"dimension_name": "INDICATOR", "values": [{"id": "LP", "name": "Population; persons"}]},
            {"dimension_name": "COUNTRY", "values": [{"id": "CHL", "name": "Chile"}, {"id": "NO", "name": "Norway"}]},
        ],
    }
]


def workbook(rows: list[list[Any]], name: str = "q.xlsx", **more: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(row)
    for title, cells in more.items():
        for row in cells:
            (book[title] if title in book.sheetnames else book.create_sheet(title)).append(row)
    book.save(name)


# -- spreadsheets -----------------------------------------------------------------------------------------------------


def test_a_spreadsheet_of_questions_and_terms(run: Any) -> None:
    workbook(
        [
            ["ID", "Question", "Dataset", "INDICATOR", "COUNTRY", "Answer"],
            [
                "a",
                "How many in Chile and Norway?",
                "IMF:WEO",
                "LP: Population; persons\nLE: Employed",
                "CHL: Chile; NO: Norway",
                None,
            ],
            [
                "b",
                "How many?",
                "IMF:WEO",
                "LP: Population; persons",
                "CHL: Chile; NO: Norway",
                json.dumps({"indicator_selection": SELECTION}),
            ],
            ["c", "How many in Chile?", "IMF:WEO", "LP: Population", "CHL: Chile", json.dumps(SELECTION)],
            ["d", "And then?", "", "", "", ""],
        ]
    )
    said = run("import", "q.xlsx", "--suite", "data_query", "--to", "out")
    assert said.code == 3
    assert "row 3 is skipped" in said.err and "its own line" in said.err  # the name holds a semicolon
    assert "row 5 is skipped: nothing is expected" in said.err
    assert "INDICATOR, COUNTRY → dimension" in said.out
    found = plugins.load_suite("data_query").load_cases(Path("out/cases.yaml"))
    assert [case.id for case in found.cases] == ["a", "c"] and not found.problems
    first: Any = found.cases[0].conversation[0].target
    terms = [
        (one.dimension_name, [(t.id, t.name) for t in one.values]) for one in first.indicator_selection[0].dimensions
    ]
    assert terms == [
        ("INDICATOR", [("LP", "Population; persons"), ("LE", "Employed")]),
        ("COUNTRY", [("CHL", "Chile"), ("NO", "Norway")]),
    ]
    assert run("check", "out/cases.yaml").code == 0
    assert figures("data_query", "out/cases.yaml", "out/predictions.jsonl")["macro_recall"] == 0.5


def test_columns_that_may_be_dimensions_are_asked_for(run: Any) -> None:
    Path("q.csv").write_text("question,dataset,INDICATOR,Owner\nHow many?,IMF:WEO,LP,Anna\n")
    said = run("import", "q.csv", "--suite", "data_query")
    assert said.code == 2 and "Owner" in said.err and "--map dimension=COLUMN" in said.err
    assert not Path("q").exists()
    assert run("import", "q.csv", "--suite", "data_query", "--map", "ignore=Owner").code == 0
    text = Path("q/cases.yaml").read_text()
    assert "Owner" not in text and "id: LP" in text
    mapped = ("--map", "dimension=Owner", "--force")
    assert "Owner, INDICATOR → dimension" in run("import", "q.csv", "--suite", "data_query", *mapped).out
    Path("named.csv").write_text("question,dataset,Country\nHow many?,IMF:WEO,CHL: Chile; NO: Norway\n")
    assert "Country → dimension" in run("import", "named.csv", "--suite", "data_query").out


def test_excel_shows_dates_percentages_and_zeros_as_a_person_sees_them(run: Any) -> None:
    book = xlsxwriter.Workbook("q.xlsx")
    sheet = book.add_worksheet("Questions")
    sheet.write_row(0, 0, ["question", "expected", "answer"])
    rows: list[tuple[Any, dict[str, str], str]] = [
        (datetime.date(2024, 5, 1), {"num_format": "yyyy-mm-dd"}, "2024-05-01"),
        (0.175, {"num_format": "0.0%"}, "17.5%"),
        (742, {"num_format": "00000"}, "00742"),
        (12840, {}, "12840 people"),
        (2.5, {}, "2.5"),
    ]
    for number, (value, form, answer) in enumerate(rows, start=1):
        cell = book.add_format(form)
        sheet.write(number, 0, f"Question {number}?")
        if isinstance(value, datetime.date):
            sheet.write_datetime(number, 1, value, cell)
        else:
            sheet.write_number(number, 1, value, cell)
        sheet.write_string(number, 2, answer)
    book.close()
    assert run("import", "q.xlsx", "--suite", "answers").code == 0
    gold = [json.loads(line)["evaluation"] for line in Path("q/gold/karat_gold.jsonl").read_text().splitlines()]
    assert [one["parameters"]["gold"] for one in gold] == [["2024-05-01"], "17.5%", ["00742"], 12840, 2.5]
    assert figures("answers", "q/gold", "q/submission")["strict"] == 1.0


def test_several_sheets_are_a_question(run: Any) -> None:
    workbook([["question", "expected"], ["One?", 1]], Other=[["question", "expected"], ["Two?", 2]])
    said = run("import", "q.xlsx", "--suite", "answers")
    assert said.code == 2 and "Candidates: Sheet, Other" in said.err
    chosen = run("import", "q.xlsx", "--suite", "answers", "--sheet", "Other")
    assert chosen.code == 0 and 'q.xlsx: Excel, sheet "Other", 1 row' in chosen.out
    wrong = run("import", "q.xlsx", "--suite", "answers", "--sheet", "Othr")
    assert wrong.code == 2 and 'has no sheet "Othr"' in wrong.err and 'Did you mean "Other"?' in wrong.err
    assert "Two?" in Path("q/gold/karat_gold.jsonl").read_text()


@pytest.mark.parametrize(
    ("encoding", "separator"), [("utf-8", ","), ("utf-8-sig", ";"), ("utf-16", "\t"), ("utf-8", "|")]
)
def test_csv_in_its_dialects(run: Any, encoding: str, separator: str) -> None:
    lines = [["Question", "Expected", "Answer"], ["Größe?", "Übergröße", "die Übergröße"]]
    Path("q.csv").write_bytes("\r\n".join(separator.join(line) for line in lines).encode(encoding))
    assert run("import", "q.csv", "--suite", "answers").code == 0
    assert figures("answers", "q/gold", "q/submission")["strict"] == 1.0


def test_a_row_with_a_separator_too_many_is_not_taken_even_if_its_last_cell_is_empty(run: Any) -> None:
    heading, good = "id;question;dataset;FREQ;REGION;start", "a;Nights?;ALP:TOUR;M;TI;"
    # The ; between two terms is not quoted: what follows it would be in the wrong columns.
    Path("q.csv").write_text(f"{heading}\n{good}\nb;Both?;ALP:TOUR;M;TI; VS;\n")
    said = run("import", "q.csv", "--suite", "data_query")
    assert said.code == 3 and "q.csv:3: skipped: it has a cell in column 7" in said.err, said.err
    assert "wrote 1 case" in said.out
    # Where every line ends with a separator, nothing is out of place.
    Path("all.csv").write_text(f"{heading}\n{good};\nb;Both?;ALP:TOUR;M;TI;;\n")
    assert "wrote 2 cases" in run("import", "all.csv", "--suite", "data_query").out


def test_a_period_that_is_none_costs_its_row_and_not_the_file(run: Any) -> None:
    heading = "id;question;dataset;FREQ;start;end"
    rows = ["a;Nights?;ALP:TOUR;M;2019;", "b;And then?;ALP:TOUR;M;soon;", "c;Later?;ALP:TOUR;M;2020;2019"]
    Path("q.csv").write_text("\n".join([heading, *rows]) + "\n")
    said = run("import", "q.csv", "--suite", "data_query")
    assert said.code == 3 and 'row 3 is skipped: "soon" is no period' in said.err, said.err
    assert "row 4 is skipped: the period starts at" in said.err and "wrote 1 case" in said.out


def test_rows_that_cannot_be_taken_are_named(run: Any) -> None:
    Path("q.csv").write_text(
        'question,expected\nOne?,1\nTwo?,"SELECT a FROM t"\n,3\nFour?,\nFive?,5,6\n"Six\nlines?",6\n'
    )
    said = run("import", "q.csv", "--suite", "answers")
    assert said.code == 3
    for words in (
        "row 3 is skipped: the expected value is SQL",
        "row 4 is skipped",
        "row 5 is skipped",
        "q.csv:6: skipped",
    ):
        assert words in said.err, said.err
    assert "2 cases" in said.out and "4 rows skipped" in said.out


# -- which column is which ---------------------------------------------------------------------------------------------


def test_an_answer_column_alone_is_not_taken_for_what_is_expected(run: Any) -> None:
    Path("q.jsonl").write_text('{"question": "One?", "answer": "1"}\n')
    said = run("import", "q.jsonl", "--suite", "answers")
    assert said.code == 2 and "Candidates: answer" in said.err and not Path("q").exists()
    assert run("import", "q.jsonl", "--suite", "answers", "--map", "expected=answer").code == 0


def test_two_candidates_are_unclear_and_wrong_names_have_a_near_one(run: Any) -> None:
    Path("q.csv").write_text("question,gold,target\nOne?,1,1\n")
    assert "Candidates: gold, target" in run("import", "q.csv", "--suite", "answers").err
    said = run("import", "q.csv", "--suite", "answers", "--map", "expected=glod")
    assert said.code == 2 and 'Did you mean "gold"?' in said.err
    assert "there is no field" in run("import", "q.csv", "--suite", "answers", "--map", "exspected=gold").err
    assert run("import", "q.csv", "--suite", "answers", "--map", "expected=gold", "--map", "ignore=target").code == 0


def test_nothing_is_overwritten_without_force(run: Any) -> None:
    Path("q.csv").write_text("question,expected\nOne?,1\n")
    assert run("import", "q.csv", "--suite", "answers").code == 0
    Path("q.csv").write_text("question,expected\nTwo?,2\n")
    said = run("import", "q.csv", "--suite", "answers")
    assert said.code == 2 and "would be overwritten" in said.err
    assert "One?" in Path("q/gold/karat_gold.jsonl").read_text()
    assert run("import", "q.csv", "--suite", "answers", "--force").code == 0
    assert "Two?" in Path("q/gold/karat_gold.jsonl").read_text()


# -- the suites -------------------------------------------------------------------------------------------------------


def test_retrieval_ids_in_all_their_forms(run: Any) -> None:
    rows = [
        {"id": "#1", "query": "a?", "relevant": ["d1", "d2"], "retrieved": [{"id": "d1", "score": 1}]},
        {"id": "2", "query": "b?", "relevant": "d3; d 4", "retrieved": "d3; d 4"},
        {"id": "3", "query": "c?", "relevant": {"d5": 2, "d6": 1}, "retrieved": ["d5", "d6"]},
        {"id": "4", "query": "d?", "relevant": "Korea, Republic of", "retrieved": ["Korea, Republic of"]},
        {"id": "5", "query": "e?", "relevant": 7, "retrieved": [7]},
    ]
    Path("r.json").write_text(json.dumps(rows))
    assert run("import", "r.json", "--suite", "retrieval").code == 0
    assert figures("retrieval", "r", "r/run.jsonl")["recall"] == 0.9


def test_codegen_takes_code_values_and_tables(run: Any) -> None:
    Path("sales.csv").write_text("price\n1\n2\n")
    rows = [
        {"id": "a", "question": "Total?", "expected": "result = sales.price.sum()", "tables": "sales.csv"},
        {"id": "b", "question": "Total?", "expected": "3", "tables": "s=sales.csv"},
        {"id": "c", "question": "City?", "expected": "Oslo"},
        {"id": "d", "question": "Zip?", "expected": "00742"},
        {"id": "e", "question": "Lost?", "expected": "1", "tables": "lost.csv"},
    ]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = run("import", "t.jsonl", "--suite", "codegen")
    assert said.code == 3 and 'no file "lost.csv"' in said.err
    tasks = [json.loads(line) for line in Path("t/tasks.jsonl").read_text().splitlines()]
    assert [task.get("expected", {}).get("value") for task in tasks] == [None, 3, "Oslo", "00742"]
    assert tasks[0]["reference"] and tasks[1]["tables"] == {"s": "tables/sales.csv"}
    assert Path("t/tables/sales.csv").read_text() == Path("sales.csv").read_text()
    assert run("check", "t/tasks.jsonl", "--suite", "codegen").code == 0


def test_tables_for_all_tasks_that_name_none(run: Any) -> None:
    Path("sales.csv").write_text("price\n1\n2\n")
    Path("other.csv").write_text("price\n5\n")
    code = "result = sales.price.sum()"
    rows = [{"id": "a", "question": "Total?", "expected": code}]
    Path("t.jsonl").write_text(json.dumps(rows[0]) + "\n")
    assert "--map tables=COLUMN or --table NAME=FILE" in run("import", "t.jsonl", "--suite", "codegen").out
    rows.append({"id": "b", "question": "Total?", "expected": code, "tables": "sales=other.csv"})
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = run("import", "t.jsonl", "--suite", "codegen", "--table", "sales=sales.csv", "--force")
    assert said.code == 0 and "no table" not in said.out
    tasks = [json.loads(line) for line in Path("t/tasks.jsonl").read_text().splitlines()]
    assert [task["tables"] for task in tasks] == [{"sales": "tables/sales.csv"}, {"sales": "tables/other.csv"}]
    assert Path("t/tables/sales.csv").read_text() == "price\n1\n2\n"
    lost = run("import", "t.jsonl", "--suite", "codegen", "--table", "sales=lost.csv", "--force")
    assert lost.code == 2 and "--table sales: there is no file" in lost.err
    other = run("import", "t.jsonl", "--suite", "answers", "--table", "sales=sales.csv", "--map", "expected=expected")
    assert other.code == 2 and "--table is for the suite codegen" in other.err


def test_a_csv_file_beside_is_a_gold_table(run: Any) -> None:
    Path("gold.csv").write_text("a,b\n1,2\n")
    Path("q.csv").write_text(
        'question,expected,answer\nTable?,gold.csv,"a,b\n1,2"\nOutside?,../x.csv,1\nLost?,lost.csv,1\n'
    )
    said = run("import", "q.csv", "--suite", "answers")
    assert said.code == 3 and "outside the folder" in said.err and 'no file "lost.csv"' in said.err
    assert figures("answers", "q/gold", "q/submission")["strict"] == 1.0


# -- other tools -------------------------------------------------------------------------------------------------------

PROMPTFOO = """prompts: ["{{question}}"]
providers: [openai:gpt-4o]
defaultTest: {assert: [{type: latency, threshold: 100}]}
tests:
- vars: {question: How many?}
  assert: [{type: equals, value: 007}]
- vars: {question: Who?}
  assert: [{type: icontains-any, value: [Ada, Lovelace]}]
- vars: {question: Nice?}
  assert: [{type: llm-rubric, value: polite}]
"""


def test_promptfoo_configuration(run: Any) -> None:
    Path("promptfooconfig.yaml").write_text(PROMPTFOO)
    said = run("import", "promptfooconfig.yaml", "--suite", "answers", "--to", "out")
    assert said.code == 3 and "promptfoo configuration, 3 rows" in said.out
    assert "latency (3), llm-rubric (1)" in said.out
    gold = [
        json.loads(line)["evaluation"]["parameters"]
        for line in Path("out/gold/karat_gold.jsonl").read_text().splitlines()
    ]
    assert gold == [{"gold": ["007"]}, {"gold": ["Ada", "Lovelace"], "conj": "or"}]


def promptfoo_result(provider: str, question: str, output: str, expected: str) -> dict[str, Any]:
    test = {"vars": {"question": question}, "assert": [{"type": "contains", "value": expected}]}
    return {
        "provider": {"id": provider},
        "vars": test["vars"],
        "testCase": test,
        "promptIdx": 0,
        "response": {"output": output},
    }


def test_promptfoo_results_of_one_and_of_two_providers(run: Any) -> None:
    results = [promptfoo_result("a", "One?", "1", "1"), promptfoo_result("a", "Two?", "3", "2")]
    Path("one.json").write_text(json.dumps({"evalId": "x", "results": {"version": 3, "results": results}}))
    assert run("import", "one.json", "--suite", "answers").code == 0
    assert figures("answers", "one/gold", "one/submission")["strict"] == 0.5
    results += [promptfoo_result("b", "One?", "1", "1"), promptfoo_result("b", "Two?", "2", "2")]
    Path("two.json").write_text(json.dumps({"results": {"results": results}}))
    assert run("import", "two.json", "--suite", "answers", "--map", "answer=answer of b").code == 0
    assert figures("answers", "two/gold", "two/submission")["strict"] == 1.0


SAMPLES = [
    {"id": 1, "epoch": 1, "input": "One?", "target": "1", "output": {"completion": "1"}},
    {"id": 2, "epoch": 1, "input": [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "Who?"}],
     "target": ["Ada", "Lovelace"], "output": {"choices": [{"message": {"role": "assistant", "content": "Lovelace"}}]}},
]  # fmt: skip


def test_inspect_logs_as_json_and_as_archive(run: Any) -> None:
    Path("log.json").write_text(json.dumps({"version": 2, "eval": {"task": "t"}, "samples": SAMPLES}))
    assert run("import", "log.json", "--suite", "answers").code == 0
    assert figures("answers", "log/gold", "log/submission")["strict"] == 1.0
    with zipfile.ZipFile("log2.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for sample in SAMPLES:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    assert run("import", "log2.eval", "--suite", "answers").code == 0
    assert Path("log2/gold/karat_gold.jsonl").read_bytes() == Path("log/gold/karat_gold.jsonl").read_bytes()


def test_inspect_epochs_are_repeats(run: Any) -> None:
    samples = [
        SAMPLES[0] | {"target": "result = 1", "epoch": epoch, "output": {"completion": f"result = {epoch}"}}
        for epoch in (1, 2)
    ]
    Path("log.json").write_text(json.dumps({"eval": {}, "samples": samples}))
    assert run("import", "log.json", "--suite", "codegen").code == 0
    lines = [json.loads(line) for line in Path("log/predictions.jsonl").read_text().splitlines()]
    assert [(line["id"], line.get("repeat", 0)) for line in lines] == [("1", 0), ("1", 1)]


def test_langsmith_dataset_and_experiment(run: Any) -> None:
    Path("d.jsonl").write_text('{"id": "x", "inputs": {"question": "One?"}, "outputs": {"answer": "1"}}\n')
    said = run("import", "d.jsonl", "--suite", "answers")
    assert said.code == 0 and "outputs.answer → expected" in said.out
    Path("e.csv").write_text(
        'id,inputs,outputs,reference_outputs,latency\nx,"{""question"": ""One?""}","{""output"": ""2""}","{""answer"": '
        '""1""}",3\n'
    )
    said = run("import", "e.csv", "--suite", "answers")
    assert said.code == 0, said.err
    assert "reference_outputs.answer → expected" in said.out and "outputs.output → answer" in said.out
    assert figures("answers", "e/gold", "e/submission")["strict"] == 0.0


def test_langfuse_items_and_traces(run: Any) -> None:
    items = [
        {
            "id": "i1",
            "input": {"messages": [{"role": "user", "content": "One?"}]},
            "expectedOutput": "1",
            "status": "ACTIVE",
        }
    ]
    Path("items.json").write_text(json.dumps({"data": items, "meta": {"page": 1}}))
    said = run("import", "items.json", "--suite", "answers")
    assert said.code == 0 and "Langfuse dataset items" in said.out, said.err
    assert '"One?"' in Path("items/gold/karat_gold.jsonl").read_text()
    Path("traces.json").write_text(json.dumps([{"id": "t", "input": "One?", "output": "1", "sessionId": "s"}]))
    said = run("import", "traces.json", "--suite", "answers")
    assert said.code == 2 and "which column is the expected value" in said.err


# -- broken and hostile -----------------------------------------------------------------------------------------------


def repacked(name: str, change: dict[str, bytes]) -> None:
    workbook([["question", "expected"], ["One?", 1]], "good.xlsx")
    with zipfile.ZipFile("good.xlsx") as good, zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as bad:
        for member in good.namelist():
            bad.writestr(member, change.get(member, good.read(member)))


def test_entities_bombs_and_damage_in_excel_files(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    evil = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet><sheetData/></worksheet>'
    repacked("entity.xlsx", {"xl/worksheets/sheet1.xml": evil})
    assert "document type" in run("import", "entity.xlsx", "--suite", "answers").err
    monkeypatch.setenv("KARAT_MAX_UNPACKED_MB", "1")
    repacked("bomb.xlsx", {"xl/worksheets/sheet1.xml": b"<worksheet>" + b" " * 3_000_000 + b"</worksheet>"})
    said = run("import", "bomb.xlsx", "--suite", "answers")
    assert said.code == 2 and "larger than" in said.err
    repacked("broken.xlsx", {"xl/worksheets/sheet1.xml": b"<worksheet><sheetData>"})
    assert "damaged" in run("import", "broken.xlsx", "--suite", "answers").err
    Path("cut.xlsx").write_bytes(Path("good.xlsx").read_bytes()[:2_000])
    assert run("import", "cut.xlsx", "--suite", "answers").code == 2


def test_files_that_are_nothing_we_know(run: Any) -> None:
    for name, data in (
        ("a.csv", b""),
        ("b.json", b"{"),
        ("c.pdf", b"%PDF-1.4"),
        ("d.yaml", b"a: 1\n"),
        ("e.zip", b"PK\x05\x06" + bytes(18)),
    ):
        Path(name).write_bytes(data)
        assert run("import", name, "--suite", "answers").code == 2
    assert run("import", "nothing.csv", "--suite", "answers").code == 2
