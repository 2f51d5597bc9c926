"""A session in the reports: a bar for each step, and a row for each in Excel."""

from __future__ import annotations

from karat.core.case_form import CellTable, Timeline
from karat.core.records import Case, Prediction, Turn, join_attempts
from karat.reports.html.case_forms import rendered_form
from karat.runs.scores.run_scoring import score_recorded
from karat.suites.codegen import suite
from karat.suites.codegen.details import details_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, Step, TableSource, Task
from karat.suites.codegen.steps.form import sentence, session_form
from karat.suites.codegen.steps.records import SessionResult, StepResult
from karat.suites.codegen.steps.sheet import steps_sheet

SESSION = SessionResult(
    (
        StepResult(1, "One?", "right", "a = 1", ran=True, seconds=0.2, peak_memory=2**20, alone="right"),
        StepResult(2, "Two?", "wrong", "a = 2", "row_count", "row count", True, seconds=0.4, alone="wrong"),
        StepResult(3, "Three?", "wrong", "a", "values_differ", "", True, seconds=0.1, replayed=True, alone="right"),
        StepResult(4, "Four?", "missing", reason="max_calls", alone="missing"),
    ),
    (4,),
    "max_calls",
)


def test_the_timeline_marks_the_first_wrong_step_and_says_both_figures() -> None:
    view = session_form(SESSION, None).views[0]
    assert isinstance(view, Timeline)
    assert view.note == "steps 0.25 · alone 0.50"
    assert [(bar.label, bar.share, bar.right, bool(bar.marked)) for bar in view.bars] == [
        ("1 right", 50, True, False),
        ("2 wrong", 100, False, True),
        ("3 wrong", 25, False, False),
        ("4 missing", 0, None, False),
    ]
    assert view.bars[0].note == "200 ms · 1 MB" and view.bars[2].note.endswith("replayed")
    assert view.bars[3].text == "Four? — max calls"


def test_the_sentence_is_about_the_first_thing_to_know() -> None:
    assert sentence(SESSION) == "step 2 of 4 is the first wrong one: row count"
    right = SESSION.steps[0]
    assert sentence(SessionResult((right,), (1,))) == "the only step is right"
    assert sentence(SessionResult((right, SESSION.steps[3]), (2,), "max_calls")) == (
        "1 step of 2 missing, from step 4: max_calls ran out"
    )


def test_every_step_has_a_row_and_so_has_every_session() -> None:
    codes = [b"clean = sales.dropna()\nclean", b"result = clean.price.sum() + 1"]
    steps = (Step("Drop blanks.", reference="clean = sales.dropna()\nresult = clean"), Step("Sum?", Expected(value=3)))
    task = Task(tables={"sales": TableSource(columns={"price": [1, 2, None]})}, steps=steps)
    case = Case("s", (Turn("user", "Drop blanks.", task),))
    answers = [Prediction("s", response=join_attempts(codes))]
    found = score_recorded(suite, [case], answers, Options(performance=False, perturb="no"))
    sheet = steps_sheet(found)
    assert sheet is not None and sheet.title == "Steps"
    sessions, each = sheet.tables
    assert sessions.rows == (("s", 0.5, None, 2, "2", ""),)
    assert [(row[1], row[3], row[5]) for row in each.rows] == [(1, "right", ""), (2, "wrong", "yes")]
    assert steps_sheet(score_recorded(suite, [], [], Options())) is None


def test_a_wrong_step_shows_its_cells_beside_the_right_ones() -> None:
    reference = "result = sales.groupby('region', as_index=False).price.sum()"
    task = Task(
        tables={"sales": TableSource(columns={"region": ["N", "S", "N"], "price": [1, 2, 5]})},
        steps=(Step("How many?", Expected(value=3)), Step("Price by region?", reference=reference)),
    )
    codes = [b"result = len(sales)", b"result = sales.groupby('region', as_index=False).price.max()"]
    answers = [Prediction("s", response=join_attempts(codes))]
    cases = [Case("s", (Turn("user", "How many?", task),))]
    (case,) = score_recorded(suite, cases, answers, Options(performance=False, perturb="no")).cases
    details = details_of(case)
    assert details is not None and details.steps
    (table,) = [view for view in session_form(details.steps, task).views if isinstance(view, CellTable)]
    assert table.title == "Step 2: result beside the right one"
    page = rendered_form(session_form(details.steps, task))
    assert ">6<" in page.replace(" ", "") and "✗" in page


def test_pages_draw_the_timeline() -> None:
    page = rendered_form(session_form(SESSION, None))
    assert "first wrong step" in page and "steps 0.25 · alone 0.50" in page and 'width="100%"' in page
