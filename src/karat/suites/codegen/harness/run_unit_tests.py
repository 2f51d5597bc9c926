"""Tests of a function, in the process of the function itself. Runs in the sandbox, beside the answer.

The answer can change anything here, the tests too. So one more test, which must fail, is run among them under a name
that it cannot know before; the host counts what was run and looks for that failure. What the tests compare goes through
``fair_tests``.
"""

from __future__ import annotations

import io
import linecache
import sys
import types
import unittest
from collections.abc import Callable
from typing import Any  # Any: compiled tests and the function they call

FILE = "<snippet>"
NAME = "__test__"
"""The name of the module, as the set's own runner has it: what a file does when it is run itself does not happen."""


def tested(code: str, tests: str, canary: str, fair: Callable[[str, str, str], Any]) -> dict[str, object]:
    """How many tests ran, and the names and first words of those that did not pass."""
    held = f"held_{canary}"
    compiled, held_function = fair(tests, f"<tests {canary}>", held)
    linecache.cache[FILE] = (len(code), None, code.splitlines(keepends=True), FILE)
    module = types.ModuleType(NAME)
    names = module.__dict__
    sys.modules["__main__"] = sys.modules[NAME] = module
    exec(compile(code, FILE, "exec"), names)  # noqa: S102 (what a sandbox is for)
    names[held] = held_function
    exec(compiled, names)  # noqa: S102 (the task's own)
    found = [kind for kind in list(names.values()) if isinstance(kind, type) and issubclass(kind, unittest.TestCase)]
    found = [kind for kind in dict.fromkeys(found) if kind.__module__ == NAME]

    def fails(self: unittest.TestCase) -> None:
        self.assertEqual(1, 2)

    found.append(type(canary, (unittest.TestCase,), {"test_" + canary: fails}))
    loader = unittest.TestLoader()
    suite = unittest.TestSuite([loader.loadTestsFromTestCase(kind) for kind in found])
    result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
    wrong = [(str(case.id()), str(text)) for case, text in [*result.failures, *result.errors]]
    wrong += [(str(case.id()), "it passed, and should have failed") for case in result.unexpectedSuccesses]
    return {
        "result": {
            "run": result.testsRun,
            "skipped": len(result.skipped),
            "wrong": [[name[:200], text[-500:]] for name, text in wrong[:200]],
        }
    }
