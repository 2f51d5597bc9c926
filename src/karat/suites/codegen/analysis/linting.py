"""Ruff's findings in a snippet, with its pandas rules. Comments that switch rules off are ignored."""

from __future__ import annotations

import importlib
import subprocess
from functools import lru_cache

import msgspec

SELECT = "E7,F,B,PD,C4,SIM,PERF,NPY"
IGNORE = "F404,F821,F841,B018,PD002"
"""Names that the task gives are no mistakes, the last line may be a bare expression, and what is unused or done in
place is counted elsewhere."""
SECONDS = 20
GIVEN = "import pandas as pd, numpy as np\n"
"""Comes before the snippet, as in the sandbox; ruff's pandas rules look only at code that imports pandas."""
BOILERPLATE = (
    "`pandas`",
    "`numpy`",
    "`pandas as pd`",
    "`numpy as np`",
    "Redefinition of unused `pd`",
    "Redefinition of unused `np`",
)
"""Importing pandas and numpy once more, or for nothing, is no fault."""


class LintError(msgspec.Struct, frozen=True):
    """One finding."""

    line: int
    code: str
    message: str


class _Place(msgspec.Struct, frozen=True):
    row: int


class _Found(msgspec.Struct, frozen=True):
    code: str | None
    message: str
    location: _Place


@lru_cache(maxsize=1)
def ruff_command() -> str:
    """Where ruff lies; empty when it is not installed (extra ``[codegen]``)."""
    try:
        return str(importlib.import_module("ruff.__main__").find_ruff_bin())
    except (ImportError, OSError, AttributeError):
        return ""


@lru_cache(maxsize=1_024)
def lint(code: str) -> tuple[LintError, ...] | None:
    """What ruff finds; None when it is not there or gives no answer. The code goes to it as text and is not run."""
    command = ruff_command()
    if not command:
        return None
    words = [command, "check", "--isolated", "--no-cache", "--ignore-noqa", "--exit-zero", "--select", SELECT]
    words += ["--ignore", IGNORE, "--output-format", "json", "--stdin-filename", "snippet.py", "-"]
    try:
        said = subprocess.run(  # noqa: S603 (our own words)
            words, input=(GIVEN + code).encode("utf-8", "replace"), capture_output=True, timeout=SECONDS, check=True
        )
        found = msgspec.json.decode(said.stdout, type=list[_Found])
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError):
        return None
    return tuple(
        LintError(one.location.row - 1, one.code or "", one.message)
        for one in found
        if one.location.row > 1 and not one.message.startswith(BOILERPLATE)
    )
