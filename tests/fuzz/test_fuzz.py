"""Every reader, with kept files that were changed: a result or a user's error comes out, never a traceback, in bounded
time and memory.

Here a short form with a fixed seed. ``make fuzz`` (``python -m tests.fuzz SECONDS``) goes on for longer, with another
seed each time. What it finds is kept in ``found/READER/`` and tried first.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.readers import Reader, readers
from tests.fuzz.running import FOUND, fuzz, within_bounds

READERS = {reader.name: reader for reader in readers()}
EXAMPLES = 25
KEPT = sorted(path for path in FOUND.glob("*/*") if path.is_file())


@pytest.mark.parametrize("name", READERS)
def test_kept_files_are_read(name: str, tmp_path: Path) -> None:
    """Else their changed forms would prove little."""
    reader = READERS[name]
    for seed in reader.seeds:
        reader.read(seed, tmp_path)  # which raises for a file that cannot be used


@pytest.mark.parametrize("path", KEPT, ids=[f"{path.parent.name}/{path.name}" for path in KEPT])
def test_what_once_broke_a_reader_no_longer_does(path: Path, tmp_path: Path) -> None:
    with within_bounds():
        READERS[path.parent.name].survives(path.read_bytes(), tmp_path)


@pytest.mark.parametrize("name", READERS)
def test_changed_files_give_a_result_or_a_users_error(name: str, tmp_path: Path) -> None:
    fuzz(READERS[name], tmp_path, examples=EXAMPLES)


def test_the_check_is_not_blind(tmp_path: Path) -> None:
    """A reader with a bug is found, with the smallest file that shows it."""

    def careless(data: bytes, _folder: Path) -> object:
        return [][1] if b"null" in data else None

    good = READERS["gold"]
    with pytest.raises(IndexError):
        fuzz(Reader("careless", careless, good.mutated, good.seeds), tmp_path, examples=200)
