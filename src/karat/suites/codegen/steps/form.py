"""How a session is shown: a timeline with a bar for each step, then the steps' code with what was right."""

from __future__ import annotations

from karat.core.case_form import CaseForm, Listed, Timeline, TimelineBar, View
from karat.core.presentation.code_views import Code, Codes, code_lines, more_lines
from karat.core.problems import count_of
from karat.suites.codegen.records import Task
from karat.suites.codegen.steps.records import SessionResult, StepResult
from karat.tables.explain.table_view import table_view

MB = 1024**2
FIRST_WRONG = "first wrong step"
SHOWN = 300


def session_form(session: SessionResult, task: Task | None) -> CaseForm:
    """The timeline first; the code of each step is folded, unless it is the first wrong one."""
    views: list[View] = [timeline(session)]
    for step in session.steps:
        if step.code:
            views.append(_code(step, task, opened=step.number == session.first_wrong))
            table = table_view(step.evidence, f"Step {step.number}: result beside the right one")
            views += [table] if table is not None else []
    alone = [step for step in session.steps if step.alone is not None]
    if alone:
        items = tuple((_alone(step), None if step.alone == "review" else step.alone == "right") for step in alone)
        views.append(Listed("Each step after the references of those before it", items))
    return CaseForm(sentence(session), _because(session), tuple(views), facts=_facts(session))


def timeline(session: SessionResult) -> Timeline:
    """A bar for each step: time, memory, and whether its state is right, wrong, replayed."""
    longest = max((step.seconds for step in session.steps), default=0.0) or 1.0
    bars = tuple(
        TimelineBar(
            f"{step.number} {step.state}",
            _text(step),
            round(100 * step.seconds / longest),
            {"right": True, "wrong": False}.get(step.state),
            _figures(step),
            FIRST_WRONG if step.number == session.first_wrong else "",
        )
        for step in session.steps
    )
    return Timeline("Steps", bars, figures_of(session))


def figures_of(session: SessionResult) -> str:
    """``steps 0.25 · alone 0.75``."""
    total = len(session.steps)
    found = [f"steps {session.right / total:.2f}"] if not session.unsettled else ["steps need review"]
    if not session.no_alone:
        found.append(f"alone {session.right_alone / total:.2f}")
    return " · ".join(found)


def sentence(session: SessionResult) -> str:
    """What became of the session, in one sentence."""
    total = len(session.steps)
    if session.unsettled:
        step = session.unsettled[0]
        return f"step {step.number} of {total} needs review: {step.trouble}"
    if session.first_wrong is not None:
        step = session.steps[session.first_wrong - 1]
        return f"step {step.number} of {total} is the first wrong one: {step.error or step.trouble}"
    missing = [step for step in session.steps if step.state == "missing"]
    if missing:
        why = f": {session.ran_out} ran out" if session.ran_out else ""
        return f"{count_of(len(missing), 'step')} of {total} missing, from step {missing[0].number}{why}"
    return f"all {total} steps are right" if total > 1 else "the only step is right"


def _because(session: SessionResult) -> str:
    number = session.first_wrong
    if number is None:
        return ""
    later = [step for step in session.steps[number:] if step.state == "wrong"]
    saved = [step for step in later if step.alone == "right"]
    if later and len(saved) == len(later):
        return "The wrong steps after it are right when they start from the references' state"
    return ""


def _facts(session: SessionResult) -> tuple[str, ...]:
    deciding = ", ".join(map(str, session.final))
    return (f"decided by step {deciding}",) + ((session.no_alone,) if session.no_alone else ())


def _text(step: StepResult) -> str:
    said = step.question.strip()
    if step.state != "right":
        said += f" — {step.error or step.trouble or step.reason.replace('_', ' ')}"
    return said[:SHOWN]


def _figures(step: StepResult) -> str:
    if not step.code:
        return ""
    found = [f"{1000 * step.seconds:,.0f} ms", f"{step.peak_memory / MB:,.0f} MB"]
    return " · ".join([*found, "replayed"] if step.replayed else found)


def _alone(step: StepResult) -> str:
    return f"Step {step.number}: {step.alone}{f': {step.alone_trouble}' if step.alone_trouble else ''}"


def _code(step: StepResult, task: Task | None, *, opened: bool) -> Codes:
    bad = {step.line: step.error} if step.line else {}
    codes = [Code("" if opened else "Code", code_lines(step.code, bad), more=more_lines(step.code), folded=not opened)]
    if task is not None and len(task.steps) >= step.number and task.steps[step.number - 1].reference:
        reference = task.steps[step.number - 1].reference
        codes.append(Code("Reference", code_lines(reference), folded=True, more=more_lines(reference)))
    if step.output:
        codes.append(Code("Printed output", code_lines(step.output), folded=True, more=more_lines(step.output)))
    if step.result:
        codes.append(Code("Result", code_lines(step.result), folded=True))
    return Codes(f"Step {step.number}: {step.state}", tuple(codes), _figures(step))
