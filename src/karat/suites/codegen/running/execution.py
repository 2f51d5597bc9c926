"""Running the code of an answer, and the reference: what is put around it, and what its end is called.

An answer is run after the task's setup, or in the task's template in place of the line ``[insert]`` with that line's
indentation. A name other than ``result`` that the task wants its answer in is copied at the end. Lines are counted in
the model's own code.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import msgspec

from karat.sandbox import Limits, Outcome, Sandbox
from karat.sandbox.messages.messages import NOTHING_SET
from karat.sandbox.tables import GivenFile
from karat.sandbox.tables import TableSource as Given
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.harness.programs import INSERT, answers_program, unit_test_program
from karat.suites.codegen.harness.unit_tests import tests_seen
from karat.suites.codegen.plots.plot_runs import drawing_limits, expects_plot, with_drawing
from karat.suites.codegen.records import Answers, Attempt, ErrorClass, Harness, Task
from karat.suites.codegen.running.errors import classify
from karat.suites.codegen.running.future_imports import without_future_imports
from karat.suites.codegen.running.missing_packages import with_missing_package
from karat.suites.codegen.running.printed_answers import advice, ends_in_print, only_printed, printed_figures

MB = 1024**2
_QUOTED = re.compile(r"'([^']+)'\s*$")
_PLACE = re.compile(r" \(<snippet>, line \d+\)$")
_TRIED = (
    (re.compile(r"socket|connect|urlopen|requests|http|getaddrinfo"), "open a socket"),
    (re.compile(r"subprocess|fork|system|Popen|exec|spawn|multiprocessing"), "start a process"),
    (re.compile(r"kill|signal"), "reach another process"),
)


class Snippet(msgspec.Struct, frozen=True):
    """What is run: the whole code, and where the model's own lines lie in it."""

    code: str
    before: int = 0
    """Lines before the model's first."""
    lines: int = 0
    """Lines that are the model's."""

    def own_line(self, line: int) -> int:
        """A line of the whole code in the model's own counting; 0 when it is not the model's."""
        own = line - self.before
        return own if 1 <= own <= self.lines else 0


def run_code(box: Sandbox, task: Task, code: str, tables: Mapping[str, Given] | None = None) -> tuple[Attempt, Outcome]:
    """Run an answer over the task's tables, or over others of the same names."""
    snippet = snippet_of(task, code)
    limits = drawing_limits(task, limits_of(task), pictures=tables is None)
    given = {**given_files(task), **(given_tables(task) if tables is None else tables)}
    outcome = box.run(snippet.code, given, limits=limits, files=expected_files(task))
    outcome = answered(box, task, code, outcome)
    return attempt_of(task, code, snippet, outcome), outcome


def answered(box: Sandbox, task: Task, code: str, outcome: Outcome) -> Outcome:
    """What a run came to for this task: what it drew, wrote or printed may be its answer."""
    outcome = with_missing_package(outcome, box.environment)
    if task.harness is not None:
        outcome = _with_answers(task.harness, outcome)
    if task.unit_tests is not None:
        outcome = tests_seen(outcome)
    if expects_plot(task):
        outcome = with_drawing(task, outcome)
    elif task.expected is not None and task.expected.only_files:
        if outcome.status == "no_result" and outcome.detail == NOTHING_SET:
            outcome = msgspec.structs.replace(outcome, status="ok", detail="")
    elif printed_figures(task, outcome):
        outcome = msgspec.structs.replace(outcome, status="ok")
    elif ends_in_print(task, code, outcome):
        outcome = msgspec.structs.replace(outcome, status="no_result", detail=NOTHING_SET)
    return outcome


def expected_files(task: Task) -> tuple[str, ...]:
    """The files that the task expects to be written."""
    return tuple(task.expected.files) if task.expected is not None and task.expected.files else ()


def _with_answers(harness: Harness, outcome: Outcome) -> Outcome:
    """What an answer says it gave on each input, once it is in the right form: its process may say anything."""
    found = outcome.result
    if not outcome.ok:
        return outcome
    texts = found.get("exact") if isinstance(found, dict) else None
    if isinstance(texts, list) and len(texts) == harness.count and all(isinstance(text, str) for text in texts):
        return msgspec.structs.replace(outcome, result=Answers(found.get("shown"), tuple(texts)))
    return msgspec.structs.replace(outcome, status="bad_message", detail="its results are not in the right form")


def limits_of(task: Task) -> Limits:
    return Limits(wall=task.timeout, memory=task.memory_mb * MB)


def given_tables(task: Task) -> dict[str, Given]:
    """The task's tables as the sandbox takes them."""
    return {
        name: source.columns if source.columns is not None else Path(source.path)
        for name, source in task.tables.items()
    }


def given_files(task: Task) -> dict[str, Given]:
    """The files beside the tables."""
    return {Path(file).name: GivenFile(Path(file)) for file in task.files}


def snippet_of(task: Task, code: str) -> Snippet:
    """The answer with what the task puts around it. Code that cannot be parsed stays alone, so that nothing after it
    fixes it."""
    lines = code.count("\n") + 1
    if task.harness is not None:
        head, body, tail = _inserted(task.harness.program, code)
        return Snippet(answers_program(task.harness, head + body + tail), head.count("\n"), lines)
    if task.unit_tests is not None:
        head = f"{task.setup.rstrip()}\n" if task.setup else ""
        return Snippet(unit_test_program(task.unit_tests, head + code), head.count("\n"), lines)
    if not _parses(task, code):
        return Snippet(code, 0, lines)
    setup = task.setup.rstrip()
    future, own = without_future_imports(code) if setup and not task.template else ("", code)
    head, body, tail = _inserted(task.template, own)
    if setup:
        head = "\n".join((*([future] if future else []), setup, head))
    if task.answer != "result":
        tail = f"{tail.rstrip()}\nresult = {task.answer}"
    return Snippet(head + body + tail, head.count("\n"), lines)


def _inserted(template: str, code: str) -> tuple[str, str, str]:
    """What comes before the answer, the answer as indented as its place wants it, and what comes after it."""
    place = INSERT.search(template)
    if place is not None:
        body = code if code[:1] in (" ", "\t") else textwrap.indent(code, place[1])
        return template[: place.start()], body, template[place.end() :]
    head, mark, tail = template.partition("[insert]")
    return (head, code, tail) if mark else ("", code, "")


def _parses(task: Task, code: str) -> bool:
    """Whether it does by itself; in a template, which may want an expression or the body of a function, any code
    may."""
    if task.template:
        return True
    return syntax_tree(code) is not None


def attempt_of(task: Task, code: str, snippet: Snippet, outcome: Outcome) -> Attempt:
    """What became of it, in the suite's words."""
    raised = outcome.error
    line = snippet.own_line(raised.line) if raised is not None else 0
    text, found = ("", None) if outcome.ok else _error_text(task, snippet, outcome)
    return Attempt(
        code,
        outcome.ok,
        found,
        text,
        line,
        outcome.status,
        seconds=outcome.wall,
        peak_memory=outcome.peak_memory,
        printed=only_printed(outcome, nothing_set=_sets_nothing(task, snippet, outcome)),
    )


def _error_text(task: Task, snippet: Snippet, outcome: Outcome) -> tuple[str, ErrorClass]:
    """The error as text, and its class."""
    raised = outcome.error
    match outcome.status:
        case "timeout":
            return f"no answer within {task.timeout:g} s", "other_error"
        case "memory":
            return f"tried to use more than {task.memory_mb:,} MB", "other_error"
        case "no_result" if only_printed(outcome, nothing_set=_sets_nothing(task, snippet, outcome)):
            return advice(task, outcome), "other_error"
        case "no_result":
            return "left no result", "other_error"
        case "refused":
            return _refused(outcome), "other_error"
        case "result_too_large":
            return f"{outcome.status}: {outcome.detail}", "other_error"
    if raised is None:
        return outcome.detail or outcome.status, "other_error"
    if _misses_answer(task, snippet, outcome):
        if only_printed(outcome, nothing_set=True):
            return advice(task, outcome), "other_error"
        return f"left no result: it does not set `{task.answer}`", "other_error"
    message = _PLACE.sub("", raised.message)  # it counts lines before the model's own
    text = f"{raised.class_}: {message}" if message else raised.class_
    return text, classify(raised.class_, raised.bases, raised.message)


def _sets_nothing(task: Task, snippet: Snippet, outcome: Outcome) -> bool:
    """Whether it ended by itself and set no answer."""
    ended = outcome.status == "no_result" and outcome.detail == NOTHING_SET
    return ended or _misses_answer(task, snippet, outcome)


def _misses_answer(task: Task, snippet: Snippet, outcome: Outcome) -> bool:
    """Whether the error is that of the last line, which the suite itself put there."""
    raised = outcome.error
    return (
        raised is not None
        and raised.class_ == "NameError"
        and task.answer != "result"
        and raised.line == snippet.code.count("\n") + 1
    )


def _refused(outcome: Outcome) -> str:
    raised = outcome.error
    if raised is None:
        return f"refused: {outcome.detail}"
    if place := _QUOTED.search(raised.message):
        return f"tried to open {place[1][:200]}: refused"
    for pattern, what in _TRIED:
        if pattern.search(raised.traceback):
            return f"tried to {what}: refused"
    return f"{raised.class_}: {raised.message}: refused"
