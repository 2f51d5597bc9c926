"""Environments: what a project may say, what is locked, and that a build is whole or nothing."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.environments import Environment, Locked, LockedPackage, python_of
from karat.environments.build import build
from karat.environments.folders import STAGING, all_built, cache_root, key_of, staging
from karat.environments.lock_file import as_requirements, locked_in, parsed, write_locked
from karat.verbs.inputs.loading import options_for
from karat.verbs.inputs.work import work_to_do
from karat.verbs.setup.environments import build_environments, list_environments, remove_environment
from tests.environments.wheels import make_wheel

HASH = "sha256:" + "0" * 64


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "needs packages"),
        ({"path": "a", "packages": ("b",)}, "used as it is"),
        ({"packages": ("-r other.txt",)}, "not a requirement"),
        ({"packages": ("--index-url=x",)}, "not a requirement"),
        ({"packages": ("pandas @ https://example.org/p.whl",)}, "not a requirement"),
        ({"packages": ("pandas\n--pre",)}, "not a requirement"),
        ({"packages": ("a",), "python": "three"}, "version"),
        ({"packages": ("a",), "idle": 0.0}, "idle"),
    ],
)
def test_what_cannot_be_asked_for(given: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Environment(**given)  # type: ignore[arg-type]  # what a file may hold


@pytest.mark.parametrize("one", ["pandas==1.5.3", "a[b,c] >= 1, <2", "x ; python_version < '3.12'", "scikit-learn"])
def test_usual_requirements_are_taken(one: str) -> None:
    assert Environment(packages=(one,)).packages == (one,)


def test_the_key_depends_on_python_packages_hashes_and_platform_alone() -> None:
    package = LockedPackage("a", "1", (HASH,))
    one = Locked("3.11", "linux", ("a",), (package,))
    assert key_of(one) == key_of(msgspec.structs.replace(one, asked=("a==1",)))
    others = [
        msgspec.structs.replace(one, python="3.12"),
        msgspec.structs.replace(one, platform="mac"),
        msgspec.structs.replace(one, packages=(LockedPackage("a", "2", (HASH,)),)),
        msgspec.structs.replace(one, packages=(LockedPackage("a", "1", (HASH[:-1] + "1",)),)),
    ]
    assert len({key_of(one), *map(key_of, others)}) == 5


def test_the_lock_keeps_what_others_wrote(tmp_path: Path) -> None:
    environment = Environment(packages=("A==1",)).placed(tmp_path)
    one = Locked("3.11", "linux", ("a==1",), (LockedPackage("a", "1", (HASH,)),))
    other = msgspec.structs.replace(one, platform="mac")
    write_locked("x", environment, one)
    write_locked("x", environment, other)
    write_locked("y", environment, one)
    assert locked_in("x", environment, "3.11", "linux") == one
    assert locked_in("x", environment, "3.11", "mac") == other
    assert locked_in("y", environment, "3.11", "linux") == one
    changed = Environment(packages=("a==2",)).placed(tmp_path)
    assert locked_in("x", changed, "3.11", "linux") is None


def test_a_lock_in_pips_form_is_read_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "science.lock"
    numpy = f"Num_Py==1.26.4 \\\n    --hash={HASH} \\\n    --hash={HASH[:-1]}1\n"
    text = f"# made by uv\n{numpy}b==2 ; x == 'y' --hash={HASH}\n"
    file.write_text(text)
    environment = Environment(packages=("numpy",), lock="science.lock").placed(tmp_path)
    locked = locked_in("x", environment, "3.11", "linux")
    assert locked is not None
    found = [(one.name, one.version, len(one.hashes)) for one in locked.packages]
    assert found == [("b", "2", 1), ("num-py", "1.26.4", 2)]
    write_locked("x", environment, locked)
    assert file.read_text() == text
    assert parsed(as_requirements(locked), "") == locked.packages
    with pytest.raises(UserError) as told:
        parsed("a==1\nb\n", "f.lock")
    assert [(problem.file, problem.line) for problem in told.value.problems] == [("f.lock", 1), ("f.lock", 2)]


def _project(tmp_path: Path, version: str = "1.0") -> Path:
    make_wheel(tmp_path / "wheels", "tiny", version, {"tiny.py": f"VERSION = {version!r}\n"}, requires="other>=1")
    make_wheel(tmp_path / "wheels", "other", "3.2", {"other.py": "", "start.pth": "import no_such_module_here\n"})
    config = tmp_path / "karat.yaml"
    config.write_text("environments:\n  mine: {packages: [tiny], wheels: wheels}\n")
    return config


def test_a_build_is_made_once_locked_and_checked(tmp_path: Path) -> None:
    config = _project(tmp_path)
    environment = Environment(packages=("tiny",), wheels="wheels").placed(tmp_path)
    with pytest.raises(UserError, match="not built") as told:
        python_of("mine", {"mine": environment})
    assert told.value.hint == "Build it: karat env build mine"
    [made] = build_environments("mine", offline=True, config=config)
    assert made.new
    assert [(one.name, one.version) for one in made.built.locked.packages] == [("other", "3.2"), ("tiny", "1.0")]
    python = python_of("mine", {"mine": environment})
    said = subprocess.run([python, "-I", "-c", "import tiny; print(tiny.VERSION)"], capture_output=True, text=True)
    assert said.stdout == "1.0\n"
    assert not list(made.folder.glob("lib/python*/site-packages/pip*"))
    assert not build_environments(offline=True, config=config)[0].new
    assert [row.state for row in list_environments(config)] == ["built"]

    remove_environment("mine", config)
    assert [row.state for row in list_environments(config)] == ["not built"]
    make_wheel(tmp_path / "wheels", "tiny", "1.0", {"tiny.py": "VERSION = 'forged'\n"}, requires="other>=1")
    with pytest.raises(UserError, match=r"(?i)hash"):
        build("mine", environment, offline=True)
    assert list(cache_root().iterdir()) == []  # nothing half


def test_what_a_killed_build_left_is_removed_and_a_running_one_is_not() -> None:
    root = cache_root()
    (root / f"{STAGING}dead" / "lib").mkdir(parents=True)
    alive = root / f"{STAGING}alive"
    alive.mkdir()
    held = os.open(alive, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with staging() as folder:
        assert {place.name for place in root.iterdir()} == {alive.name, folder.name}
    os.close(held)
    assert all_built() == []
    assert not folder.exists()


def test_offline_needs_wheels_and_a_package_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="folder of wheels"):
        build("x", Environment(packages=("a",)).placed(tmp_path), offline=True)
    with pytest.raises(UserError, match="used as it is"):
        build("x", Environment(path="a").placed(tmp_path))
    with pytest.raises(UserError, match=r'the environment "x".*not a folder'):
        build("x", Environment(packages=("a",), wheels="none").placed(tmp_path), offline=True)
    make_wheel(tmp_path / "wheels", "other", "1.0", {"other.py": ""})
    with pytest.raises(UserError, match=r'the environment "x": could not resolve the packages.*no_such'):
        build("x", Environment(packages=("no_such",), wheels="wheels").placed(tmp_path), offline=True)


def test_a_name_that_is_nowhere_has_the_nearest(tmp_path: Path) -> None:
    known = {"pandas15": Environment(path=str(tmp_path))}
    with pytest.raises(UserError) as told:
        python_of("pandas16", known)
    assert "pandas15" in told.value.hint
    with pytest.raises(UserError, match="no Python"):
        python_of("pandas15", known)


@pytest.mark.parametrize("suite", ["codegen", "data_query"])
def test_a_project_file_with_a_mistake_stops_the_suite_that_takes_its_environments(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them the answers would run on another Python, and nothing would say so."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karat.yaml").write_text("environments:\n  old: {packges: [pandas==1.5.3]}\n")

    def work() -> list[str]:
        found = work_to_do("score", config=None, suite=suite, cases=tmp_path, predictions=tmp_path)
        return [each.suite.name for each in found]

    if suite == "codegen":
        with pytest.raises(UserError) as told:
            work()
        assert "packges" in str([told.value, *told.value.problems])
        with pytest.raises(UserError, match=r"karat\.yaml"):
            options_for(load_suite(suite), {})
    else:
        assert work() == [suite]
