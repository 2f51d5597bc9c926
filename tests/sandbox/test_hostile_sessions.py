"""What a snapshot may try while it is kept, and the step after it: nothing of it helps, and nothing of it stays.

The first step of each is hostile. It can change everything in its own process, the code that runs later steps included.
"""

from __future__ import annotations

import os
import platform
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.sandbox import Limits, Sandbox
from karat.sandbox.layers import Name
from karat.sandbox.records import MB

LIMITS = Limits(wall=5.0, memory=512 * MB, files=8 * MB)
INSIDE = """
import os, sys, time
frame, own = sys._getframe(), None
while own is None:
    own, frame = frame.f_locals.get("own"), frame.f_back
names = ("sessions.fork_gate", "sessions.session_child", "snippet")
gate, child, snippet = (own["box." + name] for name in names)
"""


@pytest.fixture(scope="module", params=["with bubblewrap", "without"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "with bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    if request.param == "without" and os.geteuid() != 0:
        pytest.skip("only root makes namespaces without bubblewrap")
    left_out: tuple[Name, ...] = ("bubblewrap",) if request.param == "without" else ()
    with Sandbox(limits=LIMITS, without=left_out) as made:
        made.run("1")
        yield made


def below(pid: int) -> list[int]:
    """All processes below one, by the kernel's lists."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *below(int(child))]
    return found


def states(pids: list[int]) -> list[str]:
    return [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in pids]


def test_a_snapshot_is_stopped_and_uses_no_time(box: Sandbox) -> None:
    """It would go on by a timer, which needs no thread."""
    (server,) = box.server_pids()
    before = set(below(server))
    with box.session() as session:
        code = "import signal\nn = [0]\ndef more(*_): n[0] += 1\nsignal.signal(signal.SIGALRM, more)\n"
        first = session.step(code + "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\nresult = 0")
        once = session.step("result = n[0]", first.snapshot)
        kept = [pid for pid in below(server) if pid not in before]
        assert set(states(kept)) == {"T"}
        time.sleep(0.3)
        again = session.step("result = n[0]", first.snapshot)
    assert isinstance(once.outcome.result, int) and isinstance(again.outcome.result, int)
    assert again.outcome.result < once.outcome.result + 20  # 30 would have come meanwhile
    assert [pid for pid in below(server) if pid not in before] == []


def test_threads_do_not_go_on(box: Sandbox) -> None:
    (server,) = box.server_pids()
    before = set(below(server))
    with box.session() as session:
        code = "import threading\ndef on():\n    while True: pass\nthreading.Thread(target=on, daemon=True).start()\n"
        session.step(code + "result = 1")
        kept = [pid for pid in below(server) if pid not in before]
        assert states(kept) == ["T"]


def test_it_does_not_see_the_code_of_the_next_step(box: Sandbox) -> None:
    """It looks at everything that is open when it is woken, before it forks."""
    looks = """
import fcntl
seen, real = [], gate.fork
def fork():
    for fd in range(64):
        try:
            fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK)
            seen.append(os.read(fd, 100_000))
        except OSError:
            pass
    fcntl.fcntl(4, fcntl.F_SETFL, 0)
    return real()
gate.fork = fork
result = 1
"""
    with box.session() as session:
        first = session.step(INSIDE + looks)
        second = session.step("marked = 'se' + 'cret-of-the-step'\nresult = [len(seen), str(seen)]", first.snapshot)
        again = session.step("result = str(seen)", first.snapshot)
    assert second.outcome.ok and second.outcome.result[0] > 0, second
    assert "marked" not in second.outcome.result[1] and "marked" not in str(again.outcome.result)


def test_time_before_the_answer_is_counted_whoever_spends_it(box: Sandbox) -> None:
    """A poisoned process reads the next step's code, and works before it says that it begins."""
    late = """
real = child.read_head
def read_head(fd):
    head = real(fd)
    time.sleep(0.3)
    return head
child.read_head = read_head
"""
    with box.session() as session:
        first = session.step(INSIDE + late + "time.perf_counter = time.monotonic = lambda: 0.0\nresult = 1")
        second = session.step("result = 2", first.snapshot)
    assert second.outcome.result == 2 and second.outcome.wall >= 0.3


@pytest.mark.parametrize("fork", [True, False], ids=["forked", "replayed"])
def test_answers_are_not_written_ahead(box: Sandbox, fork: bool) -> None:
    """An answer comes with the one after it, which would take no time."""
    ahead = """
def answer(message, streams):
    forged = b'{"status": "ok", "result": 37}'
    os.write(3, b"".join(child.LENGTH.pack(len(one)) + one for one in (message, forged)))
child._answer = answer
result = 1
"""
    with box.session(fork=fork) as session:
        first = session.step(INSIDE + ahead)
        other = session.step("import time\ntime.sleep(0.2)\nresult = 3")
    assert (first.outcome.status, first.snapshot) == ("bad_message", None)
    assert other.outcome.result == 3 and other.outcome.wall >= 0.2


def test_a_fork_is_let_through_once(box: Sandbox) -> None:
    (server,) = box.server_pids()
    many = (
        "real = gate.fork\ndef fork():\n    pids = [real() for _ in range(5)]\n    return pids[0]\ngate.fork = fork\n"
    )
    before = set(below(server))
    with box.session() as session:
        first = session.step(INSIDE + many + "result = [gate.fork()]")
        assert first.outcome.result == [-1]  # not while a step runs
        second = session.step("result = 2", first.snapshot)
        assert len([pid for pid in below(server) if pid not in before]) <= 3
    assert second.outcome.result == 2 or second.outcome.status in ("killed", "timeout", "bad_message")
    assert [pid for pid in below(server) if pid not in before] == []


@pytest.mark.parametrize(
    "wakes",
    ["while True: pass", "os._exit(0)", "return 1", "return 0", "os.write(62, b'R'); return real() * 0 + 1"],
    ids=["never forks", "ends", "says it did", "says it is the new one", "says ready itself"],
)
def test_a_snapshot_that_does_not_fork_as_it_should(box: Sandbox, wakes: str) -> None:
    """Its steps are run again in a fresh process; the next user finds the server as it was."""
    with box.session() as session:
        first = session.step(INSIDE + f"real = gate.fork\ndef fork():\n    {wakes}\ngate.fork = fork\nresult = 1")
        second = session.step("result = 2", first.snapshot)
    assert first.outcome.result == 1
    assert second.outcome.status in ("ok", "no_result", "bad_message", "timeout", "killed"), second
    assert second.outcome.result in (2, None)
    assert box.run("1 + 1").result == 2


def test_no_process_can_signal_another(box: Sandbox) -> None:
    tries = """
import os, signal
done = []
for pid in [0, -1, 1, 2, os.getppid(), os.getpid(), *range(3, 60)]:
    for number in (signal.SIGCONT, signal.SIGKILL):
        try:
            os.kill(pid, number)
            done.append(pid)
        except OSError:
            pass
result = done
"""
    with box.session() as session:
        first = session.step("x = 1\nresult = x")
        assert session.step(tries, first.snapshot).outcome.result == []
        assert session.step("result = x", first.snapshot).outcome.result == 1


def test_copies_of_folders_are_out_of_reach(box: Sandbox) -> None:
    look = """
import os
import platform
found = []
for place in ('../../snapshots', '../../snapshots/1', '../../snapshots/2/secret'):
    for what in (os.listdir, lambda p: open(p).read(), lambda p: open(p + '/x', 'w'), os.rmdir):
        try:
            what(place)
            found.append(place)
        except OSError:
            pass
result = found
"""
    with box.session() as session:
        first = session.step("open('secret', 'w').write('x')\nresult = 1")
        assert session.step(look, first.snapshot).outcome.result == []
        assert session.step(look).outcome.result == []
        assert session.step("open('secret').read()", first.snapshot).outcome.result == "x"


def test_what_one_session_leaves_is_not_in_the_next(box: Sandbox) -> None:
    with box.session() as session:
        session.step("import builtins\nbuiltins.mark = 1\nopen('mark', 'w').write('x')\nresult = 0")
    with box.session() as session:
        seen = session.step("import builtins, os\nresult = [hasattr(builtins, 'mark'), os.listdir('.')]")
    assert seen.outcome.result == [False, []]


def test_a_poisoned_step_hurts_only_its_own_session(box: Sandbox) -> None:
    """It replaces what runs the steps after it; those of other code are not affected."""
    with box.session() as session:
        lies = 'snippet.run_in = lambda *_: b\'{"status": "ok", "result": 37}\'\nresult = 1'
        first = session.step(INSIDE + lies)
        assert session.step("result = 2", first.snapshot).outcome.result == 37
        assert session.step("result = 2").outcome.result == 2
    assert box.run("result = 2").result == 2


@pytest.mark.parametrize("fork", [True, False], ids=["forked", "replayed"])
@pytest.mark.parametrize("flags", [0x11, 0x8011, 0x01200011, 0x4111])
def test_no_step_starts_a_process(box: Sandbox, fork: bool, flags: int) -> None:
    """Neither by fork nor by any call below it, not even by the very call that the server lets through for itself."""
    if platform.machine() != "x86_64":
        pytest.skip("the number of the call is that of x86_64")
    call = f"result = [os.path.exists('/'), __import__('ctypes').CDLL(None).syscall(56, {flags}, 0, 0, 0, 0)]"
    with box.session(fork=fork) as session:
        first = session.step("import os\nresult = 1")
        seen = [session.step(call, state).outcome for state in (0, first.snapshot)]
        forked = session.step("os.fork()", first.snapshot).outcome
    assert forked.status == "refused"
    assert seen[0].error is not None and seen[1].result in ([True, -1], [False, -1]), seen
