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
def patch():
    while "box.main" not in sys.modules or not hasattr(sys.modules["box.main"], "main"):
        time.sleep(0.001)
    @BODY@
threading.Thread(target=patch, daemon=True).start()
"""
LIES = {
    "a table of a size that it is not": (
        """sys.modules["box.snippet"].run = lambda *a: b'{"status": "ok", "result": {"k": "table", "height": 900000000,'
b' "columns": [], "counted": true, "index": []}}'""".replace("\n", ""),
        ("result_too_large",),
    ),
    "no message": ("""sys.modules["box.snippet"].run = lambda *a: b'so'""", ("bad_message",)),
    "columns of other heights": (
        """sys.modules["box.snippet"].run = lambda *a: b'{"status": "ok", "result": {"k": "table", "height": 2, """
        """"columns": [{"name": "a", "dtype": "", "values": [1]}], "counted": true, "index": []}}'""",
        ("bad_message",),
    ),
    "time that has not passed": (
        """w = sys.modules["box.watching"].Watch; e = w.until_the_end; """
        """w.until_the_end = lambda *a: {**e(*a), "wall": 1e6}""",
        ("server_died",),
    ),
    "less than no time": (
        """w = sys.modules["box.watching"].Watch; e = w.until_the_end; """
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
