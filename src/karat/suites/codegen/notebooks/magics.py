"""A code cell of a notebook as plain Python, line for line.

Left out: ``%matplotlib``, ``%load_ext``, ``%config``, ``%autoreload``, help (``?``), imports of IPython. Run as they
are: ``%time``, ``%timeit``, ``%%time``, ``%%timeit``, ``%%capture``. ``display(x)`` in the last line is the cell's
answer, and prints elsewhere. A ``;`` at the end means that the cell has no answer. ``%%sql`` is a query over the data
frames, run by DuckDB. Everything else that only IPython understands is refused: ``!…``, ``%pip``, ``%run``, other
magics, ``await`` outside of a function.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize

from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree

LEFT_OUT = frozenset({"matplotlib", "load_ext", "reload_ext", "config", "autoreload", "pylab"})
RUN = frozenset({"time", "timeit", "prun"})
RUN_CELLS = frozenset({"time", "timeit", "capture"})
SQL = "sql"
_OPTIONS = re.compile(r"\s*(-\w+\s*\d*\s+)*")
_IPYTHON = re.compile(r"^\s*(from\s+IPython\b|import\s+IPython\b)")
_HELP = re.compile(r"^\s*\?{1,2}\s*[\w.]+\s*$|^\s*[\w.]+\s*\?{1,2}\s*$")
_SHELL = re.compile(r"^\s*(\w[\w, ]*=\s*)?!")
_MAGIC = re.compile(r"^(\s*)(?:(\w[\w, ]*=)\s*)?%(\w+)(.*)$")


class Refused(Exception):
    """A line that is not run, with its number in the cell."""

    def __init__(self, line: int, text: str, hint: str = "Put it into the project, not the notebook.") -> None:
        super().__init__(f"line {line} is not run: {text.strip()[:120]}")
        self.line, self.hint = line, hint


def plain_python(source: str) -> str:
    """The cell as Python. Raises :class:`Refused` with the line that cannot be run."""
    lines = source.splitlines()
    first = next((place for place, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].lstrip().startswith("%%"):
        return _cell_magic(lines, first)
    if syntax_tree(source) is None:
        lines = _without_magics(lines)
    lines = [f"{_indent(line)}pass  # {line.strip()}" if _IPYTHON.match(line) else line for line in lines]
    code = "\n".join(lines)
    _refuse_await(code)
    silent = code.rstrip().endswith(";")
    code = _without_display(code)
    return f"{code.rstrip()}\npass" if silent else code


def _refuse_await(code: str) -> None:
    """``await`` outside of a function works in a notebook only."""
    tree = syntax_tree(code) if "await" in code or "async" in code else None
    waiting: list[ast.AST] = [tree] if tree is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith):
            hint = "Use await in a function, and asyncio.run to call it."
            raise Refused(node.lineno, code.split("\n")[node.lineno - 1], hint)
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        waiting += [] if inside else ast.iter_child_nodes(node)


def _cell_magic(lines: list[str], first: int) -> str:
    name, _, rest = lines[first].lstrip()[2:].partition(" ")
    body = (
        "\n".join(("#", *lines[first + 1 :])) if first == 0 else "\n".join([*lines[:first], "#", *lines[first + 1 :]])
    )
    if name in RUN_CELLS:
        return plain_python(body)
    if name == SQL and not rest.strip():
        query = "\n".join(lines[first + 1 :]).strip()
        return f"import duckdb\nresult = duckdb.sql({query!r}).df()"
    raise Refused(first + 1, lines[first])


def _without_magics(lines: list[str]) -> list[str]:
    done: list[str] = []
    for number, line in enumerate(lines, start=1):
        special = _SHELL.match(line) or _MAGIC.match(line) or _HELP.match(line)
        done.append(_translated(line, number) if special and not _inside("\n".join(done)) else line)
    return done


def _translated(line: str, number: int) -> str:
    if _HELP.match(line):
        return f"{_indent(line)}pass  # {line.strip()}"
    found = _MAGIC.match(line)
    if found is None or found[2]:
        raise Refused(number, line)
    indent, _, name, rest = found.groups()
    if name in LEFT_OUT:
        return f"{indent}pass  # {line.strip()}"
    if name in RUN:
        return f"{indent}{_OPTIONS.sub('', rest, count=1) or 'pass'}"
    raise Refused(number, line)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _inside(before: str) -> bool:
    """Whether a text ends within a string or a bracket, so that the next line continues it."""
    try:
        list(tokenize.generate_tokens(io.StringIO(before + "\n").readline))
    except tokenize.TokenError:
        return True
    except (IndentationError, SyntaxError):
        return False
    return False


def _without_display(code: str) -> str:
    """``display`` is known to IPython only: the last one gives the answer, the others print."""
    tree = syntax_tree(code)
    if tree is None or any(isinstance(node, ast.FunctionDef) and node.name == "display" for node in ast.walk(tree)):
        return code
    last = tree.body[-1].value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_display(node)]
    lines = [line.encode() for line in code.split("\n")]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        at = lines[call.lineno - 1]
        name = b"" if call is last and len(call.args) == 1 and not call.keywords else b"print"
        lines[call.lineno - 1] = at[: call.col_offset] + name + at[call.col_offset + len("display") :]
    return b"\n".join(lines).decode()


def _is_display(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "display"
