"""One submitted answer against its gold, by both profiles, always: what a verdict is worth shows where the two
differ."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.core.records import Case, Prediction
from karat.core.suite import NotApplicable, Unreadable
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Gold, Verdict, right, wrong
from karat.suites.answers.responses import REFUSED, answer_given, stored_answer, table_given
from karat.suites.answers.spider2.judge import judge as judge_spider2
from karat.suites.answers.strict.judge import judge as judge_strict
from karat.suites.answers.text_to_sql.compare import (
    QueryComparison,
    compare_queries,
    no_database,
    perfect_queries,
)
from karat.suites.answers.text_to_sql.files.sql_answer import sql_answer

NOT_JUDGED = Verdict("not_judged", "", {"problem": "gold is SQL, which this profile does not judge"})
UNREADABLE_GOLD = "the gold cannot be read"
TEXT_FUNCTIONS = ("string_match", "number_match")
DATABASE_KEYS = ("db_id", "db", "database")


class Comparison(msgspec.Struct, frozen=True):
    """The words of both profiles on one answer."""

    gold: Gold
    answer: Answer
    spider2: Verdict
    strict: Verdict
    queries: QueryComparison | None = None
    """Where gold is SQL: what the two executions showed."""
    as_of: tuple[str, str] | None = None
    """What gold and the data say they are true for, where the two differ."""

    @property
    def flips(self) -> bool:
        """Whether the profiles disagree on right and wrong."""
        return {self.spider2.state, self.strict.state} == {"right", "wrong"}

    @property
    def telling(self) -> Verdict:
        """The verdict that explains what is not right: strict's, which looks closer, unless only spider2 objects."""
        return self.spider2 if self.strict.state == "right" and self.queries is None else self.strict


def compare(case: Case[Gold], turn: int, prediction: Prediction, options: Options) -> Comparison:
    """Judge an answer. Raises Unreadable when the response holds none, NotApplicable when the gold cannot be used."""
    gold = [one for one in case.conversation if one.role == "user"][turn].target
    if gold is None:
        raise ValueError(f"case {case.id!r} has no gold")
    if gold.queries is not None:
        return _with_gold_sql(case, gold, prediction, options)
    given = _answer(gold, prediction, engine=options.runs_sql(case.id))
    answer = msgspec.structs.replace(given, instance_id=case.id)
    database = database_of(case)
    moved, ran = _with_sql_run(gold, answer, options, database)
    first = ran
    if answer.kind == "sql" and answer.first_sql and not answer.problem:
        one = msgspec.structs.replace(answer, text=answer.first_sql, first_sql="")
        first = _within(_with_sql_run(gold, one, options, database)[1], options.max_bytes)
    gold, answer = moved, ran
    if gold.status == "unreadable":
        raise NotApplicable(f"{UNREADABLE_GOLD}: {gold.problem}")
    as_of = (gold.as_of, options.as_of) if gold.as_of and options.as_of and gold.as_of != options.as_of else None
    answer = _within(answer, options.max_bytes)
    by_first = _unusable(first) if first.problem else judge_spider2(gold, first, nulls=options.nulls_for(gold))
    by_last = _unusable(answer) if answer.problem else judge_strict(gold, answer, options.compare_options())
    return Comparison(gold, answer, by_first, by_last, as_of=as_of)


def _with_gold_sql(case: Case[Gold], gold: Gold, prediction: Prediction, options: Options) -> Comparison:
    """Gold and answer are SQL, and both are executed."""
    answer = sql_answer(prediction)
    try:
        found = compare_queries(case, gold, msgspec.structs.replace(answer, instance_id=case.id), options)
    except UserError as error:
        raise no_database(error) from error
    return Comparison(gold, answer, NOT_JUDGED, found.strict, found)


def perfect(case: Case[Gold], turn: int, options: Options) -> list[Comparison]:
    """A right answer: which figures the gold can have at all. Gold in SQL has none of the spider2 profile."""
    gold = [one for one in case.conversation if one.role == "user"][turn].target
    if gold is None:
        raise ValueError(f"case {case.id!r} has no gold")
    if gold.queries is None:
        return [Comparison(gold, Answer(case.id, "answer"), right(), right())]
    answer = Answer(case.id, "sql", gold.queries.sql[0] if gold.queries.sql else "")
    return [Comparison(gold, answer, NOT_JUDGED, right(), perfect_queries(gold.queries, answer.text, options))]


def sql_in(prediction: Prediction) -> tuple[str, ...]:
    """The SQL that a response gives; none where it gives something else. May raise Unreadable."""
    answer = stored_answer(prediction.response, live=prediction.latency is not None)
    answer = answer_given(prediction.response) if answer is None else answer
    return (answer.text,) if answer.kind == "sql" and answer.text.strip() else ()


def _answer(gold: Gold, prediction: Prediction, *, engine: bool) -> Answer:
    """The answer of a prediction. Words without a table, where the gold is one, are no answer that could be
    compared."""
    stored = stored_answer(prediction.response, live=prediction.latency is not None)
    if stored is not None:
        return stored
    if not gold.entries or any(entry.func in TEXT_FUNCTIONS for entry in gold.entries):
        return answer_given(prediction.response)
    func = gold.entries[-1].func
    answer = table_given(prediction.response, several=func == "tables_match", engine=engine)
    if func == "duckdb_match" and answer.paths:
        raise Unreadable(
            "the response gives a table, and the gold is a DuckDB file, which only a submission folder can give"
        )
    return answer


def database_of(case: Case[Gold]) -> str:
    """The database that a case is about: ``db_id``, ``db`` or ``database`` of its gold row; empty where it does not
    say."""
    return next((str(case.metadata[key]) for key in DATABASE_KEYS if case.metadata.get(key) not in (None, "")), "")


def _within(answer: Answer, most: int) -> Answer:
    """The answer, or why its files are too large to be looked at."""
    for path in map(Path, answer.paths):
        if path.exists() and path.stat().st_size > most:
            problem = f"{path.name} has {path.stat().st_size:,} bytes; at most {most:,} are read (option max_bytes)"
            return msgspec.structs.replace(answer, problem=problem)
    return answer


def _with_sql_run(gold: Gold, answer: Answer, options: Options, database: str) -> tuple[Gold, Answer]:
    """Gold and answer as tables: an answer in SQL is run, and so is a gold that moves with the data."""
    if answer.kind == "file" and answer.text and options.mode == "sql":
        answer = msgspec.structs.replace(answer, kind="sql", paths=(), problem="")
    moving = gold.temporal and options.runs_sql(gold.instance_id)  # without an engine: gold as it was kept
    if answer.kind != "sql" and not moving:
        return gold, answer
    from karat.suites.answers.sql.execution import run_sql

    try:
        return run_sql(gold, answer, options, database)
    except UserError as error:  # no engine, no credentials: this instance cannot be judged, the others may
        raise Unreadable(f"{error.message}. {error.hint}".removesuffix(" ")) from error


def _unusable(answer: Answer) -> Verdict:
    """The verdict on an answer that cannot be looked at. A server that did not answer is nobody's wrong answer."""
    kind = answer.problem.partition(":")[0]
    if kind == "connection":
        raise Unreadable(answer.problem)
    if kind == REFUSED:
        return wrong("missing_prediction", problem=answer.problem)
    if kind in ("sql_error", "timeout"):
        return wrong(kind, problem=answer.problem)
    there = any(Path(path).exists() for path in answer.paths)
    return wrong("unreadable_prediction" if there or not answer.paths else "missing_prediction", problem=answer.problem)
