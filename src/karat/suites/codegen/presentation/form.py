"""How code is shown: its result beside the reference's, the code with the failing line marked, its tries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.core.case_form import CaseForm, Grid, Grids, Listed, Term, TermPair, TermPart, Terms, Texts, View
from karat.core.presentation.code_views import Code, Codes, code_lines, more_lines
from karat.core.problems import count_of
from karat.core.records import Prediction
from karat.suites.codegen.details import Details
from karat.suites.codegen.hidden_tests.view import views_of_tests
from karat.suites.codegen.missing_parts import lacked
from karat.suites.codegen.plots.plot_view import plot_sentence, plot_view
from karat.suites.codegen.records import FileReport, Task
from karat.suites.codegen.steps.form import session_form
from karat.suites.codegen.summaries.code_marks import line_marks
from karat.suites.codegen.timing.growth_view import growth_view
from karat.tables.explain.reason_sentences import table_sentence
from karat.tables.explain.sample import TableSample
from karat.tables.explain.sample_grid import sample_grid
from karat.tables.explain.table_view import table_view

ERROR = "error: "
"""How the reason of a result begins that cannot be compared."""
_REASONS = {
    "did_not_run": "the code did not run",
    "figures_differ": "figures differ",
    "depends_on_row_order": "the result depends on the order of the rows",
    "depends_on_columns": "the result depends on further columns or their order",
    "only_fits_this_data": "the result is right on these tables only, not on changed copies of them",
    "test_failed": "tests fail",
    "file_missing": "an expected file was not written",
    "file_unreadable": "a written file cannot be read",
    "unit_differs": "the result is in another unit",
}


def form(details: Details, task: Task | None, _answer: Prediction | None) -> CaseForm:
    """The result first, then the code; what the question asks for is folded. Of a session: its steps."""
    if details.steps:
        return session_form(details.steps, task)
    views = [*_result(details, task), _code(details, task)]
    if len(details.attempts) > 1:
        views.append(_tries(details))
    if details.tests:
        views += views_of_tests(details.tests)
    growth = growth_view(details.performance.curves) if details.performance.curves else None
    if growth is not None:
        views.append(growth)
    if details.files:
        views.append(_files(details.files))
    shown = (*views, *_requirements(details))
    return CaseForm(_sentence(details), _because(details), shown, unjudged=_unjudged(details))


def _result(details: Details, task: Task | None) -> list[View]:
    evidence = details.correctness.evidence
    if details.correctness.plot is not None:
        return [plot_view(details.correctness.plot, details.correctness.reason, right=details.correctness.passed)]
    table = table_view(evidence, "Result beside the reference’s")
    if table is not None:
        return [table]
    figures = evidence.get("figures")
    if isinstance(figures, Mapping):
        return [Terms(tuple(_figure(str(name), pair) for name, pair in figures.items() if isinstance(pair, Mapping)))]
    if not details.result:
        return []
    if details.sample:
        return [_sampled(details.sample, right=details.correctness.passed)]
    expected = task.expected.value if task is not None and task.expected is not None else None
    known = (repr(expected)[:2_000],) if expected is not None else ()
    right = details.correctness.passed
    return [Texts(known, details.result, right=right, missing=() if right else known)]


def _sampled(sample: TableSample, *, right: bool | None) -> Grids:
    return Grids("Result", (sample_grid("Given", sample, right=right),))


def _unjudged(details: Details) -> tuple[Grids, ...]:
    """The result as it is; one that is no table as its text."""
    if details.sample:
        return (_sampled(details.sample, right=None),)
    return (Grids("Result", (Grid("Given", ("value",), ((details.result,),)),)),) if details.result else ()


def _figure(name: str, pair: Mapping[str, object]) -> TermPart:
    given = pair.get("found")
    return TermPart(name, (TermPair(Term(str(pair.get("expected"))), None if given is None else Term(str(given))),))


def _code(details: Details, task: Task | None) -> Codes:
    bad = {details.line: details.error or ""} if details.line else {}
    last = details.attempts[-1] if details.attempts else None
    note = f"ran in {1000 * last.seconds:,.0f} ms" if last is not None and last.ran else "did not run"
    if len(details.attempts) > 1:
        note = f"try {len(details.attempts)} of {len(details.attempts)}: {note}"
    codes = [Code("", code_lines(details.code, bad, marks=line_marks(details)), more=more_lines(details.code))]
    if task is not None and task.reference:
        lines = code_lines(task.reference)
        codes.append(
            Code("Reference", lines, count_of(len(lines), "line"), folded=True, more=more_lines(task.reference))
        )
    return Codes("Code", tuple(codes), note)


def _tries(details: Details) -> Listed:
    items: list[tuple[str, bool | None]] = []
    for number, one in enumerate(details.attempts, start=1):
        if one.ran:
            right = details.correctness.passed if number == len(details.attempts) else None
            items.append((f"Try {number}: ran", right))
        else:
            at = f", line {one.line}" if one.line else ""
            items.append((f"Try {number}: did not run: {one.error}{at}", False))
    return Listed("Tries", tuple(items), folded=False)


def _files(files: Sequence[FileReport]) -> Listed:
    items = tuple(
        (f"{file.name}: {count_of(file.byte_count, 'byte')}{f', {file.note}' if file.note else ''}", file.right)
        for file in files
    )
    return Listed("Files", items, folded=all(file.right is not False for file in files))


def _requirements(details: Details) -> list[View]:
    items = tuple((name, False) for name in details.missing)
    return [Listed("Asked for, and not in the code", items)] if items else []


# -- in words ---------------------------------------------------------------------------------------------------------


def _sentence(details: Details) -> str:
    if details.error:
        at = f" in line {details.line}" if details.line else ""
        return f"the code did not run: {details.error}{at}"
    correctness = details.correctness
    if correctness.plot is not None:
        return plot_sentence(correctness.reason)
    if correctness.passed:
        return "the result equals the expected one"
    if correctness.score is None:
        return correctness.reason
    if correctness.reason.startswith(ERROR):
        return correctness.reason.removeprefix(ERROR)
    figures = correctness.evidence.get("figures")
    if isinstance(figures, Mapping):
        return f"{', '.join(map(str, list(figures)[:3]))} {'differs' if len(figures) == 1 else 'differ'}"
    return (
        table_sentence(correctness.reason, correctness.evidence)
        or _REASONS.get(correctness.reason, "")
        or correctness.reason.replace("_", " ")
    )


def _because(details: Details) -> str:
    correctness = details.correctness
    if correctness.passed or details.error or correctness.reason.startswith(ERROR):
        return ""
    said = [str(correctness.evidence[key]) for key in ("problem", "error") if correctness.evidence.get(key)]
    if details.missing:
        said.append(f"Asked for, and not in the code: {', '.join(map(lacked, details.missing[:4]))}")
    return ". ".join(said)
