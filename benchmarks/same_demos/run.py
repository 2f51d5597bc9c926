"""Run the demos of one source tree in an empty folder and write everything that Karat can write about them.

A tree needs no environment of its own: its ``src`` comes first on the path, with package metadata made from its
``pyproject.toml``, so that its plug-ins are found where that tree has them.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUITES = ("answers", "codegen", "data_query", "retrieval")
SECOND_RUN = {
    "codegen": [
        "--suite",
        "codegen",
        "--cases",
        "tasks.yaml",
        "--predictions",
        "hasty.jsonl",
        "-o",
        "performance=false",
    ]
}
"""Another run to compare the first with: of the first cases, or of another model's answers where the demo has them."""
WIDTH = "160"


def checkout(commit: str, folder: Path, *, whole: bool = False) -> Path:
    """The sources, examples and project file of a commit, or all that it has."""
    parts = [] if whole else ["src", "examples", "pyproject.toml"]
    packed = subprocess.run(
        ["git", "archive", "--format=tar", commit, *parts],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if packed.returncode:
        sys.exit(f"no such commit: {commit} ({packed.stderr.decode(errors='replace').strip()})")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def run_demos(tree: Path, folder: Path) -> None:
    """All commands, each in a process of its own. Raises when one does not end as it should."""
    folder.mkdir(parents=True)
    environment = environment_of(tree, folder)
    _karat(environment, folder, [("init.txt", ["init", "demo/codegen", "--suite", "codegen"])])
    project = folder / "demo" / "codegen" / "karat.yaml"
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("    options:\n", "    options:\n      performance: false\n"), encoding="utf-8")
    _karat(environment, folder, [("demo.txt", ["demo", "demo"])])
    for suite in SUITES:
        place = folder / "demo" / suite
        _karat(environment, place, _commands(suite))
        cases = json.loads((place / "result.json").read_text(encoding="utf-8"))["cases"]
        shown = [
            (f"show_{number:02}.txt", ["show", case["id"], "--run", "r-0001"]) for number, case in enumerate(cases)
        ]
        _karat(environment, place, shown)


def _commands(suite: str) -> list[tuple[str, list[str]]]:
    second = SECOND_RUN.get(suite, ["--limit", "5"])
    return [
        ("verbose.txt", ["report", "r-0001", "-v", "--json", "result.json", "--xlsx", "again.xlsx", "--html",
                "again.html"]),
        ("check.txt", ["check"]),
        ("gate.txt", ["gate", "r-0001", "--junit", "gate.xml", "--markdown", "gate.md", "--json", "gate.json"]),
        ("export.txt", ["export", "r-0001", "--scores", "scores.csv", "--predictions", "answers.jsonl"]),
        ("export_to.txt", ["export", "r-0001", "--to", "xlsx", "--out", "cases.xlsx"]),
        ("second.txt", ["run", *second, "--name", "second", "--json", "second.json", "--xlsx", "second.xlsx"]),
        ("compare.txt", ["compare", "r-0001", "r-0002", "--json", "compare.json", "--markdown", "compare.md", "--xlsx",
                "compare.xlsx"]),
        ("compared.txt", ["compare", "r-0001", "r-0002", "-v"]),
        ("runs.txt", ["runs"]),
    ]  # fmt: skip


_DRIVER = """
import json, os, sys
import karat
from karat.cli.main import main
tree, commands = json.loads(sys.stdin.read())
assert karat.__file__.startswith(tree), f"karat comes from {karat.__file__}, not from {tree}"
for name, words in commands:
    child = os.fork()
    if child == 0:
        out = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.dup2(out, 1); os.dup2(out, 2)
        sys.argv = ["karat", *words]
        main()
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with open(name, "a") as out:
        print("exit code", code, file=out)
    if code not in (0, 1, 3):
        sys.exit(f"karat {' '.join(words)} ended with {code}: {open(name).read()[-2000:]}")
"""
"""One interpreter that has loaded the command line, and forks for each command: starting it again would take most of
the time."""


def _karat(environment: dict[str, str], folder: Path, commands: list[tuple[str, list[str]]]) -> None:
    subprocess.run(
        [sys.executable, "-c", _DRIVER],
        cwd=folder, env=environment, input=json.dumps([environment["KARAT_TREE"], commands]), text=True, check=True,
    )  # fmt: skip


def environment_of(tree: Path, folder: Path) -> dict[str, str]:
    """What a process needs to import the sources of this tree, with its plug-ins; the folder takes their metadata."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    metadata = folder / ".metadata"
    info = metadata / f"karat-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: karat\nVersion: {project['version']}\n", encoding="utf-8"
    )
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in found.items())
        for group, found in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KARAT_", "PYTHON"))}
    path = os.pathsep.join((str(metadata), str(tree / "src")))
    return {
        **kept,
        "PYTHONPATH": path,
        "KARAT_TREE": str(tree),
        "COLUMNS": WIDTH,
        "NO_COLOR": "1",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
    }
