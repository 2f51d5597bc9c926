"""Code that prints its answer and leaves none. The report says so: the answer may be right and only its place wrong.

Where named figures are asked for (DABench), printing them in their form is an answer.
"""

from __future__ import annotations

import ast

from karat.sandbox import Outcome, Plain
from karat.sandbox.messages.messages import NOTHING_SET
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.records import Answers, Task

REASON = "printed_not_returned"


def advice(task: Task, outcome: Outcome) -> str:
    """What to do about it."""
    what = "return it" if _is_function(task) else f"assign it to `{task.answer}`"
    return f"the answer was printed, not returned: {what}" + (f" ({cut_words(outcome)})" if outcome.stdout_cut else "")


def cut_words(outcome: Outcome) -> str:
    """That there was more output than is kept: what was printed after that counts for nothing."""
    return f"only the first {len(outcome.stdout):,} characters of the output were read"


def only_printed(outcome: Outcome, *, nothing_set: bool) -> bool:
    """Whether there is output and no answer. A function that returns nothing gives None for every call."""
    return bool(outcome.stdout.strip()) and (nothing_set or (outcome.ok and _is_nothing(outcome.result)))


def ends_in_print(task: Task, code: str, outcome: Outcome) -> bool:
    """Whether the answer is the None that ``print(…)`` as a last line gives, or the length that ``sys.stdout.write(…)``
    gives: no answer, and no result either."""
    if not outcome.ok or not outcome.stdout.strip():
        return False
    if task.template or task.answer != "result":
        return False
    tree = syntax_tree(code)
    if tree is None:
        return False
    last = tree.body[-1] if tree.body else None
    named = task.expected is not None and task.expected.named  # figures may be written anywhere
    if outcome.result is not None and (named or not (isinstance(last, ast.Expr) and _writes(last.value))):
        return False
    stored = (node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return bool(tree.body) and isinstance(tree.body[-1], ast.Expr) and "result" not in stored


def _writes(value: ast.expr) -> bool:
    called = value.func if isinstance(value, ast.Call) else None
    stream = called.value if isinstance(called, ast.Attribute) and called.attr == "write" else None
    return isinstance(stream, ast.Attribute) and stream.attr in ("stdout", "stderr")


def printed_figures(task: Task, outcome: Outcome) -> bool:
    """Whether code that left no result printed named figures, which is an answer where figures are asked for. It must
    have ended by itself."""
    named = task.expected.named if task.expected is not None else None
    ended = (outcome.status == "no_result" and outcome.detail == NOTHING_SET) or (outcome.ok and outcome.result is None)
    return ended and any(f"@{name}[" in outcome.stdout for name in named or ())


def _is_nothing(result: Plain) -> bool:
    if isinstance(result, Answers):
        return _is_nothing(result.shown)
    return result is None or (isinstance(result, list) and bool(result) and all(part is None for part in result))


def _is_function(task: Task) -> bool:
    if task.unfinished is not None and task.unfinished.function:
        return True
    return task.harness is not None and " [insert]" in task.harness.program
