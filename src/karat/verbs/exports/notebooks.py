"""The cases of a run as Jupyter notebooks, one file for each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core import plugins
from karat.core.problems import UserError
from karat.runs.baseline import find_run
from karat.verbs.exports.contents import Exported

if TYPE_CHECKING:
    from karat.store.store import Store

ENDING = ".ipynb"
LONGEST = 120


def export_notebooks(store: Store, run: str, folder: str) -> Iterator[tuple[str, Exported]]:
    """Each notebook with its file name in the folder."""
    result = store.result(find_run(store, run))
    suite = plugins.load_suite(result.run.suite)
    if suite.notebook is None:
        raise UserError(f"a run of the suite {suite.name} has no notebooks", hint="Use --to csv or --to xlsx.")
    taken: set[str] = set()
    for case in result.cases:
        found = suite.notebook(case)
        if found is not None:
            data = json.dumps(found, ensure_ascii=False, indent=1).encode(errors="replace") + b"\n"
            Path(folder).mkdir(parents=True, exist_ok=True)
            yield str(Path(folder) / _name(case.id, taken)), Exported(data)
    if not taken:
        raise UserError("no case of the run has a judged answer", hint="Nothing was written.")


def _name(case_id: str, taken: set[str]) -> str:
    """A file name for a case, used once. ``/`` is written ``__``, as in folders of recorded code."""
    plain = re.sub(r"[^\w.@+-]", "_", case_id.replace("/", "__"))[:LONGEST].lstrip(".") or "case"
    name, number = plain, 1
    while name.lower() in taken:
        number += 1
        name = f"{plain}-{number}"
    taken.add(name.lower())
    return name + ENDING
