"""Every question and system of the shared text-to-SQL data, beside a plain re-statement of the public evaluators: one
connection and one execution of gold and prediction for each verdict, as they do.

Both compute BIRD's EX and F1, Spider's execution match and test suite, and defog's two verdicts; Karat also computes
``strict`` and the parts that differ, and compares every figure with the recorded verdict. What is measured is CPU
time, with that of all child processes; reading the files is part of it, imports are not, and Karat begins with an empty
cache.

How the public scripts go about it is kept: BIRD runs both queries on one connection in a thread of their own, which a
time limit watches; Spider starts an event loop for each execution and takes ``distinct`` out with sqlparse; defog
makes frames of both results. Left out, although they cost those scripts time: their process pools, Spider's own parser
and its reading of the schema for each question, and the SQLAlchemy engine that defog makes for each query.
"""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
import sqlite3
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sql"
SPIDER = ("dail_gpt4", "graphix_t5", "c3_chatgpt")
BIRD = ("gpt-4-turbo", "llama-3-70b")
FIGURES = ("bird_ex", "bird_f1", "spider_exec", "spider_suite", "defog_exact", "defog_correct")


def main() -> None:
    if not DATA.is_dir():
        print("text_to_sql: the shared data is not beside the project")
        return
    import pandas  # noqa: F401 (its import is in neither time)
    import sqlglot  # noqa: F401 (the same)

    from karat.engines.embedded.pool import POOL

    here = Path.cwd()
    with TemporaryDirectory() as name:
        os.chdir(name)
        try:
            begun = _cpu()
            count, wrong = _karat()
            POOL.end()  # so that the time of its processes counts
            ours = _cpu() - begun
            begun = _cpu()
            _karat()
            POOL.end()
            again = _cpu() - begun
        finally:
            os.chdir(here)
    begun = _cpu()
    plain = _plain()
    theirs = _cpu() - begun
    print(f"text_to_sql: {count:,} predictions, {wrong} figures other than recorded; CPU time")
    print(f"  plain re-statement {theirs:8.1f} s  ({plain:,} predictions; distinct by {_parser()})")
    print(f"  karat              {ours:8.1f} s  {theirs / ours:5.1f} × quicker")
    print(f"  karat, again       {again:8.1f} s  {theirs / again:5.1f} × quicker (nothing is executed)")


def _cpu() -> float:
    """Seconds of this process and of its children that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


# -- Karat ------------------------------------------------------------------------------------------------------------


def _karat() -> tuple[int, int]:
    count = wrong = 0
    for questions, predictions, verdicts, options in _files():
        import karat

        result = karat.score("answers", questions, predictions, options=options)
        recorded = json.loads(verdicts.read_text())
        rows = recorded.get("row", range(len(result.cases)))
        for figure in FIGURES:
            for row, value in zip(rows, recorded.get(figure, ()), strict=False):
                given = result.cases[row].scores[figure].value
                wrong += given is None or abs(given - value) > 1e-5
        count += len(rows)
    return count, wrong


def _files() -> list[tuple[Path, Path, Path, dict[str, Any]]]:
    spider, bird, defog = DATA / "spider", DATA / "bird", DATA / "defog"
    suite = {"databases": str(spider / "database"), "test_suite": str(spider / "test_suite")}
    found: list[tuple[Path, Path, Path, dict[str, Any]]] = [
        (spider / "dev.json", spider / f"predictions/{name}.txt", spider / f"verdicts/{name}.json", suite)
        for name in SPIDER
    ]
    options = {"databases": str(bird / "dev_databases")}
    found += [
        (bird / "mini_dev_sqlite.json", bird / f"predictions/predict_{n}.json", bird / f"verdicts/{n}.json", options)
        for n in BIRD
    ]
    options = {"databases": str(defog / "sqlite_dbs")}
    found += [
        (defog / "questions.csv", file, defog / "verdicts" / f"{file.stem}.json", options)
        for file in sorted((defog / "predictions").glob("*.jsonl"))
    ]
    return found


# -- the plain re-statement -------------------------------------------------------------------------------------------


def _plain() -> int:
    count = 0
    for questions, predictions, _, options in _files():
        for row, gold, sql, question, category in _pairs(questions, predictions):
            folder = Path(options["databases"])
            file = folder / row / f"{row}.sqlite"
            file = file if file.exists() else folder / f"{row}.db"
            suite = Path(options["test_suite"]) / row if "test_suite" in options else None
            _verdicts(file, sorted(suite.glob("*.sqlite*")) if suite else [], gold, sql, question, category)
            count += 1
    return count


def _pairs(questions: Path, predictions: Path) -> list[tuple[str, str, str, str, str]]:
    if questions.suffix == ".csv":
        with questions.open(newline="") as file:
            rows = list(csv.DictReader(file))
        given = [json.loads(line) for line in predictions.read_text().splitlines()]
        chosen = [(rows[one["row"]], one["query"]) for one in given]
        return [(r["db_name"], r["query"], sql, r["question"], r["query_category"]) for r, sql in chosen]
    rows = json.loads(questions.read_text())
    if predictions.suffix == ".txt":
        texts = predictions.read_text().split("\n")
    else:
        keyed = json.loads(predictions.read_text())
        texts = [str(keyed[str(n)]).split("\t----- bird -----\t")[0] for n in range(len(rows))]
    return [
        (r["db_id"], r.get("query") or r["SQL"], sql, r["question"], "") for r, sql in zip(rows, texts, strict=False)
    ]


def _fetched(file: Path, sql: str) -> list[Any] | None:
    """One execution as Spider has it: a connection, in an event loop of its own, with a time limit."""

    async def limited() -> list[Any] | None:
        return await asyncio.wait_for(_executed(file, sql), 60)

    return asyncio.run(limited())


async def _executed(file: Path, sql: str) -> list[Any] | None:
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode(errors="ignore")
    try:
        return connection.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return None
    finally:
        connection.close()


def _both(file: Path, sql: str, gold: str, judge: Callable[[list[Any], list[Any]], float]) -> float:
    """One verdict as BIRD has it: both queries on one connection, in a thread with a time limit."""
    found: list[float] = []

    def work() -> None:
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        try:
            given = connection.execute(sql).fetchall()
            found.append(judge(given, connection.execute(gold).fetchall()))
        except (sqlite3.Error, sqlite3.Warning):
            found.append(0.0)
        finally:
            connection.close()

    thread = Thread(target=work)
    thread.start()
    thread.join(30)
    return found[0] if found else 0.0


def _verdicts(file: Path, suite: list[Path], gold: str, sql: str, question: str, category: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    first = gold.split(";")[0]
    found["bird_ex"] = _both(file, sql, first, lambda given, expected: float(set(given) == set(expected)))
    found["bird_f1"] = _both(file, sql, first, _f1)
    found["spider_exec"] = _spider([file], first, sql)
    if suite:
        found["spider_suite"] = _spider(suite, first, sql)
    found["defog"] = _defog(file, gold, sql, question, category)
    return found


def _f1(given: list[Any], gold: list[Any]) -> float:
    if not given and not gold:
        return 1.0
    given, gold = list(dict.fromkeys(given)), list(dict.fromkeys(gold))
    tp = fp = fn = 0.0
    for place, row in enumerate(gold):
        if place >= len(given):
            fn += 1
            continue
        tp += sum(cell in row for cell in given[place]) / len(row)
        fp += sum(cell not in row for cell in given[place]) / len(row)
        fn += sum(cell not in given[place] for cell in row) / len(row)
    fp += max(0, len(given) - len(gold))
    precision, recall = tp / (tp + fp) if tp + fp else 0, tp / (tp + fn) if tp + fn else 0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _parser() -> str:
    """What takes ``distinct`` out of a text: sqlparse where it is installed, as Spider has it."""
    return "sqlparse" if find_spec("sqlparse") is not None else "a regular expression"


def _without_distinct(sql: str) -> str:
    if find_spec("sqlparse") is not None:
        sqlparse = import_module("sqlparse")
        statements = sqlparse.parse(sql)
        tokens = statements[0].flatten() if statements else ()
        return "".join(token.value for token in tokens if token.value.lower() != "distinct")
    return re.sub(r"\bdistinct\b", "", sql, flags=re.IGNORECASE)


def _spider(files: list[Path], gold: str, sql: str) -> bool:
    gold, sql = _without_distinct(gold), _without_distinct(sql.replace("value", "1"))
    ordered = "order by" in gold.lower()
    for file in files:
        expected, given = _fetched(file, gold), _fetched(file, sql)
        if expected is None or given is None or not _same(expected, given, ordered):
            return False
    return True


def _same(gold: list[Any], given: list[Any], ordered: bool) -> bool:
    if not gold and not given:
        return True
    if len(gold) != len(given) or len(gold[0]) != len(given[0]):
        return False
    sorted_rows = [[tuple(sorted(row, key=lambda c: f"{c}{type(c)}")) for row in rows] for rows in (gold, given)]
    if (sorted_rows[0] != sorted_rows[1]) if ordered else (set(sorted_rows[0]) != set(sorted_rows[1])):
        return False
    for order in permutations(range(len(gold[0]))):
        turned = [tuple(row[place] for place in order) for row in given]
        if turned == gold if ordered else sorted(map(repr, turned)) == sorted(map(repr, gold)):
            return True
    return False


def _defog(file: Path, gold: str, sql: str, question: str, category: str) -> tuple[bool, bool]:
    import pandas

    asked = category == "order_by" or re.search(r"\b(order|sort|arrange)\b", question, re.IGNORECASE) is not None
    correct = False
    for one in filter(None, (text.strip() for text in gold.split(";"))):
        try:
            frames = []
            for text in (one, sql):
                connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
                try:
                    frames.append(pandas.read_sql_query(text, connection))
                finally:
                    connection.close()
            if _exact(frames[0], frames[1], asked):
                return True, True
            correct = correct or _subset(frames[0], frames[1], asked)
        except Exception:  # as that code does
            continue
    return False, correct


def _normalised(frame: Any, asked: bool) -> Any:
    frame = frame.drop_duplicates()
    frame = frame.reindex(sorted(frame.columns), axis=1)
    frame = frame if asked else frame.sort_values(by=list(frame.columns), na_position="first")
    return frame.reset_index(drop=True)


def _exact(gold: Any, given: Any, asked: bool) -> bool:
    try:
        if (gold.values == given.values).all():
            return True
    except (AttributeError, ValueError):
        pass
    gold, given = _normalised(gold, asked), _normalised(given, asked)
    return gold.shape == given.shape and bool((gold.fillna(-99999).values == given.fillna(-99999).values).all())


def _subset(gold: Any, given: Any, asked: bool) -> bool:
    from pandas.testing import assert_frame_equal, assert_series_equal

    if gold.empty:
        return False
    left, matched = list(given.columns), []
    for name in gold.columns:
        for other in left:
            try:
                ours, theirs = gold[name].sort_values(), given[other].sort_values()
                assert_series_equal(
                    ours.reset_index(drop=True), theirs.reset_index(drop=True), check_dtype=False, check_names=False
                )
            except AssertionError:
                continue
            left.remove(other)
            matched.append(other)
            break
        else:
            return False
    chosen = given[matched].rename(columns=dict(zip(matched, gold.columns, strict=True)))
    try:
        assert_frame_equal(_normalised(gold, asked), _normalised(chosen, asked), check_dtype=False)
    except AssertionError:
        return False
    return True
