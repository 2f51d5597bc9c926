"""The verdict of the ``spider2`` profile on one instance: which entries of its gold are tried, and which one counts.

- An answer in words: every string and number entry is tried, the best counts.
- A file: entries are tried in turn and the last table or DuckDB entry decides, so that one alone is needed.
- Several files: the last ``tables_match`` entry decides.
- Parameters go to the function as they are in the gold. One it does not know makes the match fail, as any exception
  in it does; gold in this project's own format may have more parameters, for the strict profile.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any  # Any: gold files as a rule takes them: one path, or a list

from karat.suites.answers.records import Answer, Entry, Gold, Verdict, wrong
from karat.suites.answers.spider2.columns import Nulls
from karat.suites.answers.spider2.duckdb_files import duckdb_match
from karat.suites.answers.spider2.failures import said
from karat.suites.answers.spider2.numbers import number_match
from karat.suites.answers.spider2.strings import string_match
from karat.suites.answers.spider2.tables import table_match, tables_match

Match = Callable[..., Verdict]
ON_WORDS: dict[str, Match] = {"string_match": string_match, "number_match": number_match}
ON_A_FILE: dict[str, Match] = {"table_match": table_match, "duckdb_match": duckdb_match}
ON_FILES: dict[str, Match] = {"tables_match": tables_match}


def judge(gold: Gold, answer: Answer, *, nulls: Nulls = "equal") -> Verdict:
    """The verdict on an answer. Never raises over what gold or the submission holds."""
    if answer.problem:
        return wrong(_reason_of(answer), error=answer.problem)
    functions = {"answer": ON_WORDS, "files": ON_FILES}.get(answer.kind, ON_A_FILE)
    if functions is not ON_WORDS and not answer.paths:
        return wrong("missing_prediction", error="the answer does not name a file")
    entries = [entry for entry in gold.entries if entry.func in functions]
    if not entries:
        kinds = ", ".join(sorted({entry.func for entry in gold.entries})) or "nothing"
        return wrong("shape_differs", error=f'gold has {kinds}, which is not for an answer of type "{answer.kind}"')
    if functions is not ON_WORDS:
        return _try(functions, gold, entries[-1], answer, nulls)
    verdicts = [_try(functions, gold, entry, answer, nulls) for entry in entries]
    return min(verdicts, key=lambda verdict: (not verdict, verdict.reason == "gold_error"))


def _try(functions: dict[str, Match], gold: Gold, entry: Entry, answer: Answer, nulls: Nulls) -> Verdict:
    match = functions[entry.func]
    parameters = dict(entry.parameters)
    if gold.family == "own":
        known = inspect.signature(match).parameters
        parameters = {name: value for name, value in parameters.items() if name in known}
    try:
        if functions is ON_WORDS:
            return match(answer.text, **parameters)
        parameters["gold"] = _gold_of(gold, entry)
        if entry.func == "table_match":
            return match(answer.paths[0], **parameters, nulls=nulls, family=gold.family)
        if entry.func == "duckdb_match":
            return match(answer.paths[0], **parameters, nulls=nulls)
        return match(list(answer.paths), **parameters, nulls=nulls)
    except Exception as problem:  # a parameter that the function does not know, or lacks
        return wrong("gold_error", error=said(problem), func=entry.func)


def _gold_of(gold: Gold, entry: Entry) -> Any:
    """Gold files as the function takes them: one path where gold names one, else a list."""
    if not entry.gold_files:
        raise FileNotFoundError(f"gold of {gold.instance_id} has no file")
    if entry.func == "duckdb_match":
        return entry.gold_files[0]
    if entry.func == "table_match" and _is_lone(gold, entry):
        return entry.gold_files[0]
    return list(entry.gold_files)


def _is_lone(gold: Gold, entry: Entry) -> bool:
    """One gold table and not a list of one: named by a text, or ``<id>.csv`` alone in lite and snow."""
    if isinstance(entry.parameters.get("gold"), str):
        return True
    names = [Path(file).name for file in entry.gold_files]
    return gold.family == "flat" and names == [f"{gold.instance_id}.csv"]


def _reason_of(answer: Answer) -> str:
    """A file that is not there is missing; anything else that is wrong with it makes it unreadable."""
    if answer.paths and not all(Path(path).exists() for path in answer.paths):
        return "missing_prediction"
    words = ("missing", "no such", "not found", "does not exist", "no file", "not there")
    return "missing_prediction" if any(word in answer.problem.lower() for word in words) else "unreadable_prediction"
