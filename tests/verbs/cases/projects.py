"""Small projects of every suite, with an assistant that says what a test wants."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from karat.cli.main import app
from karat.verbs.setup.init import start_project


def karat(*words: str | Path, code: int | None = 0, typed: str = "") -> str:
    """Run a command; its output. ``code`` None: any exit code but that of a mistake."""
    run = CliRunner().invoke(app, [str(word) for word in words], input=typed)
    wanted = (0, 1, 3) if code is None else (code,)
    assert run.exit_code in wanted, run.output + repr(run.exception)
    return run.output


def assistant(folder: Path, reply: Any) -> None:
    """The assistant of the project replies with this, whatever it is asked."""
    file = folder / "reply.json"
    file.write_text(json.dumps(reply if isinstance(reply, str) else json.dumps(reply)))
    code = f"import json, pathlib, sys\nprint(pathlib.Path({str(file)!r}).read_text())\n"
    (folder / "say.py").write_text(code)


def systems(folder: Path) -> str:
    return f"systems: {{helper: {{type: command, command: [python, {folder / 'say.py'}]}}}}\n"


def data_query(folder: Path) -> None:
    start_project(folder, "data_query")
    config = folder / "karat.yaml"
    helper = f"  helper: {{type: command, command: [python, {folder / 'say.py'}]}}\n"
    text = config.read_text().replace("systems:\n", f"systems:\n{helper}")
    config.write_text(text.replace("    options:\n", "    options:\n      structures: [codelists]\n"))


def codegen(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    entry = "{suite: codegen, cases: tasks.yaml, system: helper}"
    (folder / "karat.yaml").write_text(f"{systems(folder)}suites: [{entry}]\n")
    (folder / "tasks.yaml").write_text(
        "# all tasks\ntables: {sales: {price: [1, 2], line: [N, S]}}\ntasks:\n  # the first\n  - id: total\n"
        "    question: What is the total?  # asked often\n    reference: result = sales.price.sum()\n\n# the end\n"
    )


def text_to_sql(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    with sqlite3.connect(folder / "shop.sqlite") as database:
        database.executescript("create table sale(line text, price real); insert into sale values('N', 1);")
    options = "{databases: shop.sqlite}"
    (folder / "karat.yaml").write_text(
        f"{systems(folder)}suites: [{{suite: answers, cases: questions.jsonl, system: helper, options: {options}}}]\n"
    )
    row = {"id": "q1", "question": "How many sales?", "sql": "SELECT count(*) FROM sale", "db": "shop"}
    (folder / "questions.jsonl").write_text(json.dumps(row) + "\n")


def beir(folder: Path) -> None:
    (folder / "set" / "qrels").mkdir(parents=True)
    (folder / "karat.yaml").write_text(f"{systems(folder)}suites: [{{suite: retrieval, cases: set, system: helper}}]\n")
    (folder / "set" / "queries.jsonl").write_text('{"_id": "q1", "text": "what is sour?"}\n')
    (folder / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tlemon\t1\n")
    corpus = "".join(json.dumps({"_id": one, "title": one, "text": one}) + "\n" for one in ("lemon", "honey", "salt"))
    (folder / "set" / "corpus.jsonl").write_text(corpus)
