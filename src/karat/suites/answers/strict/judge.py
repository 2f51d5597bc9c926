"""One answer against one gold, by the strict rules.

``answer``: the best of the string and number entries counts. ``file`` and ``files``: the last table entry decides. Gold
that cannot be used gives ``gold_error``, which is nobody's wrong answer.
"""

from __future__ import annotations

import msgspec

from karat.core.json_types import JsonObject
from karat.suites.answers.records import Answer, Entry, Gold, Verdict, wrong
from karat.suites.answers.sql.texts import is_query, sql_in
from karat.suites.answers.strict.duckdb_files import duckdb_match
from karat.suites.answers.strict.found_numbers import Tolerance
from karat.suites.answers.strict.markup import as_read
from karat.suites.answers.strict.numbers import number_match
from karat.suites.answers.strict.parameters import BadParameter, columns_given, flags_given, options_of, texts_given
from karat.suites.answers.strict.strings import string_match
from karat.suites.answers.strict.tables import best, gold_error, table_match, tables_match
from karat.tables.options import CompareOptions

_TEXTS = ("string_match", "number_match")
_ROWS_READ = 1_000
"""Rows of a query's result that are looked at one by one; gold that is one text has no more."""


def judge(gold: Gold, answer: Answer, options: CompareOptions | None = None) -> Verdict:
    """The strict verdict. Never raises for what is in a file."""
    if gold.status == "unreadable":
        return gold_error(gold.problem or "gold is unreadable")
    if not gold.entries:
        return gold_error("gold has no evaluation")
    if answer.problem:
        reason = "unreadable_prediction" if answer.paths else "missing_prediction"
        return wrong(reason, problem=answer.problem)
    options = options or CompareOptions()
    if answer.kind == "answer":
        entries = [entry for entry in gold.entries if entry.func in _TEXTS]
        if not entries:
            return wrong("shape_differs", expected="a file", given="an answer")
        if not answer.text.strip():
            if answer.rows is not None:
                return wrong("no_value", problem="the query ran, and returned no value: no row, or only nulls")
            return wrong("missing_prediction", problem="the answer is empty")
        return best([_of_rows(entry, answer, options) for entry in entries])
    entries = [entry for entry in gold.entries if entry.func not in _TEXTS]
    if not entries:
        return wrong("shape_differs", expected="an answer", given="a file")
    if not answer.paths:
        return wrong("missing_prediction", problem="no file was given")
    return _of_files(entries[-1], gold, answer, options)


def _of_rows(entry: Entry, answer: Answer, options: CompareOptions) -> Verdict:
    """A text, or the rows of a query: gold that is one value, in several ways of saying it perhaps, is in every row or
    the rows are candidates, and the query did not choose. Gold of several values may be in any of them; a row with none
    is for a person.
    """
    text = answer.text if answer.rows is not None else as_read(answer.text, _texts_of(entry))
    whole = _of_text(entry, text, options)
    rows = answer.rows or ()
    if answer.rows is None and whole.state == "right" and is_query(sql_in(text)):
        return Verdict("needs_review", "hedged", {"why": "the answer is a query, not its result", "given": text[:200]})
    if len(rows) < 2 or whole.state in ("wrong", "gold_error"):
        return whole
    several = entry.parameters.get("conj") == "and" and len(texts_given(entry.parameters, "gold")) > 1
    alone = msgspec.structs.replace(entry, parameters=entry.parameters | {"conj": "or"})
    verdicts = [_of_text(alone, row, options) for row in rows[:_ROWS_READ]]
    left = [row for row, found in zip(rows, verdicts, strict=False) if found.state != "right"]
    if len(rows) <= _ROWS_READ and not left:
        return best(verdicts) if not several else whole
    evidence = {
        "problem": f"the query returned {len(rows):,} different rows, and not all of them hold gold",
        "others": left[:5],
    }
    if several:
        return Verdict("needs_review", "several_answers", evidence) if whole.state == "right" else whole
    return Verdict("wrong", "several_answers", evidence)


def _texts_of(entry: Entry) -> list[str]:
    """The texts that an entry looks for, as far as they can be read; what cannot is said when they are compared."""
    given = (entry.parameters.get(name) for name in ("gold", "exclude"))
    return [str(text) for each in given for text in (each if isinstance(each, list) else [each]) if text is not None]


def _of_text(entry: Entry, text: str, options: CompareOptions) -> Verdict:
    given = entry.parameters
    try:
        gold, exclude = texts_given(given, "gold"), texts_given(given, "exclude")
        if not gold:
            return gold_error(f"{entry.func} has no gold")
        chosen = options_of(given, options)
        conj = _conj(given)
        if entry.func == "string_match":
            return string_match(text, gold, exclude, conj)
        return number_match(
            text,
            gold,
            bool(given.get("percentage")),
            _precision(given),
            conj,
            exclude=exclude,
            tolerance=Tolerance(chosen),
        )
    except BadParameter as error:
        return gold_error(str(error))


def _conj(given: JsonObject) -> str:
    conj = str(given.get("conj") or "or").lower()
    if conj not in ("and", "or"):
        raise BadParameter(f'conj is "{conj}", and should be "and" or "or"')
    return conj


def _precision(given: JsonObject) -> int | None:
    precision = given.get("precision")
    if precision is None:
        return None
    try:
        return int(precision)
    except (TypeError, ValueError):
        raise BadParameter(f"precision is {precision!r}, and should be a number of decimals") from None


def _of_files(entry: Entry, gold: Gold, answer: Answer, options: CompareOptions) -> Verdict:
    given, files = entry.parameters, list(entry.gold_files)
    if not files:
        return gold_error(f"{entry.func} does not name a gold file")
    try:
        chosen, columns = options_of(given, options), columns_given(given)
        if answer.rows is not None:  # the result of a query has its header
            chosen = chosen.switched({"no_header": False})
        if entry.func == "table_match":
            order = flags_given(given, "ignore_order")
            ties = gold.ties or given.get("ties")
            return table_match(answer.paths[0], files, columns, order, ties=ties, options=chosen)
        orders = flags_given(given, "ignore_orders")
        each = orders if isinstance(orders, list) else [orders] * len(files)
        if entry.func == "tables_match":
            return tables_match(answer.paths, files, columns, each, options=chosen)
        tables = [str(name) for name in texts_given(given, "condition_tabs")]
        each = orders if isinstance(orders, list) else [orders] * max(1, len(tables))
        return duckdb_match(answer.paths[0], files[0], tables, columns, each, options=chosen)
    except BadParameter as error:
        return gold_error(str(error))
