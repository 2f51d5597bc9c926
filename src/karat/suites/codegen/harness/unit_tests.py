"""The word of tests that ran beside an answer: believed only when as many ran as there are, and the one that must fail
did."""

from __future__ import annotations

import ast
import re

import msgspec

from karat.sandbox import Outcome, Plain
from karat.suites.codegen.records import UnitTests

SAME_PROCESS = "same_process"
CANARY = re.compile(r"canary_[0-9a-f]{16}")


class Seen(msgspec.Struct, frozen=True):
    """What the process of the answer said."""

    run: int
    skipped: int
    wrong: tuple[tuple[str, str], ...]

    @property
    def failed(self) -> list[tuple[str, str]]:
        """The tests of the task that did not hold."""
        return [(name, text) for name, text in self.wrong if not CANARY.search(name)]

    @property
    def canary_failed(self) -> bool:
        return any(CANARY.search(name) and "1 != 2" in text for name, text in self.wrong)


def tests_seen(outcome: Outcome) -> Outcome:
    """The outcome, once what it says is in the right form: the process may say anything."""
    if not outcome.ok:
        return outcome
    if seen_in(outcome.result) is None:
        return msgspec.structs.replace(outcome, status="bad_message", detail="its tests are not in the right form")
    return outcome


def seen_in(result: Plain) -> Seen | None:
    """What a result says of tests; None when it says something else."""
    try:
        return msgspec.convert(result, Seen)
    except msgspec.ValidationError:
        return None


def trouble(tests: UnitTests, seen: Seen | None) -> str:
    """Why the tests do not hold, or cannot be believed; empty when all hold."""
    if seen is None:
        return "nothing is known of the tests"
    if not seen.canary_failed:
        return "a test that must fail did not: the tests were tampered with"
    if seen.run != tests.count + 1:
        return f"{seen.run - 1} tests were run, and there are {tests.count}"
    if seen.skipped:
        return f"{seen.skipped} tests were skipped"
    if seen.failed:
        name, text = seen.failed[0]
        last = text.strip().splitlines()[-1:] or [""]
        return f"{name.rpartition('.')[2]}: {last[0]}"
    return ""


def count_tests(code: str) -> int:
    """How many tests the classes of a test file have, inherited ones too."""
    classes = {node.name: node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)}
    return sum(len(_tests_of(node, classes, frozenset())) for node in classes.values() if _is_case(node, classes, 0))


def _is_case(node: ast.ClassDef, classes: dict[str, ast.ClassDef], depth: int) -> bool:
    for base in node.bases:
        name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
        if name in ("TestCase", "IsolatedAsyncioTestCase"):
            return True
        if name in classes and name != node.name and depth < 20 and _is_case(classes[name], classes, depth + 1):
            return True
    return False


def _tests_of(node: ast.ClassDef, classes: dict[str, ast.ClassDef], seen: frozenset[str]) -> set[str]:
    functions = ast.FunctionDef, ast.AsyncFunctionDef
    found = {item.name for item in node.body if isinstance(item, functions) and item.name.startswith("test")}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes and base.id not in seen:
            found |= _tests_of(classes[base.id], classes, seen | {node.name})
    return found
