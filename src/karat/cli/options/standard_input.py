"""``--predictions -``: what comes through standard input, kept in a file of its own while the command runs.

Suites read files, look at their beginning and come back to single lines. So the input is written to a temporary file
first, with the same limit as for any file; in what is printed its name is "standard input". What a stored run has read
is kept with the project, so that the run can be resumed.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from karat.core.files.atomic import write_bytes
from karat.core.files.limits import FILE_MB, MIB
from karat.core.files.project_folder import find_project
from karat.core.problems import UserError
from karat.core.remote.display_names import shown as text_with_urls

NAME = "standard input"
KEPT = Path(".karat") / "inputs"
_kept: Path | None = None
_copy: Path | None = None


def predictions_path(given: Path | None) -> Path | None:
    """The path that was given; for ``-`` a file with what standard input holds."""
    if given is None or str(given) != "-":
        return given
    global _kept
    if _kept is None or not _kept.exists():
        _kept = _spool()
    return _kept


def shown(text: str) -> str:
    """A text in which the temporary file, and every copy of a remote file, has the name that a person knows it by."""
    for file in (_kept, _copy):
        text = text if file is None else text.replace(str(file), NAME)
    return text_with_urls(text)


def kept(predictions: Path) -> Path:
    """The same predictions in a file that is still there when the command has ended: a copy in ``.karat``, for standard
    input."""
    global _copy
    if predictions != _kept:
        return predictions
    if _copy is None:
        data = predictions.read_bytes()
        project = find_project()
        folder = (project.parent if project is not None else Path()) / KEPT
        _copy = (folder / hashlib.sha256(data).hexdigest()[:16] / predictions.name).absolute()
        write_bytes(_copy, data)
    return _copy


def _spool() -> Path:
    if sys.stdin is None or sys.stdin.closed:
        raise UserError("there is no standard input to read predictions from", hint="Give --predictions FILE.")
    if sys.stdin.isatty():
        sys.stderr.write("reading predictions from standard input; press Ctrl-D to end\n")
    folder = Path(tempfile.mkdtemp(prefix="karat-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file, left = folder / "predictions", FILE_MB.value * MIB
    with file.open("wb") as out:
        while data := sys.stdin.buffer.read(MIB):
            left -= len(data)
            if left < 0:
                raise UserError(f"{NAME} is larger than {FILE_MB.value:,} MiB", hint=FILE_MB.hint)
            out.write(data)
    if not file.stat().st_size:
        raise UserError(f"{NAME} is empty", hint="Pipe JSON lines into it: my-assistant | karat score --predictions -")
    return file
