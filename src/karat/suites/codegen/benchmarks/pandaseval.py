"""PandasEval and NumpyEval as they are published: a program that breaks off, its continuation, and a test.

Two kinds, which differ in ``entry_point``:

- a script: what is before the unfinished statement is the setup; the name that the statement was about to set holds
  the answer;
- a function: the model writes all of it, and the calls of the test are made with it. Only the calls are taken out of
  the test, never what they are compared with: the right results come from the reference. A test that makes its own
  inputs (``for i in range(100): candidate(i, …)``) runs as it is, in the process of the answer.

The comments of the program are the question. A reference is the unfinished statement, or the function's head, with the
first of the published continuations; it may fail on a later pandas than the one it was written for.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Task, Unfinished, UnitTests

KEYS = frozenset({"task_id", "prompt", "entry_point", "canonical_solution", "test"})
MOST_CALLS = 20

_AS_UNIT_TEST = """import unittest
{test}

class Published(unittest.TestCase):
    def test_published(self):
        check({name})
"""
_COMMENT = re.compile(r"^[ \t]*#+[ \t]?(.*)$", re.MULTILINE)
_TARGETS = re.compile(r"^([A-Za-z_][\w \t,]*?|[A-Za-z_]\w*[\[.].*?)[ \t]*=(?!=)")
_METADATA_TYPE = re.compile(r"'type':\s*'([^']+)'")


class _Row(msgspec.Struct, frozen=True):
    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: tuple[str, ...] | str
    """The first of several; HumanEval has one."""
    test: str


def is_problem(row: JsonMapping) -> bool:
    return set(row) >= KEYS


def read_problem(row: JsonMapping, source: Where) -> Case[Task] | Problem:
    """One problem as a case, or why it cannot be asked."""
    try:
        told = msgspec.convert(row, _Row)
        made = _function(told) if told.entry_point != "none" else _script(told)
    except (msgspec.ValidationError, SyntaxError, ValueError) as error:
        message = f"not a PandasEval problem: {str(error).splitlines()[0]}"
        return Problem(message, file=source.file, line=source.line)
    task, shown = made
    question = "\n".join(text.strip() for text in _COMMENT.findall(told.prompt) if text.strip())
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task, more=(shown,))),
        Turn(role="user", content=question or told.prompt, target=task),
    )
    tags = tuple(_METADATA_TYPE.findall(told.test)[:1])
    return Case(told.task_id, conversation, tags=tags, source=source)


def _script(row: _Row) -> tuple[Task, str]:
    setup, broken = _split(row.prompt)
    reference = broken + _solution(row)
    answer = _answer(row, setup, broken, reference)
    said = f"This code has run already:\n```python\n{setup.rstrip()}\n```"
    more = f"\nContinue it; it was about to write: {broken.strip()}" if broken.strip() else "\nContinue it."
    return Task(
        reference=reference.strip("\n"),
        setup=_without_comments(setup),
        answer=answer,
        unfinished=Unfinished(setup, broken),
    ), said + more


def _split(prompt: str) -> tuple[str, str]:
    """A program that breaks off: the longest part that is whole, and the unfinished rest."""
    lines = prompt.splitlines(keepends=True)
    goes_on = bool(lines) and not lines[-1].endswith("\n") and bool(lines[-1].partition("#")[0].strip())
    for end in range(len(lines) - goes_on, -1, -1):
        whole = "".join(lines[:end])
        try:
            ast.parse(whole)
        except SyntaxError:
            continue
        rest = "".join(lines[end:])
        return whole, rest if rest.strip() else ""
    return "", prompt


def _answer(row: _Row, setup: str, broken: str, reference: str) -> str:
    """The name that holds the answer: the one about to be set; with several, or none, the one that the test looks
    at."""
    target = _TARGETS.match(broken.lstrip())
    names = re.findall(r"[A-Za-z_]\w*", target[1].partition("[")[0].partition(".")[0]) if target else []
    if len(names) == 1:
        return str(names[0])
    known = names or list(_assigned(f"{setup}\n{reference}"))
    found: str | None = next((name for name in re.findall(r"[A-Za-z_]\w*", row.test) if name in known), None)
    if found is None:
        raise ValueError("no name of the program is looked at by its test")
    return found


def _assigned(code: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _function(row: _Row) -> tuple[Task, str]:
    start = re.search(rf"^def {re.escape(row.entry_point)}\b", row.prompt, re.MULTILINE)
    if start is None:
        raise ValueError(f"the prompt has no function {row.entry_point}")
    before, head = row.prompt[: start.start()], row.prompt[start.start() :]
    calls = _calls(row.test, row.entry_point)
    body = _solution(row)
    reference = (head.rstrip(" ") + body if body.startswith(" ") else head + body).strip("\n")
    own_test = None if all(_is_whole(call, before) for call in calls) else _own_test(row)
    template = f"[insert]\nresult = [{', '.join(calls)}]" if len(calls) > 1 else f"[insert]\nresult = {calls[0]}"
    task = Task(
        reference=reference,
        setup=before.strip("\n"),
        template="" if own_test is not None else template,
        unit_tests=own_test,
        unfinished=Unfinished(before, head, row.entry_point),
    )
    return task, f"Write this function, whole:\n```python\n{row.prompt.rstrip()}\n```"


def _own_test(row: _Row) -> UnitTests | None:
    """The test as it is; None where it has no ``check``."""
    try:
        tree = ast.parse(row.test)
    except SyntaxError:
        return None
    if not any(isinstance(node, ast.FunctionDef) and node.name == "check" for node in tree.body):
        return None
    return UnitTests(_AS_UNIT_TEST.format(test=row.test, name=row.entry_point), 1)


def _is_whole(call: str, before: str) -> bool:
    """Whether a call needs no name that only its test has."""
    made = {name for text in (before, call) for name in _names_made(syntax_tree(text))}
    used = {node.id for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Name)}
    function = call.partition("(")[0]
    return used <= made | set(dir(builtins)) | {function}


def _names_made(tree: ast.Module | None) -> Iterator[str]:
    """The names that a program sets, without those within its functions."""
    waiting: list[ast.AST] = list(tree.body) if tree is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        waiting.extend(ast.iter_child_nodes(node))


def _solution(row: _Row) -> str:
    given = row.canonical_solution
    return given if isinstance(given, str) else given[0] if given else ""


def _calls(test: str, name: str) -> list[str]:
    """The calls that the test makes, with the function's own name, each once; also out of a test that is no valid
    code."""
    found: list[str] = []
    for start in re.finditer(r"\bcandidate\(", test):
        call = _call_at(test, start.start())
        if call is not None:
            found.append(f"{name}{ast.unparse(call)[len('candidate') :]}")
    if not found:
        raise ValueError("its test calls nothing")
    return list(dict.fromkeys(found))[:MOST_CALLS]


def _call_at(text: str, start: int) -> ast.expr | None:
    """The shortest expression that begins here and ends with a bracket."""
    for bracket in re.finditer(r"\)", text[start:]):
        try:
            return ast.parse(text[start : start + bracket.end()], mode="eval").body
        except SyntaxError:
            continue
    return None


def _without_comments(code: str) -> str:
    """The setup without the question: only what runs."""
    return ast.unparse(ast.parse(code))
