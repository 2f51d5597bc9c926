"""Runs of the four suites with text that would act, mislead or break a page in every field that a file or a model
fills: questions, prompts, codes and names, table cells, column names, SQL, code, keys, traces."""

from __future__ import annotations

import csv
import sqlite3
from pathlib import Path
from typing import Any

import karat
from tests.suites.answers.text_to_sql.making import question_file

TEXTS = (
    "<script>window.hit=1</script>",
    "\"><img src=x onerror='window.hit=1'>",
    "</pre></code></td></table></textarea><svg onload=window.hit=1>",
    "' onmouseover='window.hit=1' x='",
    "javascript:window.hit=1",
    "{{ 7*7 }}{% raw %}${7*7}",
    "\u202egnp.exe\u2066 \u200f",
    "\x1b[31m\x07\x0b red",
    "w" * 3_000,
    "long " * 1_000 + "</div>" * 50,
)
TURNING = "\u202e\u2066\u200f"


def build(folder: Path) -> str:
    """r-0001 to r-0006: data_query recorded and live, answers with texts, tables and SQL, retrieval, codegen; the
    store's address."""
    store = f"sqlite:///{folder}/karat.db"
    _selections(store)
    _answers(folder, store)
    _queries(folder, store)
    keys = [{"id": f"{n} {text}", "question": text, "relevant": [text, f"{text}!"]} for n, text in enumerate(TEXTS)]
    found = [{"id": one["id"], "results": [*TEXTS, "other"]} for one in keys]
    karat.run(suite="retrieval", cases=keys, predictions=found, store=store)
    _code(store)
    return store


def _selections(store: str) -> None:
    cases, given = [], []
    for number, text in enumerate(TEXTS):
        target = _selection(f"{text}?", text)
        turns = [
            {"role": "system", "content": text},
            {"role": "user", "content": text, "target": {"indicator_selection": [target]}},
        ]
        cases.append({"id": f"{number} {text}", "name": text, "tags": [text], "comments": text, "conversation": turns})
        given.append({"id": f"{number} {text}", "indicator_selection": [_selection(text, f"{text}!")]})
    karat.run(suite="data_query", cases=cases, predictions=given, store=store)
    karat.run(suite="data_query", cases=cases, system=_traced, store=store)


def _selection(code: str, name: str) -> dict[str, Any]:
    return {"dataset_id": code, "dimensions": [{"dimension_name": name, "values": [{"id": code, "name": name}]}]}


def _traced(request: Any) -> dict[str, Any]:
    """A chat completion with a tool call; its name and arguments are as hostile as its words."""
    text = str(request["messages"][-1]["content"])
    call = {"id": "1", "type": "function", "function": {"name": text, "arguments": text}}
    return {"choices": [{"message": {"role": "assistant", "content": text, "tool_calls": [call]}}]}


def _answers(folder: Path, store: str) -> None:
    cases: list[dict[str, Any]] = []
    given: list[dict[str, Any]] = []
    for number, text in enumerate(TEXTS):
        name = f"t{number}"
        (folder / name).mkdir()
        for file, end in ((folder / f"{name}_gold.csv", ""), (folder / name / "given.csv", "!")):
            with file.open("w", newline="", encoding="utf-8") as opened:
                rows = [["k", text.replace("\x0b", " ")], ["1", text + end], ["2", f"{text} same"]]
                csv.writer(opened).writerows(rows)
        rule = {"func": "table_match", "parameters": {"gold": f"{name}_gold.csv", "ignore_order": True}}
        cases.append({"instance_id": name, "instruction": text, "type": "table", "evaluation": rule})
        given.append({"instance_id": name, "answer_type": "file", "answer_or_path": "given.csv"})
        said = {"func": "string_match", "parameters": {"gold": [f"{text}?"], "exclude": []}}
        cases.append({"instance_id": f"s{number}", "instruction": text, "type": "text", "evaluation": said})
        given.append({"instance_id": f"s{number}", "answer_type": "answer", "answer_or_path": text})
    karat.run(suite="answers", cases=cases, predictions=given, folder=folder, store=store)


def _queries(folder: Path, store: str) -> None:
    (folder / "databases" / "d").mkdir(parents=True)
    with sqlite3.connect(folder / "databases" / "d" / "d.sqlite") as database:
        database.execute("create table t(id integer primary key, said text)")
        database.executemany("insert into t(said) values (?)", [(text,) for text in TEXTS])
    plain = [text for text in TEXTS if text.isprintable() or text[0] == "\u202e"]
    cases = [
        {"id": f"q{n}", "db": "d", "question": text, "sql": f"select said from t where said = {_quoted(text)}"}
        for n, text in enumerate(plain)
    ]
    given = [
        {"id": f"q{n}", "sql": f"select said, {_quoted(text)} from t where id > 1 /* {text} */"}
        for n, text in enumerate(plain)
    ]
    question_file(folder, cases)
    question_file(folder, given, "given.jsonl")
    options = {"databases": str(folder / "databases")}
    questions, answers = str(folder / "team.jsonl"), str(folder / "given.jsonl")
    karat.run(suite="answers", cases=questions, predictions=answers, options=options, store=store)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _code(store: str) -> None:
    cases, given = [], []
    for number, text in enumerate(TEXTS[:4]):
        table = {"columns": {text: [text, "b"], "n": [1, 2]}}
        reference = f"result = t[t['n'] > 0].rename(columns={{'n': {text!r}}})"
        cases.append({"id": f"{number} {text}", "question": text, "tables": {"t": table}, "reference": reference})
        code = f"# {text}\nresult = t[t['n'] > 1]" if number % 2 else f"x = {text!r}\nraise ValueError(x)"
        given.append({"id": f"{number} {text}", "code": code})
    karat.run(suite="codegen", cases=cases, predictions=given, store=store)
