"""Replies and traces read each other's forms: each of their modules can be imported first, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module",
    [
        *("karat.core.replies", "karat.core.replies.fences", "karat.core.replies.other_forms"),
        *("karat.core.trace.messages", "karat.core.trace.reading", "karat.core.trace.event_streams"),
        *("karat.core.trace.written_calls", "karat.core.expect.check", "karat.imports.reading"),
    ],
)
def test_a_module_that_is_imported_first(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, timeout=120)
