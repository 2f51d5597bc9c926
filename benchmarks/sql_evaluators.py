"""The public evaluators of text-to-SQL, plainly re-stated: BIRD's EX and soft F1, Spider's execution match and test
suite, defog's two verdicts. Each runs both queries itself, on connections of its own, as those scripts do.

- BIRD opens one connection for a verdict and runs prediction and gold on it, in a thread that a time limit watches
  (func_timeout is such a thread).
- Spider reads the schema of the database for each question and each figure, takes ``distinct`` out of both texts with
  sqlparse, and runs each text on each database on a connection of its own, in an event loop of its own.
- defog runs the prediction once and then each gold, each on a connection of its own, and compares pandas frames.

Left out, although they cost those scripts time: BIRD's process pools, and Spider's own parser (for both texts, for each
question and each figure; only its hardness depends on it).
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import permutations
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

Rows = list[tuple[Any, ...]]


def verdicts(
    parser: ModuleType, file: Path, suite: Sequence[Path], gold: str, sql: str, question: str, category: str
) -> dict[str, float]:
    """Every figure of one prediction. ``parser``: sqlparse."""
    first = gold.split(";")[0]
    found = {
        "bird_ex": _bird(file, sql, first, lambda given, expected: float(set(given) == set(expected))),
        "bird_f1": _bird(file, sql, first, _f1),
        "spider_exec": _spider(parser, file, [file], first, sql),
    }
    if suite:
        found["spider_suite"] = _spider(parser, file, suite, first, sql)
    exact, correct = _defog(file, gold, sql, question, category)
    return found | {"defog_exact": float(exact), "defog_correct": float(correct)}


# -- BIRD -------------------------------------------------------------------------------------------------------------


def _bird(file: Path, sql: str, gold: str, judge: Callable[[Rows, Rows], float]) -> float:
    found: list[float] = []

    def work() -> None:
        connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        try:
            cursor = connection.cursor()
            given = cursor.execute(sql).fetchall()
            found.append(judge(given, cursor.execute(gold).fetchall()))
        except (sqlite3.Error, sqlite3.Warning):
            found.append(0.0)
        finally:
            connection.close()

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(30)
    return found[0] if found else 0.0


def _f1(given: Rows, gold: Rows) -> float:
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


# -- Spider -----------------------------------------------------------------------------------------------------------


def _spider(parser: ModuleType, file: Path, files: Sequence[Path], gold: str, sql: str) -> float:
    _schema(file)
    gold, sql = _without_distinct(parser, gold), _without_distinct(parser, sql.replace("value", "1"))
    ordered = "order by" in gold.lower()
    for one in files:
        expected, given = asyncio.run(_limited(one, gold)), asyncio.run(_limited(one, sql))
        if expected is None or given is None or not _same(expected, given, ordered):
            return 0.0
    return 1.0


def _schema(file: Path) -> dict[str, list[str]]:
    """Tables and columns, which its parser needs."""
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        cursor = connection.cursor()
        cursor.execute("SELECT name FROM sqlite_master WHERE type='table';")
        tables = [str(row[0]).lower() for row in cursor.fetchall()]
        return {name: [str(row[1]).lower() for row in cursor.execute(f"PRAGMA table_info({name})")] for name in tables}
    except sqlite3.Error:  # a name in need of quotes, which ends that code
        return {}
    finally:
        connection.close()


def _without_distinct(parser: ModuleType, sql: str) -> str:
    sql = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
    statements = parser.parse(sql)
    tokens = statements[0].flatten() if statements else ()
    return "".join(token.value for token in tokens if token.value.lower() != "distinct")


async def _limited(file: Path, sql: str) -> Rows | None:
    return await asyncio.wait_for(_executed(file, sql), 60)


async def _executed(file: Path, sql: str) -> Rows | None:
    sql = re.sub(r"YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*", "2020", sql, flags=re.IGNORECASE)
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    connection.text_factory = lambda data: data.decode(errors="ignore")
    try:
        return connection.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return None
    finally:
        connection.close()


def _same(gold: Rows, given: Rows, ordered: bool) -> bool:
    if not gold and not given:
        return True
    if len(gold) != len(given) or len(gold[0]) != len(given[0]):
        return False
    first, second = ([tuple(sorted(row, key=lambda c: f"{c}{type(c)}")) for row in rows] for rows in (gold, given))
    if (first != second) if ordered else (set(first) != set(second)):
        return False
    for order in permutations(range(len(gold[0]))):
        turned = given if len(order) == 1 else [tuple(row[place] for place in order) for row in given]
        if turned == gold if ordered else set(turned) == set(gold) and Counter(turned) == Counter(gold):
            return True
    return False


# -- defog ------------------------------------------------------------------------------------------------------------


def _defog(file: Path, gold: str, sql: str, question: str, category: str) -> tuple[bool, bool]:
    asked = category == "order_by" or re.search(r"\b(order|sort|arrange)\b", question, re.IGNORECASE) is not None
    correct = False
    try:
        given = _frame(file, sql)
        for one in filter(None, (text.strip() for text in gold.split(";"))):
            expected = _frame(file, one)
            if _exact(expected, given, one, sql, asked):
                return True, True
            correct = correct or _subset(expected, given, asked)
    except Exception:  # as that code does
        return False, False
    return False, correct


def _frame(file: Path, sql: str) -> Any:
    import pandas

    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        cursor = connection.cursor()
        rows = cursor.execute(sql).fetchall()
        return pandas.DataFrame(rows, columns=[column[0] for column in cursor.description])
    finally:
        connection.close()


def _normalised(frame: Any, sql: str, asked: bool) -> Any:
    frame = frame.drop_duplicates()
    frame = frame.reindex(sorted(frame.columns), axis=1)
    if not asked:
        frame = frame.sort_values(by=list(frame.columns), na_position="first")
    elif order := re.search(r"ORDER BY[\s\S]*", sql, re.IGNORECASE):
        first = re.findall(r"(?<=ORDER BY)(.*?)(?=;|,|\)|$)", order[0], re.IGNORECASE)
        words = [word.strip().rsplit(".", 1)[-1] for word in first[0].split()] if first else []
        keys = [word for word in words if word in frame.columns]
        others = [name for name in frame.columns if name not in keys]
        ascending = "ASC" in map(str.upper, words)
        frame = frame.sort_values(by=keys + others, ascending=ascending)
    return frame.reset_index(drop=True)


def _exact(gold: Any, given: Any, gold_sql: str, sql: str, asked: bool) -> bool:
    try:
        if (gold.values == given.values).all():
            return True
    except (AttributeError, ValueError):
        pass
    gold, given = _normalised(gold, gold_sql, asked), _normalised(given, sql, asked)
    if gold.shape != given.shape:
        return False
    for frame in (gold, given):
        frame.fillna(-99999, inplace=True)  # an error where a column of texts has a null
    return bool((gold.values == given.values).all())


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
        assert_frame_equal(_normalised(gold, "", asked), _normalised(chosen, "", asked), check_dtype=False)
    except AssertionError:
        return False
    return True
