from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.plugins import load
from karat.core.problems import UserError
from karat.runs.project_file.project import load_project
from karat.systems import command
from karat.systems.caller import Caller
from karat.systems.command import CommandConfig, CommandSystem
from karat.verbs.inputs.systems import named_system
from tests.systems.asking import answer, ask, error, request


def python(code: str, **options: Any) -> CommandConfig:
    return CommandConfig(type="command", command=[sys.executable, "-c", code], retries=0, **options)


def gone(pid: int) -> bool:
    """Whether a process is no more, neither alive nor a zombie that this process has left unburied."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z" and Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] != str(os.getpid())


def wait_for(condition: Any) -> bool:
    """Whether it becomes true within a generous while."""
    for _ in range(500):
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_it_is_an_entry_point() -> None:
    assert load("karat.systems", "command").config is CommandConfig


def test_json_in_and_json_out() -> None:
    made = python("import json, sys; asked = json.load(sys.stdin); print(json.dumps({'got': asked}))")
    found = answer(CommandSystem(made), made, request("c", 1, 2, "Où?"))
    assert json.loads(found.response) == {
        "got": {"id": "c", "turn": 1, "repeat": 2, "messages": [{"role": "user", "content": "Où?"}], "question": "Où?"}
    }
    assert found.latency is not None


def test_a_line_is_split_without_a_shell(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("import json, sys; print(json.dumps(sys.argv[1:]))")
    made = CommandConfig(type="command", command=f"{sys.executable} bot.py 'two words' $HOME ;ls", cwd=str(tmp_path))
    assert json.loads(answer(CommandSystem(made), made).response) == ["two words", "$HOME", ";ls"]


def test_an_exit_status_that_is_not_zero() -> None:
    made = python("import sys; print('half'); sys.stderr.write('x' * 100_000 + ' the reason'); sys.exit(3)")
    found = answer(CommandSystem(made), made)
    assert found.error is not None
    assert found.error.kind == "command_failed"
    assert found.error.message.startswith("the command ended with exit status 3: …xxx")
    assert found.error.message.endswith("the reason")
    assert len(found.error.message) < 800
    assert found.response == b"half"


def test_killed_by_a_signal() -> None:
    found = error(CommandSystem(made := python("import os; os.kill(os.getpid(), 9)")), made)
    assert found.message == "the command was killed by SIGKILL"


def test_output_that_is_not_json() -> None:
    found = error(CommandSystem(made := python("import sys; print('hello'); print('hint', file=sys.stderr)")), made)
    assert found.kind == "bad_response"
    assert "not JSON" in found.message
    assert "hello; on its standard error: hint" in found.message
    silent = error(CommandSystem(made := python("pass")), made)
    assert silent.message == "the command wrote nothing on its standard output, where JSON was expected"


def test_too_much_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MAX_OUTPUT", 2**20)
    made = python("import sys\nwhile True: sys.stdout.write('x' * 65536)")
    found = error(CommandSystem(made), made)
    assert (found.kind, found.message) == ("bad_response", "the command wrote more than 1 MiB")


def test_a_command_that_does_not_read_its_input() -> None:
    made = python("print(1)")
    assert answer(CommandSystem(made), made, request(question="x" * 1_000_000)).response == b"1"


CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(f"{child.pid}\\n")
"""


def test_a_timeout_kills_the_whole_group_and_leaves_no_zombie(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    code = f"{CHILD}import os; open(sys.argv[1], 'a').write(f'{{os.getpid()}}\\n'); time.sleep(600)"
    made = CommandConfig(type="command", command=[sys.executable, "-c", code, str(note)])

    async def scenario() -> None:
        """The caller's way to end a call, at the moment when both processes are known to run."""
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(None) as limit:
                running = asyncio.create_task(CommandSystem(made).call(request()))
                while not (note.exists() and len(note.read_text().split()) == 2):
                    await asyncio.sleep(0.02)
                limit.reschedule(0)
                await running

    asyncio.run(scenario())
    child, parent = map(int, note.read_text().split())
    assert gone(parent)
    assert wait_for(lambda: gone(child))


def test_cancelling_kills_the_group_too(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    code = f"{CHILD}time.sleep(600)"
    made = CommandConfig(type="command", command=[sys.executable, "-c", code, str(note)])

    async def scenario() -> None:
        task = asyncio.create_task(Caller(CommandSystem(made), made).predict(request()))
        while not (note.exists() and note.read_text().endswith("\n")):
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert wait_for(lambda: gone(int(note.read_text())))


def test_cancelling_a_start_kills_the_group_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a command can have started others before its own start is over."""
    note = tmp_path / "pids"
    code = f"{CHILD}time.sleep(600)"
    made = CommandConfig(type="command", command=[sys.executable, "-c", code, str(note)])

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        connect = loop.connect_read_pipe
        cancelled = asyncio.Event()

        async def connect_late(*given: Any) -> Any:
            await cancelled.wait()
            return await connect(*given)

        monkeypatch.setattr(loop, "connect_read_pipe", connect_late)
        task = asyncio.create_task(CommandSystem(made).call(request()))
        while not (note.exists() and note.read_text().endswith("\n")):
            await asyncio.sleep(0.02)
        for _ in range(2):  # twice, as impatient users do
            task.cancel()
            await asyncio.sleep(0)
        cancelled.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert wait_for(lambda: gone(int(note.read_text())))


def test_a_child_left_behind_neither_holds_the_answer_up_nor_lives_on(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    made = CommandConfig(type="command", command=[sys.executable, "-c", f"{CHILD}print('[1]')", str(note)], timeout=60)
    assert answer(CommandSystem(made), made).response == b"[1]"
    assert wait_for(lambda: gone(int(note.read_text())))


def test_many_at_once() -> None:
    made = python("import sys, json; print(json.dumps(json.load(sys.stdin)['id']))", concurrency=4)
    found = ask(CommandSystem(made), made, *(request(str(number)) for number in range(12)))
    assert [item.response for item in found if item] == [f'"{number}"'.encode() for number in range(12)]


def test_which_environment_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_SEEN", "yes")
    monkeypatch.setenv("KARAT_HIDDEN", "no")
    code = "import os, json; print(json.dumps(sorted(n for n in os.environ if n.startswith('KARAT_'))))"
    made = python(code)
    assert json.loads(answer(CommandSystem(made), made).response) == ["KARAT_HIDDEN", "KARAT_SEEN"]
    made = python(code, env=["KARAT_SEEN", "KARAT_NOT_SET"])
    assert json.loads(answer(CommandSystem(made), made).response) == ["KARAT_SEEN"]


def test_keys_do_not_get_into_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", "canary-0123456789")
    made = python("import os, sys; print(os.environ['BOT_TOKEN']); sys.exit(os.environ['BOT_TOKEN'])")
    assert error(CommandSystem(made), made).message == "the command ended with exit status 1: ***"
    made = python("import os; print(os.environ['BOT_TOKEN'])")
    assert "canary" not in error(CommandSystem(made), made).message
    for rest in (64 * 1024 - 8, 64 * 1024 - 3):  # the end that is kept begins inside the key
        made = python(f"import os, sys; sys.exit(os.environ['BOT_TOKEN'] + chr(10) * {rest} + 'no')")
        assert error(CommandSystem(made), made).message == "the command ended with exit status 1: no"


def test_a_reply_for_the_history() -> None:
    system = CommandSystem(python("pass", reply_path="text"))
    assert system.reply(b'{"text": "hi", "data": 1}') == {"role": "assistant", "content": "hi"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"command": "karat-no-such-program --x"}, 'there is no program "karat-no-such-program" to run'),
        ({"command": "./no-such-script"}, 'there is no program "./no-such-script" to run'),
        ({"command": ""}, "the command is empty"),
        ({"command": "echo 'unfinished"}, "cannot be split into words"),
        ({"command": [sys.executable], "cwd": "no/such/folder"}, "the cwd of the command is not a folder"),
    ],
)
def test_mistakes_are_said_before_anything_runs(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as caught:
        CommandSystem(CommandConfig(type="command", **options))
    assert words in str(caught.value)


@pytest.mark.parametrize("cwd", ["", ".", None])
def test_a_program_of_the_working_folder(cwd: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``./bot`` was looked for in PATH where the working folder was the current one."""
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "bot"
    script.write_text("#!/bin/sh\necho yes\n")
    script.chmod(0o755)
    made = CommandConfig(type="command", command=["./bot"])
    made = made if cwd is None else msgspec.structs.replace(made, cwd=cwd)
    assert answer(CommandSystem(made), made).response == b"yes"


def test_a_program_that_cannot_start(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    found = error(CommandSystem(made := CommandConfig(type="command", command=[str(script)])), made)
    assert (found.kind, found.message) == ("command_failed", "the command cannot start: No such file or directory")


def test_the_folder_in_a_project_file_is_relative_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "evals"
    project.mkdir()
    (project / "karat.yaml").write_text("systems: {bot: {type: command, command: python bot.py, cwd: .}}\n")
    monkeypatch.chdir(tmp_path)
    config = named_system("bot", (), load_project(project / "karat.yaml"))
    assert isinstance(config, CommandConfig) and Path(config.cwd) == project
