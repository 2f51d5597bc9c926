"""Running a snippet: its names, its answer, its error with the lines that are its own.

Everything here runs beside hostile code, which can change any of it. Nothing said here is believed without a check by
the host.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import errno
import io
import json
import linecache
import sys
import traceback
import types
from collections.abc import Mapping

from .environment import duckdb_threads
from .environment.libraries import is_there, numpy, pandas
from .figures.watch import FigureWatch
from .results.result_data import TEXT, Converter, TooLarge

FILE = "<snippet>"
ABSENT = object()
NO_FIGURES = (0, 0)


def run(code: str, tables: Mapping[str, object], most_cells: int, figures: tuple[int, int] = NO_FIGURES) -> bytes:
    """The message for the host: what the code left as its answer, or what went wrong."""
    return run_in(namespace(tables), code, most_cells, figures=figures)


def run_in(
    names: dict[str, object], code: str, most_cells: int, file: str = FILE, figures: tuple[int, int] = NO_FIGURES
) -> bytes:
    """The same with names that are there already, which the code may change: those of the steps before it.

    ``figures``: how many are read, and whether they are drawn as pictures too.
    """
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    try:
        duckdb_threads.before(code)
        watch = FigureWatch(*figures) if figures[0] else None
        value = _answer_of(code, names, file)
        _flush_files(names)
        if value is ABSENT:
            message: dict[str, object] = {"status": "nothing"}
        else:
            message = {"status": "ok", "result": Converter(most_cells).value(value)}
        if watch is not None:
            message["figures"] = watch.finish(None if value is ABSENT else value)
            watch.unwatch()
    except TooLarge as problem:
        message = {"status": "too_large", "what": str(problem)}
    except BaseException as problem:
        message = {"status": "error", "error": describe(problem, file)}
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, check_circular=False)
    return text.encode("utf-8", "replace")


def namespace(tables: Mapping[str, object]) -> dict[str, object]:
    """The names that code finds: those of a main module, with the libraries and the tables."""
    module = types.ModuleType("__main__")
    names = module.__dict__
    names["__builtins__"] = vars(builtins)  # those that code and packages know, not this module's own
    known = {name: library for name, library in (("pd", pandas), ("np", numpy)) if is_there(library)}
    names.update({**known, "tables": dict(tables)}, **_names(tables))
    sys.modules["__main__"] = module
    return names


def _answer_of(code: str, names: dict[str, object], file: str) -> object:
    """``result`` when the code sets it, else the value of a last line that is an expression."""
    tree = ast.parse(code, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    before = names.get("result", ABSENT)
    sets = before is not ABSENT and _changes_result(tree)
    value = ABSENT
    try:
        exec(compile(tree, file, "exec", dont_inherit=True), names)  # noqa: S102 (what a sandbox is for)
        if isinstance(last, ast.Expr):
            code_of_last = compile(ast.Expression(last.value), file, "eval", dont_inherit=True)
            value = eval(code_of_last, names)  # noqa: S307 (what a sandbox is for)
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise
    after = names.get("result", ABSENT)
    return after if after is not ABSENT and (sets or after is not before) else value


def _flush_files(names: Mapping[str, object]) -> None:
    """Writes out the files that the code left open, as the end of a program would."""
    for value in list(names.values()):
        if isinstance(value, (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)):
            with contextlib.suppress(Exception):  # closed, or only read
                value.flush()


def _changes_result(tree: ast.AST) -> bool:
    """Whether code writes to ``result`` or into it, so that what an earlier step left there is its answer too."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            root: ast.AST = node
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root = root.value
            if isinstance(root, ast.Name) and root.id == "result":
                return True
    return False


def _names(tables: Mapping[str, object]) -> dict[str, object]:
    """Each table by its name, and ``df`` when there is only one."""
    named = {name: table for name, table in tables.items() if name.isidentifier()}
    if len(tables) == 1:
        named.setdefault("df", next(iter(tables.values())))
    return named


def describe(problem: BaseException, file: str = FILE) -> dict[str, object]:
    """Class, message, line in the snippet, and a traceback of the snippet's own lines."""
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.filename == file]
    line = frames[-1].lineno or 0 if frames else 0
    if isinstance(problem, SyntaxError) and problem.filename == file:
        line = problem.lineno or 0
    try:
        message = str(problem)[:TEXT]
    except BaseException:  # its own code
        message = ""
    shown = traceback.StackSummary.from_list(frames[-20:]).format()
    kind = type(problem)
    return {
        "class": kind.__name__[:200],
        "bases": [base.__name__[:200] for base in kind.__mro__[1:-2]][:10],
        "message": message,
        "line": max(0, line),
        "traceback": "".join(shown)[: 2 * TEXT],
        "errno": _number(problem),
    }


def _number(problem: BaseException) -> int:
    """The kernel's reason behind it, also when a library has wrapped the error; 0: none."""
    for _ in range(5):
        number = getattr(problem, "errno", None)
        if isinstance(number, int) and number in errno.errorcode:
            return number
        inner = getattr(problem, "reason", None) or problem.__cause__ or problem.__context__
        if not isinstance(inner, BaseException):
            break
        problem = inner
    return 0


def open_streams() -> tuple[io.TextIOWrapper, io.TextIOWrapper]:
    """Fresh standard streams for the child, over its own pipes."""
    out, err = (_text(io.BufferedWriter(io.FileIO(fd, "w", closefd=False))) for fd in (1, 2))
    sys.stdout = sys.__stdout__ = out  # type: ignore[misc]  # the interpreter lets them be set
    sys.stderr = sys.__stderr__ = err  # type: ignore[misc]  # as above
    sys.stdin = sys.__stdin__ = _text(io.BufferedReader(io.FileIO(0, closefd=False)))  # type: ignore[misc]  # as above
    return out, err


def _text(stream: io.BufferedWriter | io.BufferedReader) -> io.TextIOWrapper:
    return io.TextIOWrapper(stream, "utf-8", "backslashreplace")
