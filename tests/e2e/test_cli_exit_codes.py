"""Exit codes that CI can trust: 1 is a broken gate and nothing else, 70 a bug of ours, 130 somebody's Ctrl-C."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from karat.cli import exit_codes, main

# Stops inside the loading of the verbs, says so, and waits there for a signal.
_SLOW_START = """
import sys, time
class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            print("loading", flush=True)
            time.sleep(60)
sys.meta_path.insert(0, Slow())
"""
_BROKEN_LIBRARY = """
import sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise RuntimeError("this library is broken")
sys.meta_path.insert(0, Broken())
"""


def _start(folder: Path, customize: str, words: tuple[str, ...]) -> subprocess.Popen[str]:
    """karat in a Python that was changed beforehand."""
    (folder / "sitecustomize.py").write_text(customize)
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("words", [("-m", "karat", "doctor"), ("-m", "karat.answers", "--help")])
def test_ctrl_c_while_it_starts(tmp_path: Path, words: tuple[str, ...]) -> None:
    process = _start(tmp_path, _SLOW_START, words)
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")


def test_an_ignored_ctrl_c_stays_ignored(tmp_path: Path) -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    process = _start(tmp_path, ignoring + _SLOW_START.replace("sleep(60)", "sleep(0.5)"), ("-m", "karat", "--version"))
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and out.startswith("karat ")


def test_a_library_that_cannot_be_loaded_is_no_broken_gate(tmp_path: Path) -> None:
    process = _start(tmp_path, _BROKEN_LIBRARY, ("-m", "karat", "gate"))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 70
    assert "this library is broken" in err and err.splitlines()[-1].startswith("karat: this is a bug in karat")


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(2, "No such file or directory", "inner"),
        KeyError("x"),
        MemoryError(),
        RecursionError(),
        AssertionError(),
    ],
    ids=repr,
)
def test_a_bug_is_a_traceback_and_70(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise error

    monkeypatch.setattr(main, "app", broken)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 70
    said = capsys.readouterr().err
    assert "Traceback" in said and type(error).__name__ in said
    assert said.splitlines()[-1] == (
        "karat: this is a bug in karat, not in your files. Please report it with the lines above."
    )


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ENOTCONN])
def test_a_disk_that_fails_is_no_bug(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing() -> None:
        raise OSError(number, os.strerror(number), "cases.yaml")

    monkeypatch.setattr(main, "app", failing)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"karat: cases.yaml: {os.strerror(number)}\n")


def test_ctrl_c_in_a_verb(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "app", stopped)
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == ""


def test_a_closed_pipe_is_no_broken_gate(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "karat", "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(60) != 1
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.parametrize("verb", ["score", "run"])
def test_nothing_scored_at_all_is_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.qrels").write_text("q1 0 lemon 1\n")
    Path("p.jsonl").write_text('{"id": "other", "results": ["lemon"]}\n')
    words = ["karat", verb, "--suite", "retrieval", "--cases", "c.qrels", "--predictions", "p.jsonl"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as stopped:
        main.main()
    said = capsys.readouterr().err
    assert stopped.value.code == 3
    assert 'nothing was scored: no prediction for any of 1 case, such as "q1"' in said
    assert "1 prediction for unknown cases: other" in said and 'A prediction is expected for "q1"' in said


@pytest.mark.parametrize(("module", "code"), [("sqlglot", 2), ("nobody_has_this", exit_codes.CRASH)])
def test_a_package_of_an_extra_that_is_not_there_is_named_with_its_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, module: str, code: int
) -> None:
    def needs_it() -> None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr(main, "app", needs_it)
    with pytest.raises(SystemExit) as stopped:
        main.main()
    said = capsys.readouterr().err
    assert stopped.value.code == code
    assert ("Install it: pip install" in said) == (code == 2)
    assert ("this is a bug" in said) == (code != 2)


@pytest.mark.parametrize("words", [("runs", "list"), ("check",), ("init", "x")])
def test_a_working_folder_that_was_removed_is_no_bug_of_ours(tmp_path: Path, words: tuple[str, ...]) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    start = f"import os; os.rmdir({str(folder)!r})"
    code = f"{start}\nimport sys\nsys.argv = ['karat', *{words!r}]\nfrom karat.__main__ import main\nmain()"
    found = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (exit_codes.MISTAKE, "")
    assert found.stderr.startswith("karat: the current folder no longer exists")
    assert "Traceback" not in found.stderr
