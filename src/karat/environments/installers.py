"""The two ways to fill an environment: uv where it is installed, else the venv and pip of the Python itself.

Both take wheels only: building a package from source would run its code here, outside the sandbox. Both resolve first,
and then install exactly what was resolved, with the hash of every file checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from karat.core.problems import UserError
from karat.environments.lock_file import as_requirements, parsed
from karat.environments.pythons import find_python
from karat.environments.records import Environment, Locked, LockedPackage, plain_name

TIMEOUT = 3_600
MOST_SAID = 1_500
_WHEEL = re.compile(r"(?P<name>[^-]+)-(?P<version>[^-]+)(-\d[^-]*)?-[^-]+-[^-]+-[^-]+\.whl")
_SAYS_WHY = re.compile(r"^\s*(?:ERROR|error|×|╰|hint|Could not|No matching)", re.IGNORECASE)


class Source(msgspec.Struct, frozen=True):
    """Where packages come from."""

    wheels: str = ""
    offline: bool = False


class Installer(Protocol):
    """What a build needs of either."""

    name: Literal["uv", "pip"]

    def make(self, folder: Path, python: str) -> None: ...

    def resolve(self, folder: Path, packages: Sequence[str], source: Source) -> tuple[LockedPackage, ...]: ...

    def install(self, folder: Path, locked: Locked, source: Source) -> None: ...


def installer() -> Installer:
    """uv when present."""
    found = shutil.which("uv")
    return Uv(found) if found else Pip()


class Pip:
    """``python -m venv``, and the pip that comes with it."""

    name: Literal["uv", "pip"] = "pip"

    def make(self, folder: Path, python: str) -> None:
        command = find_python(python)
        if not command:
            hint = f"Install Python {python}, or uv, which fetches one; or leave python out to use Karat's own."
            raise UserError(f"there is no Python {python} on this machine", hint=hint)
        hint = "On Debian and Ubuntu, install python3-venv; or install uv."
        _run([command, "-m", "venv", str(folder)], "make an environment", hint=hint)

    def resolve(self, folder: Path, packages: Sequence[str], source: Source) -> tuple[LockedPackage, ...]:
        """Download what fits, and write down the name, the version and the hash of each file."""
        store = folder / "karat-wheels"
        words = ["download", "--quiet", "--only-binary", ":all:", "--dest", str(store), *self._from(source), "--"]
        self._pip(folder, [*words, *packages], "resolve the packages", source)
        return tuple(sorted((_locked(file) for file in store.iterdir()), key=lambda one: one.name))

    def install(self, folder: Path, locked: Locked, source: Source) -> None:
        store = folder / "karat-wheels"
        wanted = folder / "karat-requirements.txt"
        wanted.write_text(as_requirements(locked), encoding="utf-8")
        here = ["--no-index", "--find-links", str(store)] if store.is_dir() else self._from(source)
        words = ["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-compile"]
        if locked.packages:
            self._pip(folder, [*words, *here, "--requirement", str(wanted)], "install the packages", source)
        _remove_pip(folder, {plain_name(one.name) for one in locked.packages})
        shutil.rmtree(store, ignore_errors=True)
        wanted.unlink()

    def _from(self, source: Source) -> list[str]:
        words = ["--find-links", source.wheels] if source.wheels else []
        return ["--no-index", *words] if source.offline else words

    def _pip(self, folder: Path, words: Sequence[str], what: str, source: Source) -> None:
        command = [str(folder / "bin" / "python"), "-m", "pip", "--no-input", "--disable-pip-version-check", *words]
        _run(command, what, clean="PIP_" if source.offline else "")


class Uv:
    """uv, which also finds or fetches the wanted Python."""

    name: Literal["uv", "pip"] = "uv"

    def __init__(self, command: str) -> None:
        self._command = command

    def make(self, folder: Path, python: str) -> None:
        wanted = ["--python", python] if python else ["--python", find_python("")]
        words = ["venv", "--quiet", "--allow-existing", "--no-project", *wanted, str(folder)]
        _run([self._command, *words], "make an environment")

    def resolve(self, folder: Path, packages: Sequence[str], source: Source) -> tuple[LockedPackage, ...]:
        asked = folder / "karat-asked.txt"
        asked.write_text("\n".join(packages) + "\n", encoding="utf-8")
        words = ["pip", "compile", "--quiet", "--generate-hashes", "--no-header", "--no-annotate"]
        words += ["--only-binary", ":all:", *self._from(folder, source), str(asked)]
        said = _run([self._command, *words], "resolve the packages", clean="UV_" if source.offline else "")
        asked.unlink()
        return parsed(said, "the output of uv")

    def install(self, folder: Path, locked: Locked, source: Source) -> None:
        wanted = folder / "karat-requirements.txt"
        wanted.write_text(as_requirements(locked), encoding="utf-8")
        words = ["pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
        words += ["--link-mode", "copy", *self._from(folder, source), "--requirement", str(wanted)]
        if locked.packages:
            _run([self._command, *words], "install the packages", clean="UV_" if source.offline else "")
        wanted.unlink()

    def _from(self, folder: Path, source: Source) -> list[str]:
        words = ["--python", str(folder / "bin" / "python")]
        words += ["--find-links", source.wheels] if source.wheels else []
        return [*words, "--offline", "--no-index", "--no-config"] if source.offline else words


def _remove_pip(folder: Path, listed: Collection[str]) -> None:
    """What a new venv brings along, unless it was asked for. Without pip's own help: from here on Python would run what
    the packages put into the environment's start (``.pth`` files), and this is not the sandbox."""
    for name, more in _BROUGHT.items():
        if name not in listed:
            for pattern in (name, f"{name}-*.dist-info", *more):
                for place in folder.glob(f"lib/python*/site-packages/{pattern}"):
                    shutil.rmtree(place) if place.is_dir() else place.unlink()


_BROUGHT = {"pip": (), "setuptools": ("pkg_resources", "_distutils_hack", "distutils-precedence.pth")}


def compile_files(folder: Path, final: Path) -> None:
    """Byte code once, here: the sandbox cannot write it, and would compile at every start. A file that cannot be
    compiled is left as it is. No start-up code of a package runs (``-S``)."""
    words = [str(folder / "bin" / "python"), "-I", "-S", "-m", "compileall", "-q", "-q", "-x", "/tests?/"]
    with contextlib.suppress(UserError):
        _run([*words, "-s", str(folder), "-p", str(final), str(folder / "lib")], "compile the packages")


def source_of(environment: Environment, *, offline: bool) -> Source:
    """Where the packages of an environment come from; UserError when that is nowhere."""
    if environment.wheels and not Path(environment.wheels).is_dir():
        raise UserError(f'"wheels" names {environment.wheels}, which is not a folder')
    if offline and not environment.wheels:
        raise UserError(
            "--offline needs a folder of wheels, and this environment names none",
            hint='Add wheels: FOLDER to it in karat.yaml. "pip download --dest FOLDER PACKAGES" fills one.',
        )
    return Source(environment.wheels, offline)


def _locked(file: Path) -> LockedPackage:
    found = _WHEEL.fullmatch(file.name)
    if found is None:
        raise UserError(f"{file.name} is not a wheel")
    with file.open("rb") as data:
        digest = hashlib.file_digest(data, "sha256").hexdigest()
    return LockedPackage(plain_name(found["name"]), found["version"].replace("_", "-"), (f"sha256:{digest}",))


def _run(words: Sequence[str], what: str, *, hint: str = "", clean: str = "") -> str:
    """Run an installer. With ``clean``, without its variables and its settings files: nothing but what was said."""
    variables = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("PYTHON") and not (clean and key.startswith(clean)) and key != "VIRTUAL_ENV"
    }
    if clean == "PIP_":
        variables["PIP_CONFIG_FILE"] = os.devnull
    variables["PYTHONDONTWRITEBYTECODE"] = "1"
    try:
        ended = subprocess.run(  # noqa: S603 (an installer of this machine)
            list(words), capture_output=True, text=True, errors="replace", env=variables, timeout=TIMEOUT,
            umask=0o022, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"could not {what}: {type(error).__name__}: {error}", hint=hint) from error
    if ended.returncode:
        raise UserError(f"could not {what}: {_reason(ended.stderr or ended.stdout)}", hint=hint)
    return ended.stdout


def _reason(said: str) -> str:
    """The lines of an installer that say why, without the addresses that it tried."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if _SAYS_WHY.match(line)] or lines[-3:]
    text = re.sub(r"[a-z+]+://\S+", "…", " ".join(dict.fromkeys(telling)))
    return text[:MOST_SAID] or "the installer said nothing"
