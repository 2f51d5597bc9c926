"""One prediction against gold SQL: both are executed, and every figure comes from the two results."""

from __future__ import annotations

from functools import lru_cache, partial

import msgspec

from karat.core.problems import UserError
from karat.core.records import Case
from karat.core.suite import NotApplicable, Unreadable
from karat.engines.protocol import EngineError
from karat.engines.table_names import TableColumns
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Gold, Queries, Verdict, right, wrong
from karat.suites.answers.strict.tables import best, gold_error
from karat.suites.answers.text_to_sql.components.difference import Difference, difference
from karat.suites.answers.text_to_sql.components.hardness import hardness
from karat.suites.answers.text_to_sql.components.qualified import NONE_REQUIRED, Required, Schema
from karat.suites.answers.text_to_sql.figures import ALL_RIGHT, NONE_RIGHT, Figures, figures
from karat.suites.answers.text_to_sql.fillings.child_process import guarded_search
from karat.suites.answers.text_to_sql.fillings.schema import read_schema
from karat.suites.answers.text_to_sql.fillings.search import ENOUGH, Counterexample
from karat.suites.answers.text_to_sql.queries.dialects import offer
from karat.suites.answers.text_to_sql.running.case_engine import Bench, bench_for, prepare, ready_bench
from karat.suites.answers.text_to_sql.running.cost import Cost, cost_of
from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.speed import WRONG
from karat.suites.answers.text_to_sql.strict.asks_order import asks_order
from karat.suites.answers.text_to_sql.strict.gold_query import read_gold
from karat.suites.answers.text_to_sql.strict.gold_status import proves_little, same_text
from karat.suites.answers.text_to_sql.strict.judge import Asked, judge
from karat.suites.answers.text_to_sql.strict.moments import at_date, depends_on_today
from karat.suites.answers.text_to_sql.strict.tables import table_of
from karat.suites.answers.text_to_sql.strict.unstable import why_unstable
from karat.tables.explain.sample import ROWS, TableSample, sample_of

TODAY = "its result depends on the day it is run on (as_of fixes the day)"


class QueryComparison(msgspec.Struct, frozen=True, omit_defaults=True):
    """What two executions showed, beside the strict verdict."""

    database: str
    dialect: str
    figures: Figures
    strict: Verdict
    gold_sql: str
    """The gold that the verdict is about: the one that passed, else the nearest."""
    sql: str
    gold_status: str = "good"
    """``good``, ``empty`` (its result proves little), ``unstable`` or ``suspect``."""
    gold_note: str = ""
    gold_size: tuple[int, int] = (0, 0)
    size: tuple[int, int] | None = None
    """Rows and columns of the prediction's result; None where it has none."""
    cost: Cost = Cost()
    difficulty: str = ""
    difference: Difference = Difference()
    """Where the answer is not right: the parts in which the queries differ."""
    counterexample: Counterexample | None = None
    """Where a passing answer is refuted by made rows."""
    first_rows: dict[str, TableSample] = {}
    """The first rows of both results, where the answer is not right."""


def compare_queries(case: Case[Gold], gold: Gold, answer: Answer, options: Options) -> QueryComparison:
    """Judge one answer. NotApplicable when no gold runs, Unreadable when the database does not answer."""
    queries = gold.queries
    if queries is None:
        raise ValueError("the gold has no SQL")
    if gold.status == "unreadable":
        raise NotApplicable(f"gold_error: {gold.problem}")
    bench = ready_bench(queries, options) or bench_for(queries, options)
    date = gold.as_of or options.as_of
    prepare(queries, answer, bench, date)
    golds = [(sql, _reached(_run_at(bench, date, sql))) for sql in queries.sql]
    running = [(sql, ran) for sql, ran in golds if ran.result is not None]
    if not running:
        raise NotApplicable(f"gold_error: {failed_gold(*golds[0], queries, bench)}")
    sql, ran = running[0]
    query = read_gold(sql, bench.dialect)
    asked = Asked(case.question, queries.order, options.compare_options(), options.extra_columns, options.duplicates)
    status, note = "good", ""
    dated = partial(_run_at, bench, date)
    dated_sql = at_date(sql, date, bench.dialect)
    if unstable := why_unstable(dated_sql, bench.dialect, ran, bench.again(dated_sql), dated):
        status, note = "unstable", unstable
    elif proves_little(ran.rows):
        status, note = "empty", "its result has no rows, only nulls, or a lone 0"
    elif len(ran.rows) > 1 and not query.ordered and queries.order is None and asks_order(case.question):
        status, note = "suspect", "the question asks for an order, and the gold has no ORDER BY"
    today = TODAY if status != "unstable" and depends_on_today(dated_sql) else ""
    note = "; ".join(filter(None, (note, today, bench.translation(sql))))
    found = partial(
        QueryComparison,
        queries.database,
        bench.dialect,
        gold_status=status,
        gold_note=note,
        gold_size=(len(ran.rows), len(ran.names)),
        difficulty=queries.difficulty or hardness(queries.sql[0], bench.dialect),
    )
    if answer.problem:
        verdict = wrong("missing_prediction", problem=answer.problem)
        zero = msgspec.structs.replace(NONE_RIGHT, spider_suite=0.0 if bench.suite else None)
        cost = Cost(ran.seconds, gold_bytes=ran.size, speed=WRONG if options.timing_runs else None)
        return found(figures=zero, strict=verdict, gold_sql=sql, sql="", cost=cost)
    official = _official(queries, case.question, answer.raw or answer.text, bench)
    given = _reached(_run_at(bench, date, answer.text))
    chosen, verdict = sql, gold_error(f"gold_unstable: {note}")
    if status == "unstable":
        verdict = msgspec.structs.replace(verdict, reason="gold_unstable")
    else:
        chosen, verdict = _strict(running, given, answer.text, bench, asked, date)
        more = [*(["fence"] if answer.raw else []), *filter(None, [bench.translation(answer.text)])]
        if verdict and more:
            verdict = msgspec.structs.replace(verdict, normalised=(*verdict.normalised, *more))
    parts = Difference()
    if verdict.state in ("wrong", "needs_review") and answer.text:
        parts = difference(chosen, answer.text, bench.dialect, *_schema(bench))
    example = None
    if options.counterexamples and bench.dialect == "sqlite":
        verdict, example = _searched(chosen, answer.text, verdict, bench, asked, options)
    return found(
        difference=parts,
        counterexample=example,
        figures=official,
        strict=verdict,
        gold_sql=chosen,
        sql=answer.text,
        first_rows=_samples(dict(running).get(chosen, ran), given),
        size=(len(given.rows), len(given.names)) if given.result is not None else None,
        cost=cost_of(
            bench.databases,
            bench.settings,
            bench.dialect,
            (sql, ran),
            (answer.text, given),
            runs=options.timing_runs,
            matches=official.bird_ex == 1.0,
        ),
    )


def perfect_queries(queries: Queries, sql: str, options: Options) -> QueryComparison:
    """What a right answer shows, without a look at the database."""
    all_right = msgspec.structs.replace(ALL_RIGHT, spider_suite=1.0 if options.test_suite else None)
    cost = Cost(seconds=0.0, speed=WRONG if options.timing_runs else None)
    return QueryComparison(queries.database, "", all_right, right(), sql, sql, cost=cost)


def failed_gold(sql: str, ran: Ran, queries: Queries, bench: Bench) -> str:
    """Why a gold fails, and whether it would run in another dialect."""
    return f"{ran.problem}{offer(sql, ran, bench.dialect, queries.kind, bench.run)}"


def _official(queries: Queries, question: str, text: str, bench: Bench) -> Figures:
    """What is no query scores 0 everywhere, also where a public evaluator would run it."""
    ran = bench.run(text)
    found = figures(queries, question, text, bench.run, bench.suite, bench.same)
    if ran.kind == "sql_error" and ran.message.startswith("not a query"):
        return msgspec.structs.replace(NONE_RIGHT, spider_suite=0.0 if bench.suite else None)
    return found


def _strict(
    golds: list[tuple[str, Ran]], given: Ran, text: str, bench: Bench, asked: Asked, date: str
) -> tuple[str, Verdict]:
    """The gold that speaks most for the answer, and its verdict."""
    if given.result is None:
        return golds[0][0], wrong("timeout" if given.kind == "timeout" else "sql_error", problem=given.problem)
    verdicts = []
    for sql, ran in golds:
        verdict = judge(sql, bench.dialect, ran, given, asked, partial(_run_at, bench, date), text)
        if verdict and proves_little(ran.rows) and not same_text(sql, text):
            said = "gold has no result to speak of, and many a wrong query has none either"
            verdict = Verdict("needs_review", "empty_gold", {"problem": said}, verdict.normalised, 1.0, 1.0)
        if verdict and len(golds) > 1:
            verdict = msgspec.structs.replace(verdict, evidence={**verdict.evidence, "gold": sql})
        verdicts.append((sql, verdict))
        if verdict:
            break
    top = best([verdict for _, verdict in verdicts])
    return next(pair for pair in verdicts if pair[1] is top)


def _searched(
    gold: str, sql: str, verdict: Verdict, bench: Bench, asked: Asked, options: Options
) -> tuple[Verdict, Counterexample | None]:
    """A pass is tried on made rows. One that they refute stays a pass by the data at hand, and is marked ``lucky``; an
    answer to empty gold on which they agree passes."""
    empty = verdict.state == "needs_review" and verdict.reason == "empty_gold"
    if (verdict.state != "right" and not empty) or same_text(gold, sql):
        return verdict, None
    tables = bench.databases.kept_schema(bench.settings, read_schema)
    parts = difference(gold, sql, bench.dialect, *_schema(bench)).components
    done = guarded_search(gold, sql, tables, asked, components=parts)
    if done.found is None:
        if empty and done.agreed >= ENOUGH:
            return right(normalised=(*verdict.normalised, "fillings")), None
        return verdict, None
    if empty:
        return verdict, done.found
    if options.lucky == "fail":
        said = {"problem": "right on the data at hand, refuted by made rows", "cause": done.found.made_cause}
        return Verdict("wrong", "lucky", said), done.found
    return msgspec.structs.replace(verdict, normalised=(*verdict.normalised, "lucky")), done.found


def _samples(gold: Ran, given: Ran) -> dict[str, TableSample]:
    """The first rows of both results; only these are written out as texts."""
    found = {}
    for name, ran in (("gold", gold), ("answer", given)):
        if ran.result is not None:
            first = sample_of(table_of(ran.names, ran.rows[:ROWS]))
            found[name] = msgspec.structs.replace(first, full_size=(len(ran.rows), len(ran.names)))
    return found


def _schema(bench: Bench) -> tuple[Schema, Required]:
    """The tables of the database, and the columns without nulls; none where it does not tell."""
    try:
        tables = bench.databases.tables(bench.settings)
    except EngineError:
        return (), NONE_REQUIRED
    return _columns(tables)


@lru_cache(maxsize=64)
def _columns(tables: tuple[TableColumns, ...]) -> tuple[Schema, Required]:
    schema = tuple((one.name, tuple(name for name, _ in one.columns)) for one in tables)
    return schema, frozenset((one.name.lower(), name.lower()) for one in tables for name in one.required)


def _run_at(bench: Bench, date: str, sql: str) -> Ran:
    return bench.run(at_date(sql, date, bench.dialect))


def _reached(ran: Ran) -> Ran:
    if ran.kind == "connection":
        raise Unreadable(ran.problem)
    return ran


def no_database(error: UserError) -> Unreadable:
    """A database that is not there is nobody's wrong answer."""
    return Unreadable(f"{error.message}. {error.hint}".removesuffix(" "))
