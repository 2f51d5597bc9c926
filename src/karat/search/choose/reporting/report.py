"""The report of a tuning: fields, what was missed, recall against n, the Pareto front, and how it was all computed."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import count_of
from karat.core.report import Cell, Chart, Column, Report, Series, Sheet, Table
from karat.search.choose.outcome import Pick
from karat.search.choose.reporting.result import Tuning
from karat.search.choose.reporting.text import LEFT_OUT, more_sentence, passes_words, proof_words

MOST_POINTS = 400
"""Points of one curve in the workbook; from a longer one every second, third … is shown, and always the last."""


def report_of(tuning: Tuning, name: str) -> Report:
    """All sheets of the workbook."""
    sheets = (_fields(tuning), _questions(tuning), _curves(tuning), _front(tuning), _about(tuning, name))
    return Report(f"{name}: n and model of each field", sheets)


def _fields(tuning: Tuning) -> Sheet:
    columns = (
        Column("Field Name", width=34),
        Column("N", "count", 9),
        Column("Model", "wrapped", 34),
        Column("Tokens", "count", 10),
        Column("Recall", "score", 10),
        Column("MRR (sum of 1/rank)", "number", 12, decimals=2),
        Column("Recall held out", "score", 10),
        Column("MRR held out", "number", 12, decimals=2),
        Column("Same option again", "score", 11),
        Column("Same model again", "score", 11),
    )
    honest = {field.field: field for field in tuning.held_out.fields} if tuning.held_out else {}
    stable = {field.field: field for field in tuning.stability}
    rows: list[tuple[Cell, ...]] = []
    for field in tuning.fields:
        out, again = honest.get(field.field), stable.get(field.field)
        rows.append(
            (
                field.field,
                field.n,
                field.model or LEFT_OUT,
                field.tokens,
                field.recall,
                field.mrr,
                out.recall if out else None,
                out.mrr if out else None,
                again.same_option if again else None,
                again.same_model if again else None,
            )
        )
    chosen = Table(
        columns,
        tuple(rows),
        "The choice",
        "Tokens are those of the n values in the worst question. Held out: chosen without the question, scored on it.",
    )
    return Sheet("Fields", (chosen, _figures(tuning)))


def _figures(tuning: Tuning) -> Table:
    columns = (
        Column("figure"),
        Column("value", "number"),
        Column("of"),
        Column("low", "number"),
        Column("high", "number"),
    )
    rows: list[tuple[Cell, ...]] = []
    if (out := tuning.held_out) is not None:
        rows += [
            ("questions passed, held out", out.passed, f"{out.questions:,}", out.passed_low, out.passed_high),
            (
                "mean recall, held out",
                out.mean_recall,
                count_of(out.questions, "question"),
                out.recall_low,
                out.recall_high,
            ),
            ("recall_asked, held out", out.recall_asked, "pairs with a truth", "", ""),
            ("held-out questions over the budget", out.over_budget, f"{out.questions:,}", "", ""),
        ]
    rows += [
        ("questions passed, in-sample", tuning.passed, f"{tuning.questions:,}", "", ""),
        ("mean recall, in-sample", tuning.mean_recall, count_of(tuning.questions, "question"), "", ""),
        ("recall_asked, in-sample", tuning.recall_asked, "pairs with a truth", "", ""),
        (tuning.unit, tuning.tokens, f"{tuning.budget_tokens:,}", "", ""),
    ]
    note = (
        "Held-out figures come first: they are what to expect of new questions. Low and high are the ends of a 95 % "
        "interval."
    )
    return Table(columns, tuple(rows), "All fields together", note)


def _questions(tuning: Tuning) -> Sheet:
    columns = (
        Column("Question", "wrapped", 60),
        Column("Passed", width=10),
        Column("Field Name", width=30),
        Column("Missing", "wrapped", 34),
        Column("Rank", "count", 9),
        Column("Nearest value", "wrapped", 34),
    )
    rows: list[tuple[Cell, ...]] = []
    for detail in tuning.questions_detail:
        passed = "no truths" if detail.passed is None else "yes" if detail.passed else "no"
        rows += [
            (detail.question, passed, gone.field, gone.key, gone.rank or "not a value", gone.nearest)
            for gone in detail.missing
        ] or [(detail.question, passed, "", "", "", "")]
    return Sheet("Questions", (Table(columns, tuple(rows)),), freeze_columns=1)


def _curves(tuning: Tuning) -> Sheet:
    columns = (
        Column("Field Name", width=34),
        Column("Model", width=22),
        Column("N", "count", 9),
        Column("Recall", "score", 10, decimals=3),
        Column("Tokens", "count", 10),
    )
    rows: list[tuple[Cell, ...]] = []
    series: dict[str, list[Series]] = {}
    for curve in tuning.curves:
        step = 1 + (len(curve.n) - 1) // MOST_POINTS
        kept = [index for index in range(len(curve.n)) if index % step == 0 or index == len(curve.n) - 1]
        first = len(rows)
        for i in kept:
            # Between two points nothing new is found: the line goes level to the next one, and up only there.
            if step == 1 and i and curve.n[i] - curve.n[i - 1] > 1:
                rows.append((curve.field, curve.model, curve.n[i] - 1, curve.recall[i - 1], ""))
            rows.append((curve.field, curve.model, curve.n[i], curve.recall[i], curve.tokens[i]))
        series.setdefault(curve.field, []).append(Series(curve.model, 2, 3, first, len(rows) - 1))
    for field in tuning.fields:
        rows.append((field.field, f"chosen: {field.model or LEFT_OUT}", field.n, field.recall, field.tokens))
        series[field.field].append(Series("chosen", 2, 3, len(rows) - 1, len(rows) - 1, marked=True))
    charts = [
        Chart(f"Recall against n: {field}", "n", "recall", tuple(lines), y_most=1.0) for field, lines in series.items()
    ]
    return Sheet("Curves", (Table(columns, tuple(rows)),), charts=tuple(charts))


def _front(tuning: Tuning) -> Sheet:
    columns = [
        Column("Tokens", "count", 10),
        Column("Passed", "count", 10),
        Column("Mean recall", "score", 10, decimals=3),
        Column("Options", "wrapped", 70),
    ]
    points = [*tuning.pareto]
    rows: list[tuple[Cell, ...]] = [(p.tokens, p.passed, p.mean_recall, pick_words(p.fields)) for p in points]
    chosen = [(f.field, f.model, f.n) for f in tuning.fields]
    rows.append((tuning.tokens, tuning.passed, tuning.mean_recall, f"chosen: {_words(chosen)}"))
    hull_columns = (Column(tuning.unit.capitalize(), "count", 10), Column("Best", "number", 10, decimals=3))
    charts, tables = [], [Table(tuple(columns), tuple(rows), "Pareto front")]
    last = len(points)
    for title, column, most in (("Questions passed", 1, None), ("Mean recall", 2, 1.0)):
        best = _best_at_each_cost(
            [(int(p.tokens), float(p.passed if column == 1 else p.mean_recall or 0.0)) for p in points]
        )
        if not best:
            continue
        lines = (
            Series("best at this cost", 0, 1, 0, len(best) - 1, table=len(tables)),
            Series("chosen", 0, column, last, last, marked=True),
        )
        tables.append(Table(hull_columns, tuple(best), f"{title}: the best at each cost"))
        # Points, not a line: between two of them there is nothing to choose.
        charts.append(
            Chart(f"{title} against {tuning.unit}", tuning.unit, title.lower(), lines, kind="scatter", y_most=most)
        )
    return Sheet("Pareto", tuple(tables), charts=tuple(charts))


def _best_at_each_cost(points: Sequence[tuple[int, float]]) -> list[tuple[Cell, ...]]:
    """Of points by rising cost those that are better than all cheaper ones: the upper edge of what can be reached."""
    kept: list[tuple[Cell, ...]] = []
    most = float("-inf")
    for cost in dict.fromkeys(cost for cost, _ in points):
        best = max(figure for own, figure in points if own == cost)
        if best > most:
            kept.append((cost, best))
            most = best
    return kept


def pick_words(picks: Sequence[Pick]) -> str:
    """``Shop[item] bm25 14, …``"""
    return _words([(pick.field, pick.model, pick.n) for pick in picks])


def _words(options: Sequence[tuple[str, str | None, int]]) -> str:
    return ", ".join(f"{field} {model or LEFT_OUT} {n}" for field, model, n in options)


def _budget(tuning: Tuning) -> str:
    encoding = f" ({tuning.encoding})" if tuning.unit == "tokens" else ""
    return f"{tuning.budget_tokens:,} {tuning.unit} for all fields together{encoding}"


def _about(tuning: Tuning, name: str) -> Sheet:
    facts: list[tuple[str, str]] = [
        ("sheet", name),
        ("questions", f"{tuning.questions:,}"),
        ("models", ", ".join(tuning.models)),
        ("budget", _budget(tuning)),
        ("largest n", f"{tuning.max_n:,}" if tuning.max_n else "what the budget allows"),
        ("proof", proof_words(tuning)),
        *((f"{more.questions} more", more_sentence(more, tuning.unit)) for more in tuning.more),
        *(("note", note) for note in tuning.notes),
        *(("warning", warning) for warning in tuning.warnings),
        (
            "Pareto front",
            "complete" if tuning.pareto_complete else "truncated: there may be points between those shown",
        ),
    ]
    words = (
        (
            "passed",
            f"Enough truths of all its fields together are among the retrieved values: {passes_words(tuning.passes)}.",
        ),
        (
            "mean recall",
            "found / expected, averaged over all fields of a question, then over questions. A field without a truth "
            "for a question counts 1: nothing was asked, nothing is missing.",
        ),
        ("recall_asked", "found / expected, averaged over the pairs of a question and a field that have a truth."),
        ("in-sample", "On the questions that the choice was made on: too good a figure for new questions."),
        ("left out", "A field with n = 0: nothing is retrieved for it, and the budget is spent on the others."),
        (
            "the choice",
            "Most questions passed, then the highest mean recall, then the fewest tokens, then the smallest n, then "
            "the cheapest model. Exact under the budget.",
        ),
        ("rank", "The number of other values that score at least as much, plus one: a tie never helps."),
        ("tokens", "Of the n best values, in the question where they cost the most; summed over fields."),
        ("MRR", "The sum of 1 / rank over the truths found, averaged over questions. It can exceed 1."),
        (
            "held out",
            (f"{tuning.held_out.method}: " if tuning.held_out else "")
            + "n and model are chosen without a question, on costs measured without it, and scored on it. A question "
            "whose values do not fit the budget does not pass.",
        ),
        (
            "same option again",
            "The share of resamples of the questions (with replacement) that lead to the same n and model.",
        ),
    )
    about = Table((Column("what", width=34), Column("value", "wrapped", 100)), tuple(facts), "About this tuning")
    glossary = Table((Column("word", width=34), Column("meaning", "wrapped", 100)), words, "Terms")
    return Sheet("About", (about, glossary))
