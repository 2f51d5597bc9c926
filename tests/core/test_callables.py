"""A function that is named ``module:callable``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ASK = "from karat.core.callables import find_function; print(find_function('counted_docs:ask')())"


def test_an_edit_within_the_same_second_is_seen(tmp_path: Path) -> None:
    """A text of the same length, with the same time: a compiled file of the first would be taken for current."""
    module = tmp_path / "counted_docs.py"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    said = []
    for number in (2, 1):
        module.write_text(f"def ask():\n    return {number}\n", encoding="utf-8")
        os.utime(module, (1_700_000_000, 1_700_000_000))
        done = subprocess.run(
            [sys.executable, "-c", ASK], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        said.append(done.stdout.strip())
    assert said == ["2", "1"]
