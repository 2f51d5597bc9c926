"""``make release-check``: are the sdist and the wheel in a folder fit to publish? Exit code 1 and a sentence if not.

The wheel is built again from the sdist and must hold the same files; it is installed into a clean environment with the
locked versions of its dependencies, and runs ``karat demo`` there in an empty folder.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NEVER = re.compile(r"(^|/)(\.venv[\w-]*|\.git|\.karat|__pycache__|site|dist)/|\.(pyc|db|env)$")
"""What must not be in an archive: environments, stores, caches, built things."""


def main() -> None:
    """All checks, one after the other; each says what it found."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("dist", type=Path, help="the folder with the archives")
    options.add_argument("--environment", type=Path, required=True, help="where to make the clean environment")
    options.add_argument("--tag", default="", help="the tag of the release; it must name the version")
    given = options.parse_args()
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    if given.tag:
        check_tag(given.tag, version)
    sdist, wheel = archives(given.dist, version)
    check_contents(sdist, wheel)
    check_rebuilt(sdist, wheel)
    check_installed(wheel, given.environment, version)
    print(f"karat {version} is fit to publish: {sdist.name}, {wheel.name}")


def check_tag(tag: str, version: str) -> None:
    """The tag names the version, and the changelog has a dated entry for it."""
    if tag != f"v{version}":
        sys.exit(f"the tag {tag} is not v{version}, the version in pyproject.toml")
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$", text, re.M):
        sys.exit(f"CHANGELOG.md has no dated entry for {version}. Write it: make news VERSION={version}")


def archives(dist: Path, version: str) -> tuple[Path, Path]:
    """The sdist and the wheel of this version, and no others."""
    found = sorted(file.name for file in dist.iterdir() if file.name.startswith("karat-"))
    wanted = [f"karat-{version}-py3-none-any.whl", f"karat-{version}.tar.gz"]
    if found != wanted:
        sys.exit(f"{dist} holds {', '.join(found) or 'no archive'}, wanted {' and '.join(wanted)}")
    return dist / wanted[1], dist / wanted[0]


def contents(archive: Path) -> dict[str, str]:
    """Name → hash of every file in an archive."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as file:
            return {name: hashlib.sha256(file.read(name)).hexdigest() for name in file.namelist()}
    found = {}
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            inside = packed.extractfile(member)
            if inside is not None:
                found[member.name.partition("/")[2]] = hashlib.sha256(inside.read()).hexdigest()
    return found


def check_contents(sdist: Path, wheel: Path) -> None:
    """Nothing of this machine is in the archives, and the licence is."""
    for archive in (sdist, wheel):
        names = contents(archive)
        stray = sorted(name for name in names if NEVER.search(name))
        if stray:
            sys.exit(f"{archive.name} holds {len(stray)} files that must not be published, such as {stray[0]}")
        if not any(name.endswith("LICENSE") for name in names):
            sys.exit(f"{archive.name} holds no LICENSE")
        print(f"{archive.name}: {len(names)} files")


def check_rebuilt(sdist: Path, wheel: Path) -> None:
    """Whoever builds from the sdist gets the same wheel."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(sdist) as packed:
            packed.extractall(folder, filter="data")
        (source,) = folder.iterdir()
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "again"],
            cwd=source,
            check=True,
            capture_output=True,
        )
        again, first = contents(folder / "again" / wheel.name), contents(wheel)
    different = sorted(name for name in again.keys() | first.keys() if again.get(name) != first.get(name))
    if different:
        sys.exit(f"the wheel built from the sdist differs in {len(different)} files, such as {different[0]}")
    print("the wheel built from the sdist is the same")


def check_installed(wheel: Path, environment: Path, version: str) -> None:
    """The wheel works in an environment with nothing but itself and what it requires. An environment that is there
    already is taken as it is: its dependencies must be in it."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "--python",
        str(environment / "bin" / "python"),
    ]
    if not environment.exists():
        venv.create(environment, symlinks=True)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
            constraints.write("\n".join(locked_versions()))
            constraints.flush()
            subprocess.run([*pip, "install", "--constraint", constraints.name, str(wheel)], check=True)
    else:
        subprocess.run([*pip, "install", "--no-deps", "--no-index", "--force-reinstall", str(wheel)], check=True)
    karat = (environment / "bin" / "karat").resolve()
    with tempfile.TemporaryDirectory() as name:
        plain = {"PATH": "/usr/bin:/bin", "HOME": name, "LANG": "C.UTF-8"}
        said = subprocess.run([karat, "--version"], cwd=name, env=plain, capture_output=True, text=True, check=True)
        if version not in said.stdout.split():
            sys.exit(f"karat --version says {said.stdout.strip()!r}, wanted {version}")
        demo = subprocess.run([karat, "demo"], cwd=name, env=plain, capture_output=True, text=True, check=False)
        if demo.returncode:
            sys.exit(f"karat demo ended with exit code {demo.returncode}:\n{demo.stdout}{demo.stderr}")
    print("karat demo works in a clean environment")


def locked_versions() -> list[str]:
    """``name==version`` of the lock file, with its markers and without hashes: a local wheel has none to check."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return [line.rstrip(" \\") for line in text.splitlines() if "==" in line and not line.startswith((" ", "#"))]


if __name__ == "__main__":
    main()
