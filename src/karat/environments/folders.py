"""Where environments lie: one folder each under the user's cache, named by what is in it.

A build works in a folder of its own beside them, which it holds a lock on, and gives it its name in the last step. So a
folder with a name is whole, and one without a lock was left by a build that was killed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import platform
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.environments.records import Locked

MARK = "karat-env.json"
STAGING = ".building-"


class Built(msgspec.Struct, frozen=True):
    """The note in the folder of an environment: what it was built from."""

    name: str
    """What the project called it that built it first."""
    locked: Locked
    built: str
    """When, in UTC."""
    by: str
    """``uv`` or ``pip``."""
    size: int
    """Bytes of its files."""


def cache_root() -> Path:
    """The folder of all environments of this user."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "karat" / "environments"


def platform_tag() -> str:
    """The system, the processor and the C library, which decide which wheels fit."""
    library, version = platform.libc_ver()
    tag = sysconfig.get_platform()
    return f"{tag}-{library}{version}" if library else tag


def key_of(locked: Locked) -> str:
    """The name of the folder: the same for the same Python, packages and platform, whatever it is called."""
    packages = [f"{one.name}=={one.version} {' '.join(sorted(one.hashes))}" for one in locked.packages]
    text = "\n".join([locked.python, locked.platform, *sorted(packages)])
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def folder_of(locked: Locked) -> Path:
    return cache_root() / key_of(locked)


def built_in(folder: Path) -> Built | None:
    """The note of a finished environment; None where there is none."""
    try:
        return msgspec.json.decode((folder / MARK).read_bytes(), type=Built)
    except (OSError, msgspec.DecodeError):
        return None


def all_built() -> list[tuple[Path, Built]]:
    """Every finished environment of this user."""
    root = cache_root()
    folders = sorted(root.iterdir()) if root.is_dir() else []
    found = [(folder, built_in(folder)) for folder in folders if not folder.name.startswith(".")]
    return [(folder, built) for folder, built in found if built is not None]


@contextmanager
def staging() -> Iterator[Path]:
    """A folder to build in, gone afterwards unless it was given a name."""
    root = cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        remove_orphans()
        folder = Path(tempfile.mkdtemp(prefix=STAGING, dir=root))
    except OSError as error:
        raise UserError(f"cannot write to {root}: {error.strerror or error}", hint="Set XDG_CACHE_HOME.") from error
    folder.chmod(0o755)  # the code runs as somebody else
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(held)
        if folder.exists():
            shutil.rmtree(folder, ignore_errors=True)


def remove_orphans() -> None:
    """What killed builds left. A build that is going on holds its lock."""
    for folder in cache_root().glob(f"{STAGING}*"):
        try:
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        else:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(held)


def give_name(folder: Path, note: Built) -> Path:
    """Make a built folder the environment. Where another build was quicker, that one stays and this one goes."""
    named = folder_of(note.locked)
    (folder / MARK).write_bytes(msgspec.json.encode(note))
    with contextlib.suppress(OSError):
        folder.rename(named)
    if built_in(named) is None:
        raise UserError(f"{named} is in the way of the new environment", hint="Remove it.")
    return named


def remove(folder: Path) -> None:
    """First out of sight, then away: a removal that is killed leaves no half of an environment under its name."""
    remove_orphans()
    doomed = folder.with_name(f"{STAGING}{folder.name}-{os.getpid()}")
    try:
        folder.rename(doomed)
    except OSError as error:
        raise UserError(f"cannot remove {folder}: {error.strerror or error}") from error
    shutil.rmtree(doomed, ignore_errors=True)


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder, links not followed."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118 (many thousands of files)
    return total
