"""Every question and system of the shared text-to-SQL data, beside a plain re-statement of the public evaluators
(:mod:`benchmarks.sql_evaluators`): connections and executions of their own for each verdict, as they have it.

Both compute BIRD's EX and F1, Spider's execution match and test suite, and defog's two verdicts, and both are compared
with the recorded verdicts. Karat is measured three times:

- the same figures and nothing else, from an empty cache, in a process of its own: the same work on both sides;
- a whole ``karat.score``, from an empty cache: every gold runs a second time with its rows the other way round,
  ``strict`` is computed, and for each answer that is not right the parts of the queries that differ, none of which the
  public evaluators do;
- the same again in the same process, which still has the results and the parsed queries.

What is measured is CPU time, with that of all child processes, and the time on the clock. Reading the files is part of
it, imports are not (both sides score a question of their own first), and Karat begins without a child process. Neither
side does two things at a time, and for both Python looks for garbage as often as it does in the command ``karat``.
"""

from __future__ import annotations

import csv
import gc
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from benchmarks import measure, sql_evaluators
from benchmarks.other_tools import CannotInstall, sqlparse

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sql"
SPIDER = ("dail_gpt4", "graphix_t5", "c3_chatgpt")
TARGET = 10
"""How many times our CPU the plain side must at least take for the same figures."""
WHOLE = 4
"""And where Karat also computes ``strict`` and explains it."""
BIRD = ("gpt-4-turbo", "llama-3-70b")
GOLD, GIVEN = "SELECT a, b FROM t ORDER BY b", ("SELECT a, b FROM t", "SELECT b FROM t WHERE a = 'y'")
"""A question of our own, of a right and a wrong answer, that both sides score before they are measured."""
AHEAD = 32
"""Questions whose queries run together, as in a run."""
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
    command = [sys.executable, "-m", "benchmarks.text_to_sql"]
    said = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, check=True).stdout
    alone = Spent(*json.loads(said.splitlines()[-1]))
    ours, again = _from_empty_cache(lambda: [_spent(_karat, _end_queries) for _ in range(2)])
    _warm_plain(parser)
    plain = _spent(lambda: _plain(parser))
    print(f"text_to_sql: {ours.predictions:,} predictions")
    sides = (
        ("plain re-statement", plain),
        ("karat, the same figures alone", alone),
        ("karat.score, strict and all", ours),
        ("karat.score, a second time", again),
    )
    for what, spent in sides:
        ratio = f"{plain.cpu / spent.cpu:5.1f} × CPU, {plain.wall / spent.wall:5.1f} × clock" if spent != plain else ""
        wrong = f"{spent.wrong} figures other than recorded"
        print(f"  {what:30} {spent.cpu:6.1f} s CPU {spent.wall:6.1f} s clock  {wrong:31} {ratio}".rstrip())
    measure.verdict("plain / karat, the same figures, from an empty cache, CPU", plain.cpu / alone.cpu, at_least=TARGET)
    measure.verdict("plain / karat.score, a second time, CPU", plain.cpu / again.cpu, at_least=TARGET)
    measure.verdict("plain / karat.score with strict, from an empty cache, CPU", plain.cpu / ours.cpu, at_least=WHOLE)


def _from_empty_cache(work: Callable[[], list[Spent]]) -> list[Spent]:
    """In a new folder, without a child process, and with everything imported."""
    from karat.cli.main import COLLECT_AFTER

    gc.set_threshold(COLLECT_AFTER)
    here = Path.cwd()
    with TemporaryDirectory() as name:
        os.chdir(name)
        try:
            _import_all()
            _end_queries()
            return work()
        finally:
            os.chdir(here)


def _end_queries() -> None:
    """End the processes that run queries, so that their time counts."""
    from karat.engines.embedded.pool import POOL

    POOL.end()


def _import_all() -> None:
    """Score one small question, right and wrong, so that what is imported on the way is in no time; a large result
    needs polars, and some of defog's verdicts pandas."""
    import pandas as _pandas  # noqa: F401 (only to import it)
    import polars as _polars  # noqa: F401 (only to import it)

    import karat

    with TemporaryDirectory() as name:
        _toy(Path(name))
        asked = [{"db_id": "toy", "question": "What is there, by b?", "query": GOLD} for _ in GIVEN]
        Path(name, "toy.json").write_text(json.dumps(asked))
        Path(name, "toy.txt").write_text("\n".join(GIVEN))
        karat.score("answers", Path(name, "toy.json"), Path(name, "toy.txt"), options={"databases": name})


def _warm_plain(parser: Any) -> None:
    """The same for the plain side."""
    with TemporaryDirectory() as name:
        file = _toy(Path(name))
        for sql in GIVEN:
            sql_evaluators.verdicts(parser, file, [file], GOLD, sql, "", "")


def _toy(folder: Path) -> Path:
    file = folder / "toy.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript("CREATE TABLE t (a TEXT, b INTEGER); INSERT INTO t VALUES ('x', 1), ('y', 2)")
    return file


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


def _karat_figures() -> tuple[int, int]:
    """What Karat does for the public figures and for nothing else: it reads both files, runs the texts as it always
    does (gold a second time with its rows the other way round too) and compares."""
    from karat.suites.answers.cases import load_cases
    from karat.suites.answers.options import Options
    from karat.suites.answers.predictions import read_predictions
    from karat.suites.answers.text_to_sql.figures import figures
    from karat.suites.answers.text_to_sql.files.pairing import paired
    from karat.suites.answers.text_to_sql.files.sql_answer import sql_answer
    from karat.suites.answers.text_to_sql.running.case_engine import bench_for, prepare, ready_bench
    from karat.suites.answers.text_to_sql.running.prefetching import run_ahead

    count = wrong = 0
    for files in _files():
        options = msgspec.convert(files.options, Options)
        cases = load_cases(files.questions).cases
        given = paired(cases, read_predictions(files.predictions))
        by_case = {one.case_id: one for one in given.predictions}
        rows = _rows(files, len(cases))
        chosen = [cases[row] for row in rows]
        golds = [turn.target for case in chosen for turn in case.conversation]
        asked = [
            (case, gold.queries, by_case[case.id])
            for case, gold in zip(chosen, golds, strict=True)
            if gold is not None and gold.queries is not None
        ]
        found = []
        for start in range(0, len(asked), AHEAD):
            some = asked[start : start + AHEAD]
            run_ahead([(case, [prediction]) for case, _, prediction in some], options)
            for case, queries, prediction in some:
                answer = sql_answer(prediction)
                bench = ready_bench(queries, options) or bench_for(queries, options)
                prepare(queries, answer, bench, "")
                text = answer.raw or answer.text
                verdicts = figures(queries, case.question, text, bench.run, bench.suite, bench.same)
                found.append({name: getattr(verdicts, name) for name in FIGURES})
        count += len(found)
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


if __name__ == "__main__":  # the process of its own, for the figures alone
    print(json.dumps(_from_empty_cache(lambda: [_spent(_karat_figures, _end_queries)])[0]))
