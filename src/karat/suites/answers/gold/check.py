"""The gold linter: what is mechanically wrong with gold, found before anyone is scored by it.

Of a very large gold table only the head is read. Mistakes that change verdicts are errors; what is only not there, or
can be meant, is a warning. Every finding is at the line of its gold row and begins with the id of the instance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple  # Any: parameters of a gold row, which may hold anything until they are checked

from karat.core.case_files.case_checks import CheckedCases
from karat.core.case_files.drafts import ACCEPTED, DRAFT
from karat.core.files.near_paths import near_path
from karat.core.installed.extras import unchecked
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, Severity, count_of, did_you_mean
from karat.core.records import Case
from karat.suites.answers.cases import STATUSES, missing_files
from karat.suites.answers.gold.lfs_pointers import POINTER
from karat.suites.answers.gold.loose_json import read_file
from karat.suites.answers.gold.row_keys import NO_FILE, STATED, key_faults, told_on_reading
from karat.suites.answers.gold.table_heads import CSV_HINT, Head, csv_head, csv_trouble, duckdb_heads
from karat.suites.answers.options import Options
from karat.suites.answers.records import Entry, Gold
from karat.suites.answers.strict.numbers import is_one_number
from karat.suites.answers.text_to_sql.gold_check import check_gold_sql


class Finding(NamedTuple):
    """What is wrong, and what to do."""

    what: str
    hint: str = ""
    severity: Severity = "error"
    missing_extra: str = ""
    """The extra without which ``what`` cannot be checked."""


def check_cases(cases: Sequence[Case[Gold]], _files: Sequence[Path], options: Options) -> CheckedCases:
    """Every mistake in the gold of these cases."""
    if any(turn.target is not None and turn.target.queries for case in cases for turn in case.conversation):
        return CheckedCases(tuple(check_gold_sql(cases, options)))
    problems: list[Problem] = []
    moving: dict[str, list[str]] = {}
    rows: dict[str, dict[int, JsonObject]] = {}
    for case in cases:
        gold, place = case.conversation[0].target, case.source
        if gold is None:
            continue
        if place.file not in rows:
            rows[place.file] = _rows(place.file)
        for what, hint, severity, extra in _gold_findings(gold, rows[place.file].get(place.line, {})):
            message = f"{gold.instance_id}: {what}"
            if extra:
                problems.append(unchecked(extra, message, place.file, place.line))
                continue
            problems.append(Problem(message, file=place.file, line=place.line, hint=hint, severity=severity))
        if gold.temporal and not gold.sql and not any(entry.parameters.get("sql") for entry in gold.entries):
            moving.setdefault(place.file, []).append(gold.instance_id)
    for file, ids in moving.items():
        shown = ", ".join(ids[:5]) + (", …" if len(ids) > 5 else "")
        message = f"{count_of(len(ids), 'instance')} with temporal: true and no gold SQL: {shown}"
        hint = "Their stored gold is used, though the data may have changed. Put the SQL into sql/<instance_id>.sql."
        problems.append(Problem(message, file=file, hint=hint, severity="warning"))
    return CheckedCases(tuple(problems))


def _rows(file: str) -> dict[int, JsonObject]:
    """The rows of a gold file as they are there, by line. Cases may come from a store, without their file."""
    try:
        return {row.line: row.value for row in read_file(Path(file))[0]} if file else {}
    except OSError:
        return {}


def _gold_findings(gold: Gold, row: JsonMapping) -> Iterator[Finding]:
    faults = list(key_faults(gold, row))
    told = {fault.what for fault in faults if told_on_reading(gold, fault)}
    for said in gold.problem.split("; ") if gold.problem else ():
        if said.startswith(POINTER):  # found below, with what else is wrong at the head of a table
            continue
        absent = said.startswith((NO_FILE, STATED))
        hint = f"{_file_meant(gold)}Without it the instance is left out, or judged by the golds that exist."
        if absent or (gold.family != "own" and said not in told):
            yield Finding(said, hint if absent else "", "warning" if absent else "error")
    yield from (Finding(*fault[:3]) for fault in faults if fault.what not in told)
    yield from _row_findings(gold, row)
    for entry in gold.entries:
        if entry.func == "string_match":
            yield from _string_findings(entry.parameters)
        elif entry.func == "number_match":
            yield from _number_findings(entry.parameters, temporal=gold.temporal, own=gold.family == "own")
        else:
            yield from _table_findings(entry, gold.family)
    if gold.family == "flat":
        yield from _letter_findings(gold)
    if gold.ties is not None:
        yield from _tie_findings(gold.ties)


def _file_meant(gold: Gold) -> str:
    """The file beside a missing one whose name is most like it."""
    for file in (Path(file) for entry in gold.entries for file in missing_files(entry)):
        if file.parent.is_dir() and (hint := near_path(Path(file.name), folder=file.parent)):
            return f"{hint} "
    return ""


def _row_findings(gold: Gold, row: JsonMapping) -> Iterator[Finding]:
    if not isinstance(row.get("temporal", False), bool):
        yield Finding(f"temporal must be true or false, not {_shown(row['temporal'])}")
    status = row.get("status", "good")
    known = (*STATUSES, DRAFT, ACCEPTED)
    if gold.family == "own" and status not in known:
        yield Finding(f"there is no gold status {_shown(status)}", did_you_mean(str(status), known))


# -- strings and numbers ----------------------------------------------------------------------------------------------


def _string_findings(parameters: JsonMapping) -> Iterator[Finding]:
    yield from _conj_findings(parameters)
    golds, excluded = _listed(parameters.get("gold")), _listed(parameters.get("exclude"))
    if not golds:
        yield Finding("string_match has no gold text", 'Give "gold": ["…"].')
    for key, texts, effect in (
        ("gold", golds, "every answer contains it"),
        ("exclude", excluded, "no answer can pass"),
    ):
        if not all(isinstance(text, str) for text in texts):
            yield Finding(
                f'the "{key}" of string_match must be strings, found {_shown(parameters[key])}', "Quote them."
            )
        elif any(not text.strip() for text in texts):
            yield Finding(f'the "{key}" of string_match contains an empty string: {effect}', "Remove it.")
    if isinstance(parameters.get("exclude"), str):
        hint = 'The public tool excludes each of its characters. Use a list: ["…"].'
        yield Finding('the "exclude" of string_match is a string, not a list', hint, "warning")
    elif "exclude" in parameters and parameters["exclude"] is None:
        yield Finding('the "exclude" of string_match is null: no answer can pass', "Leave it out, or write [].")
    texts = [str(text).lower() for text in golds]
    ruled_out = [
        text for text in texts if any(isinstance(word, str) and word and word.lower() in text for word in excluded)
    ]
    if ruled_out and (parameters.get("conj") == "and" or len(ruled_out) == len(texts)):
        what = f'the right answer "{ruled_out[0]:.60}" contains a text of "exclude": no answer can pass'
        yield Finding(what, "Remove that string, or make it longer.")


def _number_findings(parameters: JsonMapping, *, temporal: bool, own: bool) -> Iterator[Finding]:
    yield from _conj_findings(parameters)
    golds = _listed(parameters.get("gold"))
    if not golds and not temporal:
        yield Finding("number_match has no gold number", 'Give "gold".')
    for gold in golds:
        number = isinstance(gold, int | float) and not isinstance(gold, bool)
        if not number and not (isinstance(gold, str) and re.search(r"\d", gold)):
            yield Finding(f"there is no number in the gold {_shown(gold)} of number_match", "Write it with digits.")
        elif own and not is_one_number(gold, percentage=parameters.get("percentage") is True):
            hint = "Write it with a decimal point and without separators, such as 1234.5: strict cannot judge it."
            yield Finding(f"the gold {_shown(gold)} of number_match is not one number", hint)
    if not isinstance(parameters.get("percentage", False), bool):
        yield Finding(f"percentage must be true or false, not {_shown(parameters['percentage'])}")
    precision = parameters.get("precision", 4)
    if isinstance(precision, bool) or not isinstance(precision, int) or precision < 0:
        yield Finding(f"precision must be a number of decimals, not {_shown(precision)}")


def _conj_findings(parameters: JsonMapping) -> Iterator[Finding]:
    conj = parameters.get("conj", "or")
    if conj not in ("and", "or"):
        yield Finding(f'conj must be "and" or "or", not {_shown(conj)}')


# -- tables -----------------------------------------------------------------------------------------------------------


def _table_findings(entry: Entry, family: str) -> Iterator[Finding]:
    parameters = entry.parameters
    if not entry.gold_files and not parameters.get("sql"):
        yield Finding(f"{entry.func} does not name a gold file", 'Give "gold".')
    heads = _heads(entry)
    for name, head in heads:
        if head is not None:
            yield from _head_findings(name, head)
    if entry.func != "duckdb_match":
        yield from _later_findings(entry, heads, family)
    if entry.func == "table_match":
        yield from _flag_findings(parameters.get("ignore_order", False))
        yield from _choice_findings(parameters.get("condition_cols", []), heads, family)
        return
    conditions = parameters.get("condition_cols")
    if entry.func == "duckdb_match" and parameters.get("condition_tabs") == []:
        yield Finding("condition_tabs is empty: every answer passes", "Name the tables, or leave it out for all.")
    tables = len(_listed(parameters.get("condition_tabs"))) if entry.func == "duckdb_match" else len(heads)
    flags = parameters.get("ignore_orders")
    if flags is None:
        flags = [False] * tables
    if not isinstance(flags, list) or not all(isinstance(flag, bool) for flag in flags):
        yield Finding(
            f"ignore_orders must be a list of true and false, not {_shown(flags)}", "One flag for each table."
        )
    elif tables and len(flags) != tables:
        yield Finding(f"{count_of(len(flags), 'flag')} in ignore_orders for {count_of(tables, 'table')}")
    if conditions is None:
        conditions = [[]] * tables
    if not _is_nested(conditions):
        yield Finding(f"condition_cols must be a list for each table, not {_shown(conditions)}", "[[0, 1], []]")
    else:
        if tables and len(conditions) != tables:
            yield _count_finding(len(conditions), tables)
        for (name, head), columns in zip(heads, conditions, strict=False):
            yield from _column_findings(columns, name, head)


def _flag_findings(flag: Any) -> Iterator[Finding]:
    if isinstance(flag, list):
        hint = "The public tool treats any non-empty list as true. Write true or false."
        harmless: Severity = "warning" if flag and all(item is True for item in flag) else "error"
        yield Finding(f"ignore_order is one flag for all golds, found the list {_shown(flag)}", hint, harmless)
    elif not isinstance(flag, bool):
        yield Finding(f"ignore_order must be true or false, not {_shown(flag)}")


def _choice_findings(conditions: Any, heads: Sequence[tuple[str, Head | None]], family: str) -> Iterator[Finding]:
    """Conditions of a table_match: one list for every gold, or a list for each."""
    if not isinstance(conditions, list):
        yield Finding(f"condition_cols must be a list of columns, not {_shown(conditions)}", "Columns count from 0.")
    elif conditions and _is_nested(conditions):
        if len(conditions) != len(heads) and heads:
            yield _count_finding(len(conditions), len(heads))
        for (name, head), columns in zip(heads, conditions, strict=False):
            yield from _column_findings(columns, name, head)
    elif any(isinstance(column, list) for column in conditions):
        yield Finding(f"condition_cols mixes columns and lists of columns: {_shown(conditions)}", "Use one form.")
    else:
        if conditions and len(heads) > 1 and family == "contract":
            hint = "Write one list for each gold: [[0], [0]]."
            yield Finding(
                "one list of condition_cols for several golds is not supported in this family", hint, "warning"
            )
        if len(conditions) > 1 and len(heads) == 1 and family == "flat" and re.search(r"_[a-z]\.csv$", heads[0][0]):
            what = (
                f"the public tool reads only the first of the condition_cols {_shown(conditions)} of a lone "
                "lettered gold"
            )
            hint = f"Write [{conditions}]" + (": a 0 alone means all columns there." if conditions[0] == 0 else ".")
            yield Finding(what, hint, "warning")
        for name, head in heads:
            yield from _column_findings(conditions, name, head)


def _count_finding(conditions: int, golds: int) -> Finding:
    found = f"{count_of(conditions, 'list')} of condition_cols for {count_of(golds, 'gold table')}"
    return Finding(found, "Conditions pair with gold tables one to one, in order.")


def _column_findings(columns: Sequence[Any], name: str, head: Head | None) -> Iterator[Finding]:
    odd = [column for column in columns if isinstance(column, bool) or not isinstance(column, int) or column < 0]
    if odd:
        yield Finding(f"condition_cols contains {_shown(odd[0])}, which is not a column", "Columns count from 0.")
    elif head is not None and not head.trouble and head.columns:
        width = len(head.columns)
        beyond = [str(column) for column in columns if column >= width]
        if beyond:
            nouns = f"column {beyond[0]}" if len(beyond) == 1 else f"columns {', '.join(beyond)}"
            what = f"condition_cols asks for {nouns} of {name}, which has {count_of(width, 'column')}"
            yield Finding(what, f"Columns count from 0: the last is {width - 1} ({head.columns[-1]}).")


def _head_findings(name: str, head: Head) -> Iterator[Finding]:
    if head.missing_extra:
        yield Finding(name, missing_extra=head.missing_extra)
    elif head.trouble:
        yield Finding(f"{name} {head.trouble}", head.hint)
    elif not head.columns:
        yield Finding(f"the gold table {name} is empty", "It does not even have a header.")
    elif not head.has_rows:
        yield Finding(f"the gold table {name} has a header and no rows", "Any empty answer passes.", "warning")


def _later_findings(entry: Entry, heads: Sequence[tuple[str, Head | None]], family: str) -> Iterator[Finding]:
    """What is wrong below the heads. The public tool reads most of it somehow; strict leaves such a gold out."""
    severity: Severity = "error" if family == "own" else "warning"
    for file, (name, head) in zip(entry.gold_files, heads, strict=True):
        if head is not None and head.has_rows and not head.trouble and (trouble := csv_trouble(file)):
            yield Finding(f"{name} cannot be read: {trouble}", CSV_HINT, severity)


def _heads(entry: Entry) -> list[tuple[str, Head | None]]:
    """The tables that conditions pair with, each with its name; None where the file is not there."""
    if entry.func != "duckdb_match":
        return [(Path(f).name, csv_head(f) if Path(f).is_file() else None) for f in entry.gold_files]
    tabs = [str(tab) for tab in _listed(entry.parameters.get("condition_tabs"))]
    if not entry.gold_files or missing_files(entry):
        return [(tab, None) for tab in tabs]
    file = entry.gold_files[0]
    tables = duckdb_heads(file)
    if isinstance(tables, Head):
        return [(Path(file).name, tables), *((tab, None) for tab in tabs[1:])]
    known = {name.lower(): name for name in tables}
    missing = f"is not a table of {Path(file).name}, which has {', '.join(sorted(tables)) or 'none'}"
    return [
        (tab, tables[known[tab.lower()]] if tab.lower() in known else Head(trouble=missing)) for tab in tabs or tables
    ]


def _tie_findings(ties: JsonMapping) -> Iterator[Finding]:
    by, at = ties.get("by"), ties.get("at")
    if not isinstance(by, list) or not by or not all(isinstance(column, int | str) for column in by):
        yield Finding(f'ties needs "by", a list of columns, found {_shown(by)}', '{"by": ["total"], "at": 10}')
    if isinstance(at, bool) or not isinstance(at, int) or at < 1:
        yield Finding(f'ties needs "at", the number of rows before the cut, found {_shown(at)}')
    for key in ties:
        if key not in ("by", "at"):
            yield Finding(f'ties has no key "{key}"', did_you_mean(key, ("by", "at")))


def _letter_findings(gold: Gold) -> Iterator[Finding]:
    """``<id>_a.csv, <id>_c.csv``: what became of b? And ``<id>.csv`` beside lettered files: is it one of them?"""
    names = [Path(file).stem for entry in gold.entries for file in entry.gold_files]
    letters = [name[-1] for name in names if name != gold.instance_id]
    if letters and len(letters) < len(names):
        what = f"there is {gold.instance_id}.csv and also {gold.instance_id}_{letters[0]}.csv"
        yield Finding(
            what,
            "All of them are used as golds, the one without a letter first.",
            "warning",
        )
    gaps = [chr(code) for code in range(ord("a"), ord(max(letters, default="a"))) if chr(code) not in letters]
    if gaps:
        what = (
            f"{NO_FILE} {', '.join(f'{gold.instance_id}_{letter}.csv' for letter in gaps)}, though later letters exist"
        )
        yield Finding(what, "Answers that only they would accept fail.", "warning")


def _is_nested(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, list) for item in value)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _shown(value: Any) -> str:
    return f"{value!r:.60}"
