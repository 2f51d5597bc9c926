"""The sandbox as a caller uses it: tables of every kind, many snippets, measuring, losses, and what is left at the
end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import pytest

from karat import sandbox
from karat.core.problems import UserError
from karat.sandbox import Column, Job, Limits, Sandbox, Series, Table, launching
from karat.sandbox.isolation import cgroups
from karat.sandbox.layers import Name
from karat.sandbox.messages.values import Other
from tests.sandbox.boxes import LIMITS, python_for_all
from tests.sandbox.processes import all_gone, descendants


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox(limits=LIMITS, workers=2) as made:
        yield made


def test_one_snippet_alone() -> None:
    outcome = sandbox.run("result = df.price.sum()", {"sales": {"price": [1, 2, 3]}})
    assert (outcome.status, outcome.result, outcome.ok) == ("ok", 6, True)


def test_tables_come_from_csv_parquet_arrow_and_columns(box: Sandbox, tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    (tmp_path / "orders_2020.csv").write_text("a,b\n1,x\n2,y\n")
    arrow = pyarrow.table({"a": [3, 4]})
    pyarrow.parquet.write_table(arrow, tmp_path / "p.parquet")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    given = {
        "orders": tmp_path / "orders_2020.csv",
        "packed": str(tmp_path / "p.parquet"),
        "streamed": sink.getvalue().to_pybytes(),
        "plain": {
            "d": [date(2020, 1, 2), None],
            "t": [datetime(2020, 1, 2, 3, tzinfo=UTC)] * 2,
            "n": [1.5, float("inf")],
        },
    }
    outcome = box.run(
        "import os\n"
        "result = [int(t.a.sum()) for t in (orders, packed, streamed)] + [str(t) for t in plain.dtypes]"
        " + [len(pd.read_csv(f)) for f in ('orders.csv', 'orders_2020.csv', 'packed.csv', 'streamed.csv', 'plain.csv')]"
        " + [len(pd.read_parquet('packed.parquet'))]",
        given,
    )
    assert outcome.status == "ok", outcome
    assert outcome.result[:3] == [3, 7, 7]
    assert [
        kind.startswith(w) for kind, w in zip(outcome.result[3:6], ("datetime64", "datetime64", "float"), strict=True)
    ]
    assert outcome.result[6:] == [2] * 6


def test_a_changed_file_is_read_again(box: Sandbox, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    for value in (1, 22, 333):
        file.write_text(f"a\n{value}\n")
        assert box.run("int(df.a[0])", {"t": file}).result == value


def test_a_table_that_cannot_be_read_is_the_callers_mistake(box: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "bad.parquet").write_text("no")
    for source, said in (
        (tmp_path / "missing.csv", "No such file"),
        (tmp_path / "x.docx", "neither .csv nor .parquet"),
        (tmp_path / "empty.csv", "EmptyDataError"),
        (tmp_path / "bad.parquet", "Parquet"),
        (b"not arrow", "Arrow"),
        ({"a": [1], "b": [1, 2]}, "different lengths"),
        ({"a": [object()]}, "something other than plain data"),
    ):
        with pytest.raises(UserError, match=said):
            box.run("1", {"t": source})
    with pytest.raises(UserError, match="cannot be the name of a table"):
        box.run("1", {"../t": {"a": [1]}})
    assert box.run("1").result == 1


def test_frames_and_series_come_back_as_records(box: Sandbox) -> None:
    outcome = box.run("df.set_index('k')", {"t": {"k": ["a", "b"], "v": [1, 2]}})
    index = outcome.result.index[0]
    assert outcome.result == Table(2, (Column("v", "int64", [1, 2]),), (Column("k", index.dtype, ["a", "b"]),))
    assert list(outcome.result.rows()) == [(1,), (2,)]
    assert box.run("pd.Series([1, None], name='s')").result == Series(Column("s", "float64", [1.0, None]))
    assert box.run("pd.Series([pd.Timestamp('2020-01-01')])").result.column.values == [datetime(2020, 1, 1)]
    assert box.run("{(1, 'a'): 2.5}").result == {(1, "a"): 2.5}
    assert isinstance(box.run("df.groupby('v')", {"t": {"v": [1]}}).result, Other)
    assert box.run("df.T", {"t": {"v": [1]}}).result.names == (0,)


def test_many_snippets_keep_their_order_and_share_the_servers(box: Sandbox) -> None:
    jobs = [Job(f"df.x.sum() + {n}", {"t": {"x": [n]}}) for n in range(20)]
    assert [outcome.result for outcome in box.run_many(jobs)] == [2 * n for n in range(20)]
    assert len(box.server_pids()) == 2


def test_measuring_repeats_in_fresh_children(box: Sandbox) -> None:
    measured = box.measure(
        "import time; time.sleep(0.05)\npd.count = getattr(pd, 'count', 0) + 1\nresult = pd.count", repeats=3
    )
    assert measured.outcome.result == 1 and measured.same
    assert len(measured.walls) == len(measured.cpus) == len(measured.peaks) == 3
    assert 0.05 <= measured.wall < 5 and measured.cpu < measured.wall
    failed = box.measure("1/0", repeats=2)
    assert (failed.outcome.status, failed.walls, failed.same) == ("error", (), False)
    assert not box.measure("import os; result = os.urandom(8)", repeats=2).same


def test_a_server_that_dies_is_reported_once_and_replaced() -> None:
    with Sandbox(limits=LIMITS) as alone:
        assert alone.run("1").result == 1
        (pid,) = alone.server_pids()
        threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
        assert alone.run("import time; time.sleep(5); result = 1").status == "server_died"
        assert [alone.run("result = 7").result for _ in range(2)] == [7, 7]
        assert alone.server_pids() != (pid,)


def _stop(pids: set[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)


def test_a_silent_server_is_ended_by_the_callers_own_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.sandbox.server_process.GRACE", 0.5)
    with Sandbox(limits=LIMITS) as alone:
        alone.run("1")
        (pid,) = alone.server_pids()
        family = {pid, *descendants(pid)}
        threading.Timer(0.3, _stop, (family,)).start()
        short = msgspec.structs.replace(LIMITS, wall=1.0)
        assert alone.run("import time; time.sleep(30)", limits=short).status == "timeout"
        assert alone.run("result = 7").result == 7


def test_a_server_lives_on_when_the_thread_that_asked_for_it_ends() -> None:
    with Sandbox(limits=LIMITS) as alone:
        thread = threading.Thread(target=alone.run, args=("1",))
        thread.start()
        thread.join()
        before = alone.server_pids()
        time.sleep(0.2)
        assert alone.run("2").result == 2
        assert alone.server_pids() == before


@pytest.mark.parametrize("left_out", [(), ("bubblewrap",)])
def test_nothing_is_left_behind(left_out: tuple[Name, ...]) -> None:
    def places() -> set[Path]:
        made = set(Path(tempfile.gettempdir()).glob(f"karat-sandbox-{os.getpid()}-*"))
        return made.union(*(place.glob(f"karat-{os.getpid()}-*") for place in cgroups.parents().values()))

    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before, open_before, mine = places(), descriptors(), descendants(os.getpid())
    with Sandbox(limits=LIMITS, without=left_out) as alone:
        short = msgspec.structs.replace(LIMITS, wall=0.3)
        alone.run("open('x', 'w').write('y'); import time; time.sleep(9)", {"t": {"a": [1]}}, limits=short)
        alone.run("1")
        started = descendants(os.getpid()) - mine
        assert started and places() > before
    assert all_gone(started)
    assert places() == before
    assert descriptors() <= open_before


def test_a_closed_sandbox_says_so() -> None:
    alone = Sandbox()
    alone.close()
    alone.close()
    with pytest.raises(RuntimeError, match="closed"):
        alone.run("1")


def test_limits_can_be_given_for_one_run(box: Sandbox) -> None:
    assert box.run("while True: pass", limits=Limits(wall=0.3)).detail == "stopped after 0.3 s"
    assert box.run("result = list(range(100))", limits=Limits(cells=50)).status == "result_too_large"


@pytest.mark.parametrize("left_out", [(), ("bubblewrap",)])
def test_another_python_can_be_named(left_out: tuple[Name, ...]) -> None:
    with python_for_all() as python, Sandbox(limits=LIMITS, python=python, without=left_out) as other:
        assert other.run("import sys; result = [sys.executable, int(df.a.sum())]", {"t": {"a": [1, 2]}}).result == [
            python,
            3,
        ]
        assert other.versions().pandas


def test_memory_that_the_kernel_takes_is_recorded_as_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits of the process are set too high here, so that the cgroup is what stops it. Its room for the server is
    small, because a busy machine may take all of the snippet's time to hand out gigabytes."""
    if not cgroups.parents().get("memory"):
        pytest.skip("no memory cgroup that may be changed")
    monkeypatch.setattr(launching, "SERVER_MEMORY", 256 * 2**20)
    wide = msgspec.structs.replace(LIMITS, memory=64 * 1024**3)
    with Sandbox(limits=LIMITS) as alone:
        outcome = alone.run("held = []\nwhile True: held.append(b'x' * 50_000_000)", limits=wide)
        assert (outcome.status, outcome.detail) == ("memory", "the kernel ended it: out of memory")
        assert alone.run("result = 1").result == 1
        assert len(alone.server_pids()) == 1


@pytest.mark.parametrize("left_out", [(), ("bubblewrap",)])
def test_servers_and_snippets_die_with_a_killed_caller(left_out: tuple[Name, ...]) -> None:
    script = (
        f"from karat.sandbox import Sandbox\nbox = Sandbox(without={left_out!r})\nbox.run('1')\n"
        "print('up', flush=True)\nbox.run('while True: pass')"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None
        assert caller.stdout.readline() == b"up\n"
        time.sleep(0.3)
        family = descendants(caller.pid)
        assert len(family) >= 2
        caller.kill()
        caller.wait()
    assert all_gone(family)
    with Sandbox(without=["bubblewrap"]) as after:  # which also tidies up what the killed one could not
        after.run("1")
    assert not list(Path(tempfile.gettempdir()).glob(f"karat-sandbox-{caller.pid}-*"))
    assert not [made for place in cgroups.parents().values() for made in place.glob(f"karat-{caller.pid}-*")]


def test_a_server_that_is_late_is_not_said_to_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.sandbox.server_process.START", 0.0)
    with Sandbox(limits=LIMITS) as box, pytest.raises(UserError, match="it said nothing for 0 seconds") as caught:
        box.run("1")
    assert "too busy" in caught.value.hint
