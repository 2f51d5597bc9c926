"""Steps that build on each other: what one leaves is there for the next, and a failed one leaves no trace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import msgspec
import pytest

from karat.sandbox import Limits, Sandbox
from karat.sandbox.layers import Name
from karat.sandbox.records import MB

SALES = {"sales": {"price": [1, 2, 3]}}
FILES = "sorted(__import__('os').listdir('.'))"
LIMITS = Limits(wall=10.0, memory=512 * MB, files=8 * MB)
THREAD = "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"


@pytest.fixture(scope="module", params=["with bubblewrap", "without"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "with bubblewrap" and not shutil.which("bwrap"):
        pytest.skip("bubblewrap is not installed")
    if request.param == "without" and os.geteuid() != 0:
        pytest.skip("only root makes namespaces without bubblewrap")
    left_out: tuple[Name, ...] = ("bubblewrap",) if request.param == "without" else ()
    with Sandbox(limits=LIMITS, without=left_out) as made:
        yield made


@pytest.mark.parametrize("fork", [True, False], ids=["forked", "replayed"])
def test_a_step_finds_what_the_one_before_left(box: Sandbox, fork: bool) -> None:
    with box.session(SALES, fork=fork) as session:
        first = session.step("total = df.price.sum()\nopen('a', 'w').write('x')\nprint('one')\nresult = total")
        second = session.step(f"print('two')\nresult = [int(total), {FILES}]", first.snapshot)
    assert session.forks is fork
    assert (first.outcome.result, first.outcome.stdout, first.replayed) == (6, "one\n", False)
    assert (second.outcome.result, second.outcome.stdout) == ([6, ["a", "sales.csv"]], "two\n")
    assert second.replayed is not fork and second.repeatable


@pytest.mark.parametrize("known", [True, False], ids=["known before", "asked step by step"])
def test_duckdb_in_a_session(box: Sandbox, known: bool) -> None:
    """In a forked process it ended with SIGSEGV, because it could not read that process's own limits."""
    pytest.importorskip("duckdb")
    query = "import duckdb\ncon = duckdb.connect()\nresult = con.execute('SELECT sum(price) FROM sales').fetchall()"
    with box.session(SALES, code=query if known else "") as session:
        first = session.step("sales = sales[sales.price > 1]\nresult = len(sales)")
        second = session.step(query, first.snapshot)
        third = session.step("result = con.execute('SELECT count(*) FROM sales').fetchall()", second.snapshot)
    assert [one.outcome.result for one in (first, second, third)] == [2, [(5,)], [(2,)]]
    assert third.repeatable


def test_a_library_that_crashes_in_a_forked_process_has_one_that_was_not(box: Sandbox) -> None:
    """Which libraries code uses is not always in its text."""
    pytest.importorskip("duckdb")
    hidden = (
        "con = __import__('duck' + 'db').connect()\nresult = con.execute('SELECT sum(price) FROM sales').fetchall()"
    )
    with box.session(SALES) as session:
        first = session.step("kept = 1\nresult = kept")
        second = session.step(hidden, first.snapshot)
        third = session.step("result = [kept, con.execute('SELECT 2').fetchall()]", second.snapshot)
    assert [one.outcome.result for one in (first, second, third)] == [1, [(6,)], [1, [(2,)]]]
    assert second.replayed and third.replayed


FILES_IN_MEMORY = """
import os, time
name = 'big'
with open(name, 'wb') as file:
    if not {named}:
        os.unlink(name)
    for _ in range(30):
        file.write(bytes(2**20))
    file.flush()
    time.sleep({seconds})
    if {named}:
        os.unlink(name)
result = 1
"""


@pytest.mark.parametrize("named", [True, False])
def test_files_count_as_memory_also_those_without_a_name(box: Sandbox, named: bool) -> None:
    code = FILES_IN_MEMORY.format(named=named, seconds=0.1)
    limits = Limits(wall=10.0, memory=512 * MB)
    found = [box.run(code, {}, limits=limits)]
    with box.session({}, limits=limits) as session:
        found.append(session.step(code).outcome)
    empty = box.run("result = 1", {}).peak_memory
    assert all(29 < (one.peak_memory - empty) / 2**20 < 40 for one in found), found


def test_files_beyond_the_limit_end_the_code_however_quick_it_is(box: Sandbox) -> None:
    code = "for n in range(3):\n    open(f'f{n}', 'wb').write(bytes(3 * 2**20))\nresult = 1"
    found = [box.run(code, {}, limits=LIMITS)]
    with box.session({}, limits=LIMITS) as session:
        found.append(session.step(code).outcome)
    assert [one.status for one in found] == ["output_limit", "output_limit"]


def test_memory_of_a_step_that_runs_again_in_the_same_process(box: Sandbox) -> None:
    """A process remembers the most that it ever held: what a later step holds is more than that, or what it left."""
    with box.session({}, fork=False) as session:
        first = session.step("x = bytes(b'x') * (40 * 2**20); del x")
        second = session.step("y = bytes(b'x') * (20 * 2**20)", first.snapshot)
    assert second.outcome.peak_memory / 2**20 > 19


def test_a_failed_step_leaves_no_trace(box: Sandbox) -> None:
    with box.session(SALES) as session:
        first = session.step("import os, random\nx = [1]\nrandom.seed(3)\nos.mkdir('in')\nos.chdir('in')\nresult = 0")
        look = "result = [x, os.path.basename(os.getcwd()), sorted(os.listdir('..')), random.random()]"
        before = session.step(look, first.snapshot)
        broken = "x.append(2)\nrandom.random()\nopen('../b', 'w').write('x')\nos.chdir('/')\n1/0"
        failed = session.step(broken, first.snapshot)
        after = session.step(look, first.snapshot)
    assert failed.snapshot is None and failed.outcome.error is not None
    assert failed.outcome.error.class_ == "ZeroDivisionError" and failed.outcome.error.line == 5
    assert after.outcome.result == before.outcome.result
    assert after.outcome.result[:3] == [[1], "in", ["in", "sales.csv"]]


def test_a_state_can_be_followed_more_than_once(box: Sandbox) -> None:
    with box.session(SALES) as session:
        states = [0]
        for _ in range(3):
            states.append(session.step("n = globals().get('n', 0) + 1\nresult = n", states[-1]).snapshot or -1)
        seen = [session.step("n * 10", state).outcome.result for state in states[1:]]
        fresh = session.step("n", 0)
    assert seen == [10, 20, 30]
    assert fresh.outcome.error is not None and fresh.outcome.error.class_ == "NameError"


def test_the_answer_is_what_this_step_says(box: Sandbox) -> None:
    with box.session(SALES) as session:
        first = session.step("result = df.price.tolist()")
        last_line = session.step("len(result)", first.snapshot)
        written_to = session.step("result[0] = 9", first.snapshot)
        nothing = session.step("other = result", first.snapshot)
        after_nothing = session.step("other", nothing.snapshot)
    assert (last_line.outcome.result, written_to.outcome.result) == (3, [9, 2, 3])
    assert nothing.outcome.status == "no_result"
    assert after_nothing.outcome.result == [1, 2, 3]


def test_threads_are_not_forked_but_their_steps_run_again(box: Sandbox) -> None:
    with box.session(SALES) as session:
        first = session.step(f"x = 5\n{THREAD}result = x")
        second = session.step("x += 1\nresult = [x, threading.active_count()]", first.snapshot)
        third = session.step("result = x", second.snapshot)
    assert [second.outcome.result, third.outcome.result] == [[6, 2], 6]
    assert (first.replayed, second.replayed, third.replayed) == (False, True, True)
    assert second.repeatable and third.repeatable


def test_polars_after_polars_does_not_hang(box: Sandbox) -> None:
    pytest.importorskip("polars")
    query = "pl.DataFrame({'a': [1, 1, 2]}).lazy().group_by('a').agg(pl.len()).sort('a').collect()['len'].to_list()"
    with box.session() as session:
        first = session.step(f"import polars as pl\nresult = {query}")
        second = session.step(f"result = {query}", first.snapshot)
    assert first.outcome.result == second.outcome.result == [2, 1]


def test_a_replay_with_other_results_is_said(box: Sandbox) -> None:
    with box.session() as session:
        first = session.step(f"import os\nx = os.urandom(8).hex()\n{THREAD}result = x")
        second = session.step("result = x", first.snapshot)
    assert second.replayed and not second.repeatable
    assert second.outcome.result != first.outcome.result


def test_unseeded_draws_are_the_same_in_every_replay(box: Sandbox) -> None:
    with box.session() as session:
        first = session.step(f"import random\n{THREAD}result = [random.random(), np.random.rand()]")
        second = session.step("result = [random.random(), np.random.rand()]", first.snapshot)
    assert second.replayed and second.repeatable and second.outcome.result != first.outcome.result


def test_the_oldest_of_more_than_twenty_states_are_made_again(box: Sandbox) -> None:
    with box.session() as session:
        states = [session.step("n = 0\nresult = n").snapshot]
        for _ in range(22):
            states.append(session.step("n += 1\nresult = n", states[-1]).snapshot)
        last = session.step("result = n", states[-1])
        early = session.step("result = n", states[1])
    assert (last.outcome.result, last.replayed) == (22, False)
    assert (early.outcome.result, early.replayed, early.repeatable) == (1, True, True)


def test_memory_is_counted_for_the_whole_session(box: Sandbox) -> None:
    """Each step alone is well below the limit."""
    limits = msgspec.structs.replace(LIMITS, memory=160 * MB)
    with box.session(limits=limits) as session:
        states: list[int | None] = [session.step("kept = []\nresult = 0").snapshot]
        for _ in range(3):
            states.append(session.step("kept = [np.ones(8_000_000)]\nresult = 1", states[0]).snapshot)
        oldest = session.step("result = len(kept[0])", states[1])
        newest = session.step("result = len(kept[0])", states[3])
    assert (oldest.outcome.result, oldest.replayed) == (8_000_000, True)
    assert (newest.outcome.result, newest.replayed) == (8_000_000, False)


def test_a_step_after_one_that_was_killed_runs_from_the_last_good_state(box: Sandbox) -> None:
    with box.session() as session:
        first = session.step("x = 1\nresult = x")
        slow = session.step("while True: pass", first.snapshot, limits=msgspec.structs.replace(LIMITS, wall=0.3))
        gone = session.step("import os\nos._exit(3)", first.snapshot)
        after = session.step("result = x", first.snapshot)
    assert (slow.outcome.status, slow.snapshot) == ("timeout", None)
    assert (gone.outcome.status, gone.snapshot) == ("no_result", None)
    assert after.outcome.result == 1 and not after.replayed


@pytest.mark.parametrize(
    "code",
    [
        "open('big', 'wb').truncate(7 << 20)\nopen('big2', 'wb').truncate(7 << 20)",
        "import os\nfor n in range(40): os.mkdir('d'); os.chdir('d')",
        "for n in range(5_100): open(str(n), 'w')",
    ],
    ids=["holes", "nested", "many"],
)
def test_a_folder_that_cannot_be_kept_ends_the_step(box: Sandbox, code: str) -> None:
    with box.session() as session:
        step = session.step(code + "\nresult = 1")
        after = session.step(FILES)
    assert (step.outcome.status, step.snapshot) == ("output_limit", None)
    assert after.outcome.result == []


def test_a_step_needs_a_state(box: Sandbox) -> None:
    with box.session() as session, pytest.raises(ValueError, match="a state"):
        session.step("1", None)


def test_the_server_is_as_good_as_new_afterwards(box: Sandbox) -> None:
    with box.session(SALES) as session:
        session.step("import pandas\npandas.mark = 1\nopen('mark', 'w').write('x')\nresult = 0")
        servers = list(box.server_pids())
    seen = box.run(f"result = [hasattr(pd, 'mark'), {FILES}]", SALES)
    assert seen.result == [False, []] or seen.result == [False, ["sales.csv"]]
    assert servers == []  # the session had it
