"""``karat cases edit``: one case in an editor, checked on save.

The editor gets the text of the case alone, where its file allows that, in a file of its own under ``.karat/edits``. The
case file changes only when the new text is good, and then only in that place. A text that is not good stays where it is
until it is fixed or dropped, also when Karat is stopped.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import msgspec

from karat.core.case_files.case_text import CaseText, case_text
from karat.core.files.atomic import write_bytes
from karat.core.files.limits import FILE_MB
from karat.core.files.project_folder import find_project
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, UserError
from karat.core.records import Where
from karat.verbs.cases.listing import FoundCase
from karat.verbs.cases.try_change import Tried, try_files

FOLDER = Path(".karat") / "edits"


class Editing(msgspec.Struct, frozen=True):
    """A case that is being edited: the case file, the piece of it, and the file that the editor has."""

    found: FoundCase
    file: Path
    piece: CaseText
    draft: Path
    taken_up: bool = False
    """The text of an earlier edit was still there."""
    outdated: bool = False
    """The case in its file is not the one that the earlier edit began with."""

    @property
    def line(self) -> int:
        """The line to begin at."""
        return self.found.case.source.line if self.piece.form == "file" else 1


class Edited(msgspec.Struct, frozen=True):
    """What came of an edit: unchanged, good (then it is written), or the mistakes in it."""

    changed: bool
    problems: tuple[Problem, ...] = ()
    written: bool = False


def begin(found: FoundCase) -> Editing:
    """Cut the case out of its file. An earlier text that was not good is taken up again."""
    where = found.case.source
    file = Path(where.file)
    if not file.is_file():
        raise UserError(f'the case "{found.case.id}" is not in a file that can be edited ({where.file})')
    piece = _piece(file, where)
    name = re.sub(r"[^\w.-]", "_", found.case.id)[:100]
    draft = _folder() / f"{found.work.suite.name}-{name}{piece.ending or ''.join(file.suffixes)}"
    taken_up = draft.is_file()
    base = _base(draft)
    outdated = taken_up and base.is_file() and base.read_bytes() != piece.text.encode()
    if not taken_up:
        write_bytes(base, piece.text.encode())
        write_bytes(draft, piece.text.encode())
    return Editing(found, file, piece, draft, taken_up, outdated)


def _base(draft: Path) -> Path:
    """Where the text is kept that an edit began with."""
    return draft.with_name(f".{draft.name}.before")


def _remove(draft: Path) -> None:
    draft.unlink(missing_ok=True)
    _base(draft).unlink(missing_ok=True)


def _folder() -> Path:
    project = find_project()
    return (project.parent if project else Path.cwd()) / FOLDER


def _piece(file: Path, where: Where) -> CaseText:
    try:
        return case_text(read_bytes(file, FILE_MB), where)
    except UnicodeDecodeError:
        raise UserError(f"{file} is not UTF-8 text", hint="Save it as UTF-8.") from None
    except ValueError as error:
        raise UserError(f"{file} cannot be edited: {error}") from None


def finish(editing: Editing) -> Edited:
    """Check what the editor has left, and write it into the case file where it is good."""
    text = read_bytes(editing.draft, FILE_MB).decode("utf-8", "replace").replace("\r\n", "\n")
    if _same(text, editing.piece.text):
        _remove(editing.draft)
        return Edited(changed=False)
    if "\ufffd" in text and "\ufffd" not in editing.piece.text:
        return Edited(changed=True, problems=(Problem("not UTF-8 text", file=str(editing.draft)),))
    piece = _piece(editing.file, editing.found.case.source)
    if piece != editing.piece:
        message = "the case file was changed by somebody else meanwhile, so the edit was not written"
        hint = f"Your text is in {editing.draft}. Run the command again: it takes the text up."
        return Edited(changed=True, problems=(Problem(message, file=str(editing.file), hint=hint),))
    try:
        content = piece.with_text(text)
    except UserError as error:
        return Edited(changed=True, problems=(Problem(error.message, file=str(editing.draft), hint=error.hint),))
    tried = try_files(editing.found.work, {editing.file: content})
    problems = (*_lost(editing, tried), *(_in_draft(problem, editing) for problem in tried.problems))
    if any(problem.severity == "error" for problem in problems):
        return Edited(changed=True, problems=problems)
    write_bytes(editing.file.resolve() if editing.file.is_symlink() else editing.file, content)
    _remove(editing.draft)
    return Edited(changed=True, problems=problems, written=True)


def drop(editing: Editing) -> None:
    """Give the edited text up."""
    _remove(editing.draft)


def _same(text: str, other: str) -> bool:
    return text == other or text.rstrip("\n") == other.rstrip("\n")


def _lost(editing: Editing, tried: Tried) -> tuple[Problem, ...]:
    """Cases that would be gone although their own text was not edited: a piece that swallows what follows it."""
    if editing.piece.form == "file":
        return ()
    from karat.verbs.cases.listing import loaded

    before = {case.id for case in loaded(editing.found.work).cases} - {editing.found.case.id}
    gone = before - {case.id for case in tried.loaded.cases}
    if gone and not any(problem.severity == "error" for problem in tried.problems):
        return (Problem(f'the edit would remove other cases, such as "{min(gone)}"', file=str(editing.draft)),)
    return ()


def _in_draft(problem: Problem, editing: Editing) -> Problem:
    """The problem at its place in the text that was edited, where it is in there."""
    piece = editing.piece
    if piece.form == "file":
        return msgspec.structs.replace(problem, file=str(editing.draft))
    first = piece.before.count("\n")
    lines = read_bytes(editing.draft, FILE_MB).count(b"\n") + 1
    inside = 0 < problem.line - first <= lines and Path(problem.file or "x").resolve() == editing.file.resolve()
    if not inside or piece.form == "line":
        return msgspec.structs.replace(problem, shown=False)  # the file does not hold the text yet
    column = max(problem.column - len(piece.indent), 1) if problem.column else 0
    return msgspec.structs.replace(problem, file=str(editing.draft), line=problem.line - first, column=column)


def run_editor(file: Path, line: int = 1) -> None:
    """Open a file in the person's editor and wait until it is closed."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    if not command:
        hint = 'Set it, for example: export EDITOR=nano, or export EDITOR="code --wait".'
        raise UserError("neither VISUAL nor EDITOR names an editor", hint=hint)
    words = shlex.split(command)
    at = [f"+{line}"] if line > 1 and Path(words[0]).name in ("vi", "vim", "nvim", "nano", "emacs", "micro") else []
    try:
        code = subprocess.run([*words, *at, str(file)], check=False).returncode  # noqa: S603 (the user's own editor)
    except OSError as error:
        raise UserError(f'the editor "{command}" cannot be started: {error.strerror}') from error
    if code:
        raise UserError(f'the editor "{command}" ended with exit code {code}; nothing was written')
