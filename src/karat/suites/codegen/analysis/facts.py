"""What code does on the way to its result: the facts that can be reached from the value it leaves.

    analyse("result = df[df.age > 30].salary.mean()", schema)

gives columns ``age`` and ``salary``, the filter ``age > 30`` and the aggregation ``mean`` of ``salary``. Given tables
are available by their names, and as ``df`` when there is one. The result is what is left in ``answer``; when that name
is never set, the last expression.

Any text is taken: what cannot be parsed, or unfolds beyond all measure, is reported as ``syntax_error`` with its line,
and gives no facts.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

import msgspec

from karat.suites.codegen.analysis.pandas_api.functions import SILENT
from karat.suites.codegen.analysis.reader.collected import collected, reached_from
from karat.suites.codegen.analysis.reader.expressions import EXPRESSIONS
from karat.suites.codegen.analysis.reader.function_calls.functions import apply
from karat.suites.codegen.analysis.reader.state import ExhaustedError, State
from karat.suites.codegen.analysis.reader.statements import block
from karat.suites.codegen.analysis.reader.values import Node, Value, reach
from karat.suites.codegen.analysis.records import CodeFacts
from karat.suites.codegen.records import Schema

LONGEST = 200_000
"""Characters of code that are read."""


def analyse(code: str, schema: Schema, answer: str = "result") -> CodeFacts:
    """The facts of a piece of code. Never raises, whatever the text: one strange answer must not end a run of
    thousands."""
    try:
        return read(code, schema, answer)
    except Exception as error:
        return _unreadable(f"cannot be analysed ({type(error).__name__})", 1)


def read(code: str, schema: Schema, answer: str = "result") -> CodeFacts:
    """As ``analyse``, but a fault of the analysis itself shows."""
    if len(code) > LONGEST:
        return _unreadable(f"longer than {LONGEST:,} characters", 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in generated code is nobody's warning here
            tree = ast.parse(code)
        return _read(tree, schema, answer)
    except SyntaxError as error:
        return _unreadable(error.msg, error.lineno or 1)
    except ValueError as error:
        return _unreadable(str(error).partition(":")[0], 1)  # null bytes, lone surrogates
    except (RecursionError, MemoryError):
        return _unreadable("nested too deeply to be read", 1)
    except ExhaustedError:
        return _unreadable("expands into too much to be read", 1)


def _unreadable(what: str, line: int) -> CodeFacts:
    return CodeFacts(syntax_error=f"line {line}: {what}", error_line=line)


def _read(tree: ast.Module, schema: Schema, answer: str) -> CodeFacts:
    state = State(schema, EXPRESSIONS, apply, block)
    names = state.scope.names
    for name in schema.tables:
        names[name] = state.table(name)
    if len(schema.tables) == 1:
        names.setdefault("df", names[next(iter(schema.tables))])
    for name in ("pd", "np"):
        names.setdefault(name, Value("name", state.node(()), name=name))
    given = dict(names)
    before = given[answer].node if answer in given else None
    tree = _with_printed(tree, answer)
    last = tree.body[-1] if tree.body else None
    final = last.value if isinstance(last, ast.Expr) else None
    ended = block(state, tree.body[:-1] if final is not None else tree.body)
    shown, written = None, len(state.written)
    if final is not None and not ended:
        state.line = final.lineno
        shown = state.evaluate(final)
    writes = final is None or len(state.written) > written
    result = state.scope.find(answer)
    untouched = result is not None and result.node is before and (result.shared is None or result.shared.node is None)
    if result is None or (untouched and not (result.shared is not None and result.shared.made)):
        result = state.returned[-1] if state.returned else shown
        if writes and not state.returned:  # code that sets no answer and ends with files: they are its answer
            state.hidden += state.written
    ends = [*([_held(result)] if result is not None else []), *state.hidden]
    reached = reached_from(Node(ends)) if ends else []
    return _with_dead_code(collected(reached, schema), state, tree, reached)


def _held(result: Value) -> Node:
    """The node of a result: of a list of rows, also that of the columns its rows have."""
    node = reach(result, 0)
    element = result.shared.element if result.shared is not None and result.kind == "list" else None
    return node if element is None else Node((node, reach(element, 0)), (), 0)


def _with_printed(tree: ast.Module, answer: str) -> ast.Module:
    """Code that sets no answer and prints: what it prints is taken for its last expression, so that there is something
    to look at."""
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    printed = [statement for statement in tree.body if _prints(statement)]
    if answer in stored or not printed or not _prints(tree.body[-1]):
        return tree
    shown = [
        argument
        for statement in printed
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        for argument in statement.value.args
    ]
    last = tree.body[-1]
    value = shown[0] if len(shown) == 1 else ast.Tuple(shown, ast.Load())
    final = ast.copy_location(ast.Expr(ast.copy_location(value, last)), last)
    rest = [statement for statement in tree.body if statement not in printed]
    return ast.Module([*rest, final], [])


def _prints(statement: ast.stmt) -> bool:
    """Whether it is ``print(…)`` or ``display(…)`` of something."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("print", "display")
        and bool(call.args)
    )


def _with_dead_code(facts: CodeFacts, state: State, tree: ast.Module, reached: list[Node]) -> CodeFacts:
    lines = {node.line for node in reached}
    read = {(node.name, node.line) for node in reached if node.name}
    unused = dict.fromkeys((node.name, node.line) for node in state.bindings if not node.name.startswith("_"))
    return msgspec.structs.replace(
        facts,
        dead_lines=tuple(sorted(set(_dead(tree.body, lines)))),
        unused_names=tuple(sorted((one for one in unused if one not in read), key=lambda one: (one[1], one[0]))),
    )


# -- statements that do not reach the result
# ----------------------------------------------------------------------------

_NEVER_DEAD = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal, ast.Assert, ast.Break, ast.Continue)
_HOLDERS = (ast.Try, ast.TryStar, ast.ClassDef)


def _dead(statements: list[ast.stmt], lines: set[int]) -> Iterator[int]:
    """Lines of dead statements. Imports, output such as ``print`` and the result's own name at the end are no code that
    was meant to count."""
    for statement in statements:
        inner = [part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.stmt)]
        held = [
            part for part in ast.iter_child_nodes(statement) if isinstance(part, ast.ExceptHandler | ast.match_case)
        ]
        bodies = inner + [part for one in held for part in one.body]
        end = min((part.lineno for part in bodies), default=0) - 1
        span = range(statement.lineno, max(end, statement.lineno) + 1) if bodies else _span(statement)
        if (
            not isinstance(statement, (*_NEVER_DEAD, *_HOLDERS))
            and not _only_shows(statement)
            and not lines & set(span)
        ):
            yield statement.lineno
        yield from _dead(bodies, lines)


def _span(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _only_shows(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return name in SILENT
    return isinstance(value, ast.Name | ast.Constant)
