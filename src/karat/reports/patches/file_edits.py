"""Case files as they will be: copies in a folder of their own, made when first asked for, so that one change sees the
ones before it."""

from __future__ import annotations

from pathlib import Path

from karat.core.case_files.case_checks import Edit
from karat.core.problems import UserError

UNPACKED = " (unpacked)"
"""What a loader writes after the name of a compressed file."""


class ChangedFiles:
    """Copies of files below ``base``, in ``folder``. The files themselves are never written."""

    def __init__(self, base: Path, folder: Path) -> None:
        self._base = base
        self._folder = folder
        self._copied: dict[Path, bytes | None] = {}
        """Path below the base → what the file held; None: there was none."""

    def copy_of(self, file: Path) -> Path:
        """The copy of a case file. UserError where its change could not be said in a patch."""
        inside = self._inside(file, self._base)
        copy = self._folder / inside
        if inside not in self._copied:
            data = text_of(file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(data)
            self._copied[inside] = data
        return copy

    def write(self, edits: tuple[Edit, ...]) -> None:
        """Make these edits in the copies. A file that is new must not be there yet."""
        for edit in edits:
            inside = self._inside(edit.file, self._folder)
            if inside not in self._copied:
                if (self._base / inside).exists():
                    raise ValueError(f"{inside} already exists")
                self._copied[inside] = None
            edit.file.parent.mkdir(parents=True, exist_ok=True)
            edit.file.write_bytes(edit.content)

    def changes(self) -> list[tuple[Path, bytes | None, bytes]]:
        """(path below the base, what it held, what it holds now) of every file that differs, by name."""
        found = []
        for inside, old in sorted(self._copied.items()):
            copy = self._folder / inside
            new = copy.read_bytes() if copy.is_file() else None
            if new is not None and new != old:
                found.append((inside, old, new))
        return found

    def held(self) -> dict[Path, bytes | None]:
        """What every copy holds now, to go back to."""
        return {name: (self._folder / name).read_bytes() for name in self._copied if (self._folder / name).is_file()}

    def go_back(self, held: dict[Path, bytes | None]) -> None:
        """Undo what was written since."""
        for inside in list(self._copied):
            before = held.get(inside, self._copied[inside])
            if before is None:
                (self._folder / inside).unlink(missing_ok=True)
                del self._copied[inside]
            else:
                (self._folder / inside).write_bytes(before)

    @staticmethod
    def _inside(file: Path, folder: Path) -> Path:
        return file.absolute().relative_to(folder.absolute())


def text_of(file: Path) -> bytes:
    """The bytes of a text file. UserError where it is not text: a patch cannot describe a change of it."""
    if file.is_symlink():
        raise UserError(f"{file.name} is a link to another file, which a patch would not change")
    if file.name.endswith(UNPACKED):
        raise UserError(f"{file.name.removesuffix(UNPACKED)} is compressed, so a patch cannot change it")
    try:
        data = file.read_bytes()
        data.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{file.name} is not UTF-8 text, so it is not changed", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise UserError(f"{file.name} cannot be read: {error.strerror}") from error
    if b"\0" in data:
        raise UserError(f"{file.name} is not a text file, so it is not changed")
    return data
