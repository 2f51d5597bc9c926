"""Other interpreters: without pandas, stopped when idle, and with packages that try to get out or to lie."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.sandbox import Sandbox, idle
from karat.sandbox.interpreter import interpreter
from tests.sandbox.conftest import Outside

WAYS = [(), ("bubblewrap",)]
"""With bubblewrap where it is installed, and without it."""

Make = Callable[[dict[str, str]], str]


@pytest.fixture(scope="session")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _venv(tmp_path_factory.mktemp("bare"), {})


@pytest.fixture
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    return lambda files: _venv(tmp_path_factory.mktemp("environment"), files)


def _venv(folder: Path, files: dict[str, str]) -> str:
    """An environment whose only packages are these files."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    for name, text in files.items():
        (packages / name).parent.mkdir(exist_ok=True)
        (packages / name).write_text(text)
    for place in (folder, *folder.parents):
        if place.stat().st_uid == os.geteuid() and place != Path("/"):
            place.chmod(place.stat().st_mode | 0o055)
    return str(folder / "bin" / "python")


def test_the_part_inside_needs_no_pandas_and_no_numpy(bare: str, tmp_path: Path) -> None:
    sales = tmp_path / "sales.csv"
    sales.write_text("item,price\na,1\nb,\n")
    with Sandbox(python=bare) as box:
        assert (box.versions().pandas, box.versions().numpy) == ("", "")
        given = box.run("result = df", {"t": {"a": [1, 2], "b": ["x", None]}})
        assert given.result == {"a": [1, 2], "b": ["x", None]}
        read = box.run("result = [df['price'], open('sales.csv').read(), 'pd' in globals()]", {"sales": sales})
        assert read.result == [[1, None], "item,price\na,1\nb,\n", False]
        csv = box.run("import csv; result = list(csv.reader(open('t.csv')))", {"t": {"a": [1], "b": ["x,y"]}})
        assert csv.result == [["a", "b"], ["1", "x,y"]]
        values = "import datetime, decimal\nresult = [datetime.timedelta(1), decimal.Decimal('1.5'), {1}, 2.5, None]"
        assert len(box.run(values).result) == 5
        missing = box.run("import pandas")
        assert missing.error is not None and missing.error.class_ == "ModuleNotFoundError"
        assert box.run("open('/etc/passwd').read()").status in ("error", "refused")
        with pytest.raises(UserError, match="parquet"):
            box.run("result = 1", {"p": _parquet(tmp_path)})


def _parquet(folder: Path) -> Path:
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame({"a": [1]}).to_parquet(folder / "p.parquet")
    return folder / "p.parquet"


def test_packages_are_known_by_their_files_alone(make: Make) -> None:
    about = "Metadata-Version: 2.1\nName: Some_Thing\nVersion: 1.2\n"
    python = make({"some_thing-1.2.dist-info/METADATA": about, "sitecustomize.py": "raise SystemExit('it ran')"})
    assert interpreter(python).distributions() == {"some-thing": "1.2"}


def test_a_path_with_dots_is_the_same_python(bare: str) -> None:
    dotted = Path(bare).parent / ".." / Path(bare).parent.name / Path(bare).name
    assert interpreter(str(dotted)).command == bare


def test_an_idle_server_is_stopped_and_started_again(bare: str) -> None:
    with Sandbox(python=bare, idle=0.2) as box:
        assert box.run("result = 1").ok
        until = time.monotonic() + 30
        while box.server_pids() and time.monotonic() < until:
            time.sleep(0.05)
        assert box.server_pids() == ()
        assert box.run("result = 2").result == 2


def test_servers_that_wait_go_when_memory_is_short(bare: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(python=bare) as one, Sandbox(python=bare) as other:
        assert one.run("result = 1").ok
        assert len(one.server_pids()) == 1
        monkeypatch.setattr(idle, "memory_short", lambda: True)
        assert other.run("result = 1").ok
        assert one.server_pids() == ()
        assert one.run("result = 3").result == 3


# -- packages that mean harm ------------------------------------------------------------------------------------------

TRIES = """
import builtins, os, socket
found = {"uid": os.getuid() == 0}
def tried(name, what):
    try:
        found[name] = str(what())[:50]
    except BaseException as error:
        found[name] = None
tried("read", lambda: open("@CANARY@").read())
tried("write", lambda: open("@CANARY@", "w").write("x"))
tried("create", lambda: open(os.path.dirname("@CANARY@") + "/new", "w").write("x"))
tried("tcp", lambda: socket.create_connection(("127.0.0.1", @PORT@), 2))
tried("tests", lambda: os.kill(@TESTS@, 0))
tried("own", lambda: open(__file__, "a").write("x"))
builtins.found = found
"""


FAKE = """
class _Any(type):
    def __getattr__(cls, name):
        return _Any(name, (), {})
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Any(name, (), {})
__version__ = "1.5.3"
"""
"""Enough of a pandas for the server to start."""


@contextmanager
def _opened(python: str, without: tuple[str, ...]) -> Iterator[Sandbox]:
    with Sandbox(python=python, without=without) as box:  # type: ignore[arg-type]  # names of layers
        yield box


@pytest.mark.parametrize("without", WAYS, ids=["bubblewrap", "alone"])
@pytest.mark.parametrize("door", ["sitecustomize.py", "start.pth", "pandas/__init__.py"])
def test_what_packages_run_at_the_start_reaches_nothing(
    make: Make, outside: Outside, door: str, without: tuple[str, ...]
) -> None:
    code = outside.fill(TRIES)
    files = {door: code + FAKE} if door.endswith(".py") else {"evil.py": code, door: "import evil\n"}
    with _opened(make(files), without) as box:
        outcome = box.run("import builtins; result = builtins.found")
    assert outcome.ok, outcome
    assert {name for name, value in outcome.result.items() if value} == set(), outcome.result
    assert outside.intact()


PATCH = """
import sys, threading, time
frame, own = sys._getframe(), None
while own is None:
    own, frame = frame.f_locals.get("own"), frame.f_back
def found(name):
    return vars(own["box." + name])
def patch():
    while not hasattr(own.get("box.main"), "main"):
        time.sleep(0.001)
    @BODY@
threading.Thread(target=patch, daemon=True).start()
"""
"""The server's modules are in no list, but code that is imported by them can look up who called it."""
LIES = {
    "a table of a size that it is not": (
        """found("snippet")["run"] = lambda *a: b'{"status": "ok", "result": {"k": "table", "height": 900000000,'
b' "columns": [], "counted": true, "index": []}}'""".replace("\n", ""),
        ("result_too_large",),
    ),
    "no message": ("""found("snippet")["run"] = lambda *a: b'so'""", ("bad_message",)),
    "columns of other heights": (
        """found("snippet")["run"] = lambda *a: b'{"status": "ok", "result": {"k": "table", "height": 2, """
        """"columns": [{"name": "a", "dtype": "", "values": [1]}], "counted": true, "index": []}}'""",
        ("bad_message",),
    ),
    "time that has not passed": (
        """w = found("watching")["Watch"]; e = w.until_the_end; """
        """w.until_the_end = lambda *a: {**e(*a), "wall": 1e6}""",
        ("server_died",),
    ),
    "less than no time": (
        """w = found("watching")["Watch"]; e = w.until_the_end; """
        """w.until_the_end = lambda *a: {**e(*a), "wall": -1.0}""",
        ("server_died",),
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_pandas_that_lies_is_checked_like_any_result(make: Make, lie: str) -> None:
    body, statuses = LIES[lie]
    with Sandbox(python=make({"pandas/__init__.py": FAKE + PATCH.replace("@BODY@", body)})) as box:
        box.versions()
        seen = {box.run("import time; time.sleep(0.05); result = 1").status for _ in range(3)}
    assert seen & set(statuses), seen


def test_a_version_that_is_a_book_is_refused(make: Make) -> None:
    python = make({"pandas/__init__.py": FAKE + "__version__ = 'x' * 10_000\n"})
    with Sandbox(python=python) as box, pytest.raises(UserError, match="did not start"):
        box.versions()


def test_a_package_that_ends_the_server_at_its_start_is_an_error(make: Make) -> None:
    python = make({"pandas/__init__.py": "import os; os._exit(0)\n"})
    with Sandbox(python=python) as box, pytest.raises(UserError, match="did not start"):
        box.run("result = 1")


FORGERIES = """
import ast, builtins, io, json, json.encoder, os, pickle, select, struct, sys, time
FORGED = b'{"status": "ok", "result": 6}'
def forged(*args, **more):
    return FORGED.decode()
json.dumps = forged
json.encoder.JSONEncoder.encode = json.encoder.JSONEncoder.iterencode = forged
json.encoder.c_make_encoder, json.encoder._make_iterencode = None, lambda *args, **more: lambda *args: [forged()]
write, run, read, tree, bring = os.write, builtins.exec, builtins.compile, ast.parse, builtins.__import__
def writes(fd, data):
    return write(fd, struct.pack("<I", len(FORGED)) + FORGED) if b"status" in bytes(data) else write(fd, data)
def runs(code, names=None, *more):
    run(code, names, *more)
    if names is not None and "result" in names:
        names["result"] = 6
def reads(text, *args, **more):
    return read("result = 6" if isinstance(text, str) and "result" in text else text, *args, **more)
def brings(name, *args, **more):
    found = bring(name, *args, **more)
    if name == "json":
        found.dumps = forged
    return found
os.write, builtins.exec, builtins.compile, builtins.__import__ = writes, runs, reads, brings
ast.parse = lambda text, *args, **more: tree("result = 6", *args, **more)
time.monotonic = time.perf_counter = time.process_time = time.clock_gettime = lambda *args: 0.0
os.wait4 = lambda pid, how: (pid, 0, None)
os.read = select.poll = io.BytesIO = None
pickle.dumps = pickle.loads = lambda *args: 6
builtins.repr = builtins.ascii = builtins.round = lambda *args: '6'
sys.modules["box"] = sys.modules["box.snippet"] = sys
"""


@pytest.mark.parametrize("door", ["sitecustomize.py", "start.pth"])
def test_packages_that_patch_python_change_neither_results_nor_times(make: Make, door: str) -> None:
    python = make({door: FORGERIES} if door.endswith(".py") else {"evil.py": FORGERIES, door: "import evil\n"})
    work = "number = 0\nfor one in range(300_000):\n    number += 1\nresult = number - 299_995"
    with Sandbox(python=python) as box:
        given = box.run(work)
        wrong = box.run("raise KeyError('6')")
    assert (given.status, given.result) == ("ok", 5), given
    assert given.wall > 0.001 and given.cpu > 0.001, given
    assert wrong.error is not None and (wrong.error.class_, wrong.error.message) == ("KeyError", "'6'")


@pytest.mark.parametrize(
    ("patch", "says"),
    [
        ("import builtins; builtins.sum = lambda *args: 6", "a calculation"),
        ("import builtins as b; e = b.eval; b.eval = lambda t, *a: t == '1 == 2' or e(t, *a)", "a calculation"),
        ("import select; select.select = lambda *args: ([], [], [])", "a pause"),
    ],
)
def test_an_environment_that_computes_wrongly_is_an_error(make: Make, patch: str, says: str) -> None:
    box = Sandbox(python=make({"sitecustomize.py": patch}), environment="theirs", verify=True)
    with box, pytest.raises(UserError, match=f"wrong results: {says}"):
        box.run("result = 1")


SHARED = """
import builtins, mmap
kept, largest = mmap.mmap(-1, 8), builtins.max
def remembers(*values, **how):
    if values != ([1, 2, 6],) and values != ([1, 2],):
        return largest(*values, **how)
    if not any(kept[:]):
        kept[:] = largest(*values).to_bytes(8, "little")
    return int.from_bytes(kept[:], "little")
builtins.max = remembers
"""


def test_an_answer_is_not_shown_what_a_reference_gave(make: Make) -> None:
    with Sandbox(python=make({"sitecustomize.py": SHARED})) as box:
        assert box.apart() is box.apart() is box.apart().apart() is not box
        assert box.apart().run("result = max([1, 2, 6])").result == 6
        assert box.run("result = max([1, 2])").result == 2
        pids = box.apart().server_pids()
        assert pids and not set(pids) & set(box.server_pids())
    own = Sandbox()
    assert own.apart() is own
