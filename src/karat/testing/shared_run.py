"""One run for all workers of a pytest session: the first that comes makes it while the others wait.

The workers of pytest-xdist know a common id. They meet at a SQLite file of that name in the project's ``.karat``
folder: who holds its lock makes the run and notes its id. The lock of a worker that dies is free at once, and the next
one resumes the run.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from karat.core.files.private import make_file, make_folder
from karat.core.problems import UserError
from karat.core.results.result import RunResult

Make = Callable[[Callable[[str], None], str], RunResult]
"""(tells the id of the run when it begins, the id of a run that was begun and not finished) → its result."""
PATIENCE = 7 * 24 * 3600.0
"""Seconds to wait for another worker: as long as its run takes."""


def shared_run(session: str, project: str, name: str, make: Make) -> tuple[str, RunResult | None]:
    """(the id of the run, its result if this process made it). Without a session there is one process."""
    if not session:
        made = make(lambda _: None, "")
        return made.run.id, made
    file = _meeting_place(session, project, name)
    begun = file.with_suffix(".begun")
    with closing(sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)) as rows:
        rows.execute("BEGIN EXCLUSIVE")
        rows.execute("CREATE TABLE IF NOT EXISTS done (run TEXT, error TEXT)")
        found = rows.execute("SELECT run, error FROM done").fetchone()
        if found is not None:
            rows.execute("ROLLBACK")
            if found[1]:
                raise UserError(found[1])
            return found[0], None
        try:
            started = begun.read_text(encoding="utf-8") if begun.exists() else ""
            made = make(lambda run: _note(begun, run), started)
        except UserError as error:
            rows.execute("INSERT INTO done VALUES ('', ?)", [error.message])
            rows.execute("COMMIT")
            raise
        rows.execute("INSERT INTO done VALUES (?, '')", [made.run.id])
        rows.execute("COMMIT")
        return made.run.id, made


def _note(file: Path, run: str) -> None:
    file.write_text(run, encoding="utf-8")


def _meeting_place(session: str, project: str, name: str) -> Path:
    """A file in the project's private folder. Those of sessions long over are removed."""
    folder = Path(project).parent / ".karat" / "pytest"
    make_folder(folder)
    for old in folder.iterdir():
        with suppress(OSError):  # another worker removes it at the same moment
            if old.stat().st_mtime < time.time() - PATIENCE:
                old.unlink()
    file = folder / hashlib.sha256(f"{session}\0{name}".encode()).hexdigest()[:32]
    make_file(file)
    return file
