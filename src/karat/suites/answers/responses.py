"""A response as an answer. ``docs/responses.md`` lists the forms a response may have; what counts as an answer in them:

- JSON with ``sql`` (in tool arguments also ``query`` and the like, where it is a query) or ``answer``, whose words may
  hold the SQL where the gold is SQL;
- blocks of SQL, of which the last is the answer, and the first what the spider2 profile judges, as its evaluator does;
- words: SQL where they are a query, else the answer as text;
- where the gold is a table and there is no SQL to run: a table in Markdown, CSV or JSON
  (:mod:`karat.core.replies.tables`).

A stored answer, from a submission that this suite read, comes back as it was. Only such an answer can name files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any  # Any: options, which the signature of a reader has and this one does not use

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import nearest
from karat.core.replies import Reply, only_one, read_reply
from karat.core.replies.failures import refuse_empty_failures
from karat.core.replies.fences import split
from karat.core.replies.json_texts import refuse_two_values
from karat.core.replies.response_forms import spoken
from karat.core.replies.tables import tables_in
from karat.core.suite import Unreadable
from karat.suites.answers.records import Answer
from karat.suites.answers.sql.texts import (
    LANGUAGES,
    UNNAMED,
    answering,
    first_sql_in,
    is_query,
    is_statement,
    sql_blocks,
    sql_in,
    without_words,
)
from karat.suites.answers.submission.reply_tables import csv_files, csv_text

OWN_KEYS = ("answer", "sql")
QUERIES = ("sql_query", "query", "statement")
EXPECTED = 'SQL, or JSON with "answer" or "sql"'
NO_TABLE = (
    "no SQL and no table in the response, and the gold is a table. "
    "Expected a Markdown table, a block of csv, or JSON records."
)
PROGRAMS = {"python", "python3", "py", "r", "julia", "javascript", "js", "typescript", "ts", "bash", "sh", "java"}
"""Languages of blocks that compute an answer and are not one."""
ALIKE = 80.0
"""How much alike two keys are, in percent, for one to be the other misspelt."""
REFUSED = "refused"
"""How ``Answer.problem`` begins where the assistant declined to answer: a wrong answer, not an unreadable one."""

_any = msgspec.json.Decoder()


def read_answer(response: bytes, *, live: bool = False) -> Answer:
    """The answer in a response. ``live``: it comes from a system that was called, and may not name files.

    Raises :class:`Unreadable` with the reason when there is none.
    """
    return stored_answer(response, live=live) or answer_given(response)


def stored_answer(response: bytes, *, live: bool = False) -> Answer | None:
    """The answer of a submission, as it was stored; None for any other response."""
    try:
        body = _any.decode(response)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not (isinstance(body, Mapping) and "kind" in body and "instance_id" in body):
        return None
    refuse_two_values(response, body)
    try:
        answer = msgspec.convert(body, Answer)
    except msgspec.ValidationError as error:
        raise Unreadable(f"the answer is not in the expected shape: {error}") from error
    if live and (answer.paths or answer.kind in ("file", "files")):
        raise Unreadable("the response of a system names files; only a submission folder can do that")
    return answer


def answer_given(response: bytes) -> Answer:
    """The answer that an assistant gives in a response."""
    reply = read_reply(response, OWN_KEYS)
    try:
        return _answer(reply)
    except Unreadable as error:
        raise reply.explained(error) from error


def table_given(response: bytes, *, several: bool, engine: bool) -> Answer:
    """The answer where the gold is a table, or several: SQL where there is an engine for it, else the table that the
    response gives.

    Raises :class:`Unreadable` where there is neither, and where there are several tables and the gold is one.
    """
    reply = read_reply(response, OWN_KEYS)
    try:
        return _sql_or_table(reply, several=several, engine=engine)
    except Unreadable as error:
        raise reply.explained(error) from error


def understand(response: bytes, _options: Any) -> JsonObject:
    """What is read from one response, for ``karat check --response``."""
    found: JsonObject = {}
    tables = _tables_for_show(response)
    try:
        answer = read_answer(response, live=True)
        found = {"no answer": answer.problem} if answer.problem else {answer.kind: answer.text}
        if answer.kind == "answer" and (query := as_sql(answer)):
            found["sql, if gold is SQL"] = query.text
        if answer.first_sql:
            found["sql judged by spider2 (the first block)"] = answer.first_sql
    except Unreadable:
        if "table" not in tables:
            raise
    return {**found, **tables}


def _tables_for_show(response: bytes) -> dict[str, str]:
    """What is read where the gold is a table: the table, or why there is none although it looks like one."""
    try:
        tables = tables_in(read_reply(response, OWN_KEYS))
    except Unreadable as error:
        return {"no table": str(error)}
    if len(tables) == 1:
        return {"table": csv_text(tables[0][0])}
    return {f"table {number}, in {where}": csv_text(table) for number, (table, where) in enumerate(tables, start=1)}


def _answer(reply: Reply) -> Answer:
    if reply.failure:
        raise Unreadable(reply.failure)
    candidates = reply.json_candidates(_fits)
    refuse_empty_failures(candidates, _fits)
    if candidates:
        found: Answer = only_one(candidates, _answer_in, "answer")
        return found
    if reply.refusal:
        return Answer("", "answer", problem=f"{REFUSED}: {reply.refusal}")
    if reply.cut or reply.broken_json:
        raise reply.nothing("answer", EXPECTED)
    _refuse_unfinished(reply)
    if isinstance(reply.body, int | float) and not isinstance(reply.body, bool):
        return Answer("", "answer", str(reply.body))
    _refuse_misspelt(reply)
    blocks = sql_blocks(reply.blocks(UNNAMED | LANGUAGES))
    if blocks:
        chosen = answering(blocks)
        return Answer("", "sql", chosen, first_sql=blocks[0] if blocks[0] != chosen else "")
    text = reply.text.strip()
    if not text:
        raise reply.nothing("answer", EXPECTED)
    if is_query(text):
        return Answer("", "sql", without_words(text))
    return Answer("", "answer", text)


def _sql_or_table(reply: Reply, *, several: bool, engine: bool) -> Answer:
    answer, why = None, Unreadable(NO_TABLE)
    try:
        answer = _answer(reply)
    except Unreadable as error:
        why = error
    if reply.failure or (answer is not None and answer.problem):
        return _or_raise(answer, why)
    if engine and answer is not None and answer.kind == "answer":
        answer = as_sql(answer) or answer
    in_sql = answer.kind == "sql" if answer is not None else bool(reply.json_candidates(_holds_sql))
    tables = [] if in_sql and engine else tables_in(reply)
    if len(tables) > 1 and not several:
        places = " and in ".join(where for _, where in tables)
        raise Unreadable(f"{len(tables)} different tables in the response, in {places}: one of them must be the answer")
    if tables:
        return Answer("", "files" if several else "file", paths=csv_files([table for table, _ in tables]))
    return _or_raise(answer if in_sql else None, why)


def _or_raise(answer: Answer | None, why: Unreadable) -> Answer:
    if answer is None:
        raise why
    return answer


def _holds_sql(value: JsonMapping) -> bool:
    return isinstance(value.get("sql"), str) or _query_in(value) is not None


def _refuse_misspelt(reply: Reply) -> None:
    """JSON with a key that looks like one of ours ("answr") is no text to be searched for the gold answer."""
    known = (*OWN_KEYS, *QUERIES)
    for item in reply.json_objects():
        for key in item:
            near = nearest(str(key), known, cutoff=ALIKE)
            if near and key not in known:
                raise Unreadable(f'unknown key "{key}" in the JSON of the response. Did you mean "{near[0]}"?')


def _refuse_unfinished(reply: Reply) -> None:
    """A response that calls a tool waits for its result, and one that is only code for its output: words beside them
    are not the answer yet."""
    if reply.calls and reply.text.strip():
        names = ", ".join(sorted({call.name for call in reply.calls if call.name})[:5]) or "without a name"
        raise Unreadable(f"the response calls a tool ({names}) and does not answer. Expected {EXPECTED}.")
    text = reply.text.strip()
    if text.startswith("```") and not reply.attached:
        blocks, rest = split(text)
        if blocks and not rest.strip() and all(block.language in PROGRAMS for block in blocks):
            raise Unreadable(f"the response is only code ({blocks[0].language}), not its result. Expected {EXPECTED}.")


def _fits(value: JsonMapping) -> bool:
    return value.get("answer") is not None or _holds_sql(value)


def _query_in(value: JsonMapping) -> str | None:
    texts = (value.get(key) for key in QUERIES)
    return next((text for text in texts if isinstance(text, str) and is_query(sql_in(text))), None)


def _answer_in(value: JsonMapping) -> Answer:
    name = next((str(value[key]) for key in ("instance_id", "id") if isinstance(value.get(key), str)), "")
    sql = value.get("sql")
    if not isinstance(sql, str) and value.get("answer") is None:
        sql = _query_in(value)
    if isinstance(sql, str):
        return Answer(name, "sql", sql_in(sql), first_sql=first_sql_in(sql))
    text, failure = spoken(str(value["answer"]))
    if failure:
        raise Unreadable(failure)
    return Answer(name, "answer", text)


def as_sql(answer: Answer) -> Answer | None:
    """Words that were given as the ``answer``, where SQL is wanted: the SQL in them. None where they hold none. A
    statement that changes data is an answer, too, and a wrong one."""
    fences, outside = split(answer.text)
    blocks = sql_blocks(fences)
    bare = fences[0].text if len(fences) == 1 and not outside.strip() else answer.text
    whole = without_words(bare.strip()) if is_query(bare) or is_statement(bare) else ""
    text = answering(blocks) if blocks else whole
    first = blocks[0] if blocks and blocks[0] != text else ""
    return msgspec.structs.replace(answer, kind="sql", text=text, first_sql=first) if text else None
