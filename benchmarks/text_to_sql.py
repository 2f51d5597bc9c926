"""Every question and system of the shared text-to-SQL data, beside a plain re-statement of the public evaluators
(:mod:`benchmarks.sql_evaluators`): connections and executions of their own for each verdict, as they have it.

Both compute BIRD's EX and F1, Spider's execution match and test suite, and defog's two verdicts, and both are compared
with the recorded verdicts. Karat also runs every gold a second time with its rows the other way round, computes
``strict``, and finds the parts of the queries that differ.

What is measured is CPU time, with that of all child processes, and the time on the clock. Reading the files is part of
it, imports are not (both sides score a question of their own first), and Karat begins with an empty cache and without
a child process. The second time is in the same process, which still has the results and the parsed queries. Neither
side does two things at a time, and for both Python looks for garbage as often as it does in the command ``karat``.
"""

from __future__ import annotations

import csv
import gc
import json
import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks import measure, sql_evaluators
from benchmarks.other_tools import CannotInstall, sqlparse

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sql"
SPIDER = ("dail_gpt4", "graphix_t5", "c3_chatgpt")
TARGET = 10
"""How many times our CPU the plain side must at least take."""
BIRD = ("gpt-4-turbo", "llama-3-70b")
FIGURES = ("bird_ex", "bird_f1", "spider_exec", "spider_suite", "defog_exact", "defog_correct")


class Files(NamedTuple):
    """One system: questions, its predictions, the recorded verdicts on them, and the options of a run."""

    questions: Path
    predictions: Path
    verdicts: Path
    options: dict[str, str]


class Pair(NamedTuple):
    """One prediction, as the public scripts read it."""

    database: str
    gold: str
    sql: str
    question: str
    category: str


class Spent(NamedTuple):
    """Seconds of the processor and on the clock, predictions, and figures other than recorded."""

    cpu: float
    wall: float
    predictions: int
    wrong: int


def main() -> None:
    if not DATA.is_dir():
        print("text_to_sql: the shared data is not beside the project")
        return
    try:
        parser = sqlparse()
    except CannotInstall as error:
        print(f"text_to_sql: sqlparse, which Spider's evaluator needs, is not there: {error}")
        return
    from karat.cli.main import COLLECT_AFTER
    from karat.engines.embedded.pool import POOL

    gc.set_threshold(COLLECT_AFTER)
    here = Path.cwd()
    with TemporaryDirectory() as name:
        os.chdir(name)
        try:
            _import_all(parser)
            POOL.end()
            ours = _spent(_karat, POOL.end)
            again = _spent(_karat, POOL.end)
        finally:
            os.chdir(here)
    plain = _spent(lambda: _plain(parser))
    print(f"text_to_sql: {ours.predictions:,} predictions, all figures")
    for what, spent in (("plain re-statement", plain), ("karat", ours), ("karat, a second time", again)):
        ratio = f"{plain.cpu / spent.cpu:5.1f} × CPU, {plain.wall / spent.wall:5.1f} × clock" if spent != plain else ""
        wrong = f"{spent.wrong} figures other than recorded"
        print(f"  {what:21} {spent.cpu:6.1f} s CPU {spent.wall:6.1f} s clock  {wrong:31} {ratio}".rstrip())
    for what, spent in (("the first time", ours), ("a second time", again)):
        measure.verdict(f"plain / karat, {what}, CPU", plain.cpu / spent.cpu, at_least=TARGET)


def _import_all(parser: Any) -> None:
    """Both sides score one small question, right and wrong, so that what they import while they work is in no time; a
    large result needs polars, and some of defog's verdicts pandas."""
    import pandas as _pandas  # noqa: F401 (only to import it)
    import polars as _polars  # noqa: F401 (only to import it)

    import karat

    with TemporaryDirectory() as name:
        file = Path(name) / "toy.sqlite"
        connection = sqlite3.connect(file)
        connection.executescript("CREATE TABLE t (a TEXT, b INTEGER); INSERT INTO t VALUES ('x', 1), ('y', 2)")
        connection.close()
        gold, right, wrong = "SELECT a, b FROM t ORDER BY b", "SELECT a, b FROM t", "SELECT b FROM t WHERE a = 'y'"
        asked = [{"db_id": "toy", "question": "What is there, by b?", "query": gold} for _ in range(2)]
        Path(name, "toy.json").write_text(json.dumps(asked))
        Path(name, "toy.txt").write_text(f"{right}\n{wrong}\n")
        karat.score("answers", Path(name, "toy.json"), Path(name, "toy.txt"), options={"databases": name})
        for sql in (right, wrong):
            sql_evaluators.verdicts(parser, file, [file], gold, sql, "", "")


def _spent(work: Callable[[], tuple[int, int]], end: Callable[[], None] = lambda: None) -> Spent:
    """``end``: what ends the child processes, so that their time counts."""
    cpu, wall = _cpu(), time.perf_counter()
    count, wrong = work()
    wall = time.perf_counter() - wall
    end()
    return Spent(_cpu() - cpu, wall, count, wrong)


def _cpu() -> float:
    """Seconds of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


# -- both sides -------------------------------------------------------------------------------------------------------


def _karat() -> tuple[int, int]:
    import karat

    count = wrong = 0
    for files in _files():
        result = karat.score("answers", files.questions, files.predictions, options=files.options)
        rows = _rows(files, len(result.cases))
        found = [
            {figure: result.cases[row].scores[figure].value for figure in FIGURES} for row in rows
        ]  # the case of a row is the one at its place
        count += len(rows)
        wrong += _differing(files, found)
    return count, wrong


def _plain(parser: Any) -> tuple[int, int]:
    count = wrong = 0
    for files in _files():
        found = []
        for pair in _pairs(files):
            folder = Path(files.options["databases"])
            file = folder / pair.database / f"{pair.database}.sqlite"
            file = file if file.exists() else folder / f"{pair.database}.db"
            suite = files.options.get("test_suite")
            others = sorted((Path(suite) / pair.database).glob("*.sqlite*")) if suite else []
            found.append(
                sql_evaluators.verdicts(parser, file, others, pair.gold, pair.sql, pair.question, pair.category)
            )
        count += len(found)
        wrong += _differing(files, found)
    return count, wrong


def _differing(files: Files, found: list[dict[str, Any]]) -> int:
    """Figures other than recorded. A query that asks what time it is had another result when it was recorded."""
    recorded = json.loads(files.verdicts.read_text())
    texts = [f"{pair.gold} {pair.sql}".lower() for pair in _pairs(files)]
    differing = 0
    for figure in FIGURES:
        for given, value, text in zip(found, recorded.get(figure, ()), texts, strict=False):
            if "'now'" not in text:
                mine = given.get(figure)
                differing += mine is None or abs(mine - value) > 1e-5
    return differing


# -- the data ---------------------------------------------------------------------------------------------------------


def _rows(files: Files, count: int) -> list[int]:
    """The rows of the question file that there are predictions for."""
    recorded = json.loads(files.verdicts.read_text())
    return list(recorded.get("row", range(count)))


def _files() -> list[Files]:
    spider, bird, defog = DATA / "spider", DATA / "bird", DATA / "defog"
    suite = {"databases": str(spider / "database"), "test_suite": str(spider / "test_suite")}
    found = [
        Files(spider / "dev.json", spider / f"predictions/{name}.txt", spider / f"verdicts/{name}.json", suite)
        for name in SPIDER
    ]
    options = {"databases": str(bird / "dev_databases")}
    questions = bird / "mini_dev_sqlite.json"
    found += [
        Files(questions, bird / f"predictions/predict_{n}.json", bird / f"verdicts/{n}.json", options) for n in BIRD
    ]
    options = {"databases": str(defog / "sqlite_dbs")}
    found += [
        Files(defog / "questions.csv", file, defog / "verdicts" / f"{file.stem}.json", options)
        for file in sorted((defog / "predictions").glob("*.jsonl"))
    ]
    return found


def _pairs(files: Files) -> list[Pair]:
    if files.questions.suffix == ".csv":
        with files.questions.open(newline="") as file:
            table = list(csv.DictReader(file))
        given = [json.loads(line) for line in files.predictions.read_text().splitlines()]
        chosen = [(table[one["row"]], one["query"]) for one in given]
        return [Pair(r["db_name"], r["query"], sql, r["question"], r["query_category"]) for r, sql in chosen]
    rows = json.loads(files.questions.read_text())
    if files.predictions.suffix == ".txt":
        texts = files.predictions.read_text().split("\n")
    else:
        keyed = json.loads(files.predictions.read_text())
        texts = [str(keyed[str(n)]).split("\t----- bird -----\t")[0] for n in range(len(rows))]
    return [
        Pair(r["db_id"], r.get("query") or r["SQL"], sql, r["question"], "")
        for r, sql in zip(rows, texts, strict=False)
    ]
