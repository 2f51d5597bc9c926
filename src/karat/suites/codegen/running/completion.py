"""Answers that continue a program, as PandasEval, NumpyEval and HumanEval ask for them.

The program breaks off within a statement (``kept =``), before one, or below the head of a function. An answer may be
the bare continuation, the unfinished statement or the whole function written out, or all of the program again; in a
fenced block or not, with its indentation or without. Of the ways to put the two together the first that compiles is
taken. Code that sets the answer or defines the function itself is left as it is. DS-1000's prompts end within marks,
and answers may continue them.
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator

from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.records import Task, Unfinished
from karat.suites.codegen.responses import code_of, text_of
from karat.suites.codegen.running.code_blocks import block_in, code_in
from karat.suites.codegen.running.sql_responses import query_of

INDENT = "    "
_BEGIN = re.compile(r"^[ \t]*(?:#+ ?)?(?:BEGIN SOLUTION|SOLUTION START)[ \t]*\n", re.MULTILINE)
_OPEN = re.compile(r"^[ \t]*<code>[ \t]*\n", re.MULTILINE)
_END = re.compile(r"^[ \t]*(?:</code>|(?:#+ ?)?(?:END SOLUTION|SOLUTION END))", re.MULTILINE)


def code_for(task: Task, response: bytes) -> str:
    """The code of a response to this task, whole. Raises Unreadable when the response holds none."""
    if task.language == "sql":
        return query_of(response)
    if task.unfinished is not None:
        return completed(task.unfinished, text_of(response, continues=True))
    if task.harness is None:
        return code_of(response)
    return code_in(_between_marks(text_of(response, continues=True)))


def _between_marks(text: str) -> str:
    """The solution of a text that goes on as DS-1000's prompts do: after ``BEGIN SOLUTION`` and ``<code>``, up to
    ``</code>``."""
    for mark in (_BEGIN, _OPEN):
        found = [*mark.finditer(text)]
        if found:
            text = text[found[-1 if mark is _BEGIN else 0].end() :]
    end = _END.search(text)
    return text if end is None else text[: end.start()]


def completed(unfinished: Unfinished, text: str) -> str:
    """The unfinished part with its continuation, where the text is one; else the code as it is."""
    code = _without_repeated(unfinished, code_in(text))
    if _defines(unfinished, code) if unfinished.function else _begins_with(unfinished, code):
        return code
    block = block_in(text)
    raw = (text if block is None else block).strip("\n")
    ways = _in_function if unfinished.function else _in_statement
    found = next((way for way in ways(unfinished.rest, raw, code) if _compiles(way)), code)
    return found.strip("\n")


def _without_repeated(unfinished: Unfinished, code: str) -> str:
    """The code without the finished part of the program, where it repeats that; blank lines and blanks at the ends of
    lines do not count."""
    repeated = [line.rstrip() for line in unfinished.before.splitlines() if line.strip()]
    lines = code.splitlines()
    place = 0
    for wanted in repeated:
        while place < len(lines) and not lines[place].strip():
            place += 1
        if place == len(lines) or lines[place].rstrip() != wanted:
            return code
        place += 1
    return "\n".join(lines[place:]).strip("\n")


def _begins_with(unfinished: Unfinished, code: str) -> bool:
    """Whether a line of the code begins as the unfinished statement does; where that is empty, any code does."""
    wanted = "".join(unfinished.rest.split())
    if not wanted:
        return True
    if not _compiles(code):
        return False
    for line in code.splitlines():
        given = "".join(line.split())
        after = given[len(wanted) : len(wanted) + 1]
        if given.startswith(wanted) and not (wanted[-1].isidentifier() and (after.isalnum() or after == "_")):
            return True
    return False


def _defines(unfinished: Unfinished, code: str) -> bool:
    tree = syntax_tree(code)
    functions = ast.FunctionDef, ast.AsyncFunctionDef
    return tree is not None and any(
        isinstance(node, functions) and node.name == unfinished.function for node in tree.body
    )


def _in_statement(rest: str, raw: str, code: str) -> Iterator[str]:
    """``kept =`` and ``df[df.n > 0]``; imports ahead of the value go ahead of the statement. An assignment is a
    statement of its own."""
    tree = syntax_tree(code)
    first = tree.body[0] if tree is not None and tree.body else None
    if isinstance(first, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return
    if isinstance(first, ast.Import | ast.ImportFrom) and tree is not None:
        later = next((node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)), None)
        if isinstance(later, ast.Expr):
            lines = code.splitlines()
            ahead, value = "\n".join(lines[: later.lineno - 1]), "\n".join(lines[later.lineno - 1 :])
            yield f"{ahead}\n{rest} {value}"
        return
    yield rest + raw
    yield f"{rest} {code}"


def _in_function(rest: str, raw: str, code: str) -> Iterator[str]:
    """The head of a function and its body, which may be indented, not indented, or all but its first line."""
    indented = raw[:1] in (" ", "\t")
    head = rest.rstrip(" \t")
    if indented or head != rest or not rest.endswith("\n"):
        yield rest + raw
    if indented:
        yield head + raw
    yield head + textwrap.indent(code, INDENT)
    yield f"{head}{INDENT}{raw.lstrip()}"


def _compiles(code: str) -> bool:
    """Also that ``return`` is inside a function, which the syntax tree does not mind. Nothing is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "<answer>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
