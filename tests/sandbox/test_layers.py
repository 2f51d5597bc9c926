"""Which layers are on, what is refused when too few do, and that each of them is what stops an attack."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.sandbox import Sandbox, layers
from karat.sandbox.layers import Name, plan
from karat.sandbox.server.isolation import landlock, seccomp
from karat.sandbox.server.isolation.syscalls import ALLOWED, BITS_NOT, DONE_NOTHING, HAS_BIT, NOT_THERE, ONE_OF
from karat.verbs.setup.doctor import Finding, sandbox_findings
from tests.sandbox.boxes import LIMITS


def test_every_layer_says_what_it_does_or_what_to_install() -> None:
    found = layers()
    assert [layer.name for layer in found][:5] == ["user", "bubblewrap", "namespaces", "landlock", "seccomp"]
    assert all(layer.detail and (layer.on or layer.install) for layer in found)


def test_too_few_walls_are_refused_with_what_to_install() -> None:
    for left_out in (["bubblewrap", "landlock"], ["bubblewrap", "seccomp"], ["user"]):
        with pytest.raises(UserError) as caught:
            Sandbox(without=left_out)  # type: ignore[arg-type]  # names of layers
        assert "too few sandbox layers" in caught.value.message and left_out[-1] in caught.value.message
        assert "To fix it" in caught.value.hint and "--option unsafe=yes" in caught.value.hint


def test_bubblewrap_alone_or_landlock_with_seccomp_are_enough() -> None:
    for left_out in (["landlock", "seccomp"], ["bubblewrap"], ["memory cgroup", "pids cgroup"]):
        if "bubblewrap" in left_out or plan().bubblewrap:
            plan(left_out, unsafe=False)  # type: ignore[arg-type]  # names of layers


def test_another_system_is_refused_clearly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert [layer.on for layer in layers()] == [False]
    with pytest.raises(UserError, match="does not work on darwin"):
        Sandbox(unsafe=True)


def test_a_python_without_pandas_is_refused_with_what_to_install() -> None:
    with pytest.raises(UserError, match="is not a working Python"):
        Sandbox(python="/bin/true")


def test_without_the_walls_the_same_attack_succeeds() -> None:
    """Else the hostile snippets would prove nothing."""
    attack = "result = open('/etc/passwd').read()[:4]"
    with Sandbox(limits=LIMITS, without=["bubblewrap", "landlock", "seccomp"], unsafe=True) as bare:
        assert bare.run(attack).result == "root"
        assert bare.run("import socket; socket.socket(); result = 1").result == 1
    with Sandbox(limits=LIMITS, without=["bubblewrap", "seccomp"], unsafe=True) as landlocked:
        assert landlocked.run(attack).status == "refused"
    with Sandbox(limits=LIMITS, without=["bubblewrap", "landlock"], unsafe=True) as filtered:
        assert filtered.run("import socket; socket.socket(); result = 1").status == "refused"


STARTS_ANOTHER = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(60)
    os._exit(0)
result = 1
"""
COUNT = "import os; result = sum(name.isdigit() for name in os.listdir('/proc'))"


@pytest.mark.parametrize("left_out", [("seccomp", "landlock"), ("bubblewrap", "seccomp", "landlock")])
def test_what_a_snippet_starts_dies_with_it_where_it_can_start_anything(left_out: tuple[Name, ...]) -> None:
    if "bubblewrap" not in left_out and not plan().bubblewrap:
        pytest.skip("bubblewrap does not work here")
    if "bubblewrap" in left_out and os.geteuid() != 0:
        pytest.skip("only root has processes to itself without bubblewrap")
    with Sandbox(limits=LIMITS, without=left_out, unsafe=True) as box:
        before = box.run(COUNT).result
        assert [box.run(STARTS_ANOTHER).status for _ in range(3)] == ["ok"] * 3
        assert box.run(COUNT).result == before
        bomb = box.run("import os\nwhile True:\n    os.fork()")
        assert bomb.status in ("error", "timeout", "refused", "memory"), bomb
        assert box.run(COUNT).result == before


def test_without_landlock_a_table_cannot_be_spoiled_for_the_next() -> None:
    if not plan().bubblewrap:
        pytest.skip("bubblewrap does not work here")
    with Sandbox(limits=LIMITS, without=["landlock", "seccomp"]) as box:
        tables = {"t": {"a": [1, 2]}}
        box.run("import os; os.chmod('t.csv', 0o600); open('t.csv', 'w').write('a\\n0')", tables)
        spoil = (
            "import os\nfor f, _, names in os.walk('/tmp'):\n"
            "    for n in names: open(f + '/' + n, 'w').write('a\\n0') # csv"
        )
        box.run(spoil, tables)
        assert box.run("pd.read_csv('t.csv').a.tolist()", tables).result == [1, 2]


HOSTILE = Path(__file__).parent / "hostile"


@pytest.mark.parametrize("left_out", [("landlock",), ("seccomp",), ("landlock", "seccomp")])
def test_the_clock_is_the_servers_with_fewer_walls_too(left_out: tuple[Name, ...]) -> None:
    if not plan().bubblewrap:
        pytest.skip("bubblewrap does not work here")
    with Sandbox(limits=LIMITS, without=left_out) as box:
        for _ in range(3):
            seen = box.run((HOSTILE / "ok__start_mark_replaced.snippet").read_text())
            assert (seen.status, seen.result) == ("ok", [])
            assert seen.wall >= 0.3


EMPTY = """
import os
result = []
for empty in (
    lambda path: os.truncate(path, 0),
    lambda path: os.open(path, os.O_RDONLY | os.O_TRUNC),
    lambda path: os.open(path, 3 | os.O_TRUNC),
    lambda path: os.open(path, os.O_WRONLY | os.O_TRUNC),
    lambda path: os.open(path, os.O_RDWR | os.O_TRUNC),
    lambda path: open(path, "w"),
    lambda path: os.ftruncate(os.open(path, os.O_RDONLY), 0),
):
    for path in PATHS:
        try:
            empty(path)
            result.append(path)
        except OSError:
            pass
"""
SHORTEN = """
with open('own.txt', 'w') as file: file.write('12345')
with open('own.txt', 'r+') as file: file.truncate(3)
with open('own.txt', 'a') as file: file.write('x')
result = open('own.txt').read()
with open('own.txt', 'w') as file: pass
result += open('own.txt').read()
"""


@pytest.mark.parametrize("version", [1, 2, 3])
def test_no_version_of_landlock_lets_a_file_be_emptied(
    version: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A rule set of an old version leaves the same to anyone on a new kernel."""
    if landlock.version() < version:
        pytest.skip("this kernel's Landlock is older")
    monkeypatch.setattr(landlock, "version", lambda: version)
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(folder.stat().st_mode | 0o005)
    canary = tmp_path / "canary.txt"
    canary.write_text("canary")
    canary.chmod(0o666)
    tables = {"t": {"a": [1, 2]}}
    with Sandbox(limits=LIMITS, without=["bubblewrap"]) as box:
        assert box.run("pd.read_csv('t.csv').a.tolist()", tables).result == [1, 2]
        find = f"import glob\nPATHS = [{str(canary)!r}, 't.csv', *glob.glob('../../tables/*')]\n"
        seen = box.run(find + EMPTY, tables)
        assert (seen.status, seen.result) == ("ok", [])
        assert canary.read_text() == "canary"
        assert box.run("pd.read_csv('t.csv').a.tolist()", tables).result == [1, 2]
        assert box.run(SHORTEN).result == "123x"


def test_an_old_landlock_says_who_stands_in_for_it_or_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 2)
    layer = {layer.name: layer for layer in plan().layers}["landlock"]
    assert layer.on and "so the seccomp filter does" in layer.detail
    assert Finding("sandbox landlock", "ok", layer.detail) in sandbox_findings(), "karat doctor says the same"
    alone = {layer.name: layer for layer in plan(["seccomp"]).layers}["landlock"]
    assert not alone.on and "cannot prevent files from being truncated" in alone.detail and "6.2" in alone.install
    assert plan(["seccomp"]).landlock == 0
    monkeypatch.setattr(landlock, "version", lambda: 3)
    assert plan(["seccomp"]).landlock == 3


def test_the_filter_is_well_formed_for_both_machines() -> None:
    for machine in ("x86_64", "aarch64"):
        program, places = seccomp.build(machine)
        assert len(program) % 8 == 0 and len(program) // 8 < 4096
        assert len(places) == 3
    column = {name: numbers[0] for table in (ALLOWED, DONE_NOTHING, NOT_THERE) for name, numbers in table.items()}
    column |= {name: rule[0] for name, rule in ONE_OF.items()} | {name: rule[0] for name, rule in HAS_BIT.items()}
    column |= {name: rule[0] for name, rule in BITS_NOT.items()}
    numbers = [number for number in column.values() if number is not None]
    assert len(numbers) == len(set(numbers))
    assert not {
        "truncate",
        "creat",
        "socket",
        "execve",
        "fork",
        "ptrace",
        "symlink",
        "mount",
        "bpf",
        "memfd_create",
    } & set(column)


def test_the_warm_up_runs_what_it_means_to_run() -> None:
    """It says nothing of a failure, so that an older pandas can still be served."""
    import io

    import pandas

    from karat.sandbox.server import snippet
    from karat.sandbox.server.environment import warm_up

    own = sys.modules["__main__"]
    for code in warm_up.USUAL:
        frame = pandas.read_csv(io.StringIO(warm_up.TABLE), parse_dates=["day"])
        assert snippet.run(code, {"table": frame}, 1_000).startswith(b'{"status": "ok"'), code
    sys.modules["__main__"] = own
