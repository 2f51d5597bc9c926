"""Gold SQL checked before anyone is scored by it: it is executed, twice, and compared with the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from karat.core.installed.extras import missing, unchecked
from karat.core.problems import Problem, Severity, UserError
from karat.core.records import Case
from karat.suites.answers.options import Options
from karat.suites.answers.records import Gold, Queries
from karat.suites.answers.text_to_sql.compare import failed_gold
from karat.suites.answers.text_to_sql.queries.name_suggestions import name_meant
from karat.suites.answers.text_to_sql.running.case_engine import Bench, bench_for
from karat.suites.answers.text_to_sql.strict.asks_order import asks_order
from karat.suites.answers.text_to_sql.strict.gold_query import read_gold
from karat.suites.answers.text_to_sql.strict.gold_status import proves_little
from karat.suites.answers.text_to_sql.strict.moments import at_date
from karat.suites.answers.text_to_sql.strict.unstable import why_unstable

if TYPE_CHECKING:
    from karat.engines.table_names import TableColumns

Finding = tuple[Severity, str, str]
"""How bad it is, what is wrong, and what to do."""


def check_gold_sql(cases: Sequence[Case[Gold]], options: Options) -> list[Problem]:
    """Every finding, at the line of its question. A database that cannot be opened is named once."""
    problems: list[Problem] = []
    runs = bool(options.databases) and not missing("sql")
    if options.databases and not runs and cases:
        problems.append(unchecked("sql", "what the gold SQL gives", cases[0].source.file))
    unopened: set[str] = set()
    for case in cases:
        gold = next((turn.target for turn in case.conversation if turn.target is not None), None)
        queries = gold.queries if gold is not None else None
        if gold is None or queries is None:
            continue
        where = case.source
        if gold.problem:
            problems.append(Problem(f'"{case.id}": gold_error: {gold.problem}', file=where.file, line=where.line))
        if not runs or gold.problem:
            continue
        try:
            found = list(_findings(case.question, queries, options, gold.as_of or options.as_of))
        except UserError as error:
            if error.message not in unopened:
                unopened.add(error.message)
                problems.append(Problem(error.message, file=where.file, line=where.line, hint=error.hint))
            continue
        for severity, said, hint in found:
            message = f'"{case.id}": {said}'
            problems.append(Problem(message, file=where.file, line=where.line, hint=hint, severity=severity))
    return problems


def _findings(question: str, queries: Queries, options: Options, date: str) -> Iterator[Finding]:
    bench = bench_for(queries, options)
    results = []
    for sql in (at_date(one, date, bench.dialect) for one in queries.sql):
        ran = bench.run(sql)
        if ran.result is None:
            said = failed_gold(sql, ran, queries, bench)
            yield "error", f"the gold SQL fails: {said}", name_meant(ran.problem, _tables(bench))
            continue
        results.append(ran)
        query = read_gold(sql, bench.dialect)
        if why := why_unstable(sql, bench.dialect, ran, bench.again(sql), bench.run):
            yield "warning", f"gold_unstable: {why}", ""
        if proves_little(ran.rows):
            yield (
                "warning",
                "empty_gold: its result has no rows, only nulls, or a lone 0, so equal results prove little",
                "",
            )
        if len(ran.rows) > 1 and not query.ordered and queries.order is None and asks_order(question):
            yield "warning", "the question asks for an order, and the gold has no ORDER BY", ""
    if (
        len(results) > 1
        and queries.form != "defog"
        and any(Counter(one.rows) != Counter(results[0].rows) for one in results[1:])
    ):
        yield "warning", "its golds give different results; any of them passes", ""


def _tables(bench: Bench) -> Sequence[TableColumns]:
    """The tables of the database; none where they cannot be listed."""
    from karat.engines.protocol import EngineError

    try:
        return bench.databases.tables(bench.settings)
    except EngineError:
        return ()
