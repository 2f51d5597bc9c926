"""The contract's own example, read from where it is printed."""

from __future__ import annotations

import re
from pathlib import Path


def contract_example(shared: Path) -> str:
    """The first block of code of the contract."""
    page = (shared / "seeds" / "retrieval-evaluation-tables.md").read_text(encoding="utf-8")
    found = re.search(r"Example:\n```\n(.*?)```", page, re.DOTALL)
    assert found is not None
    return found[1]
