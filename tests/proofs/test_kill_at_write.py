"""A run that is killed at a write loses nothing that was said to be stored, and ends as if it had not been killed.

Every moment is tried by ``make proofs``; here some of them, others for each suite.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

EVERY = os.environ.get("KARAT_PROOFS") == "1"


@pytest.mark.parametrize(("suite", "step", "first"), [("data_query", 4, 2), ("codegen", 30, 22)])
@pytest.mark.timeout(1800)
def test_killed_at_a_write(tmp_path: Path, suite: str, step: int, first: int) -> None:
    step, first = (1, 1) if EVERY else (step, first)
    command = [sys.executable, "-m", "tests.proofs.kill_at_write", suite, str(tmp_path), str(step), str(first)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1700)
    assert done.returncode == 0, done.stdout + done.stderr
    *wrong, last = done.stdout.strip().split("\n")
    assert not wrong, "\n".join(wrong)
    tried, _, moments = last.partition(" of ")
    assert int(moments) > 30 and int(tried) >= int(moments) // step - 4
