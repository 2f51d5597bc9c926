"""Which lines of ``src/karat`` the tests run in their own process, and whether there are enough of them.

    python -m pytest -p tests.line_coverage --lines-to FILE tests/core
    python -m tests.line_coverage FLOOR FILE...

Each line gets a probe when its module is imported. The command line of slipcover does more: it changes ``os.fork`` and
``os._exit`` to collect what child processes ran, which is slow and unsafe where tests kill processes in every state.
Children that are started anew are not measured, so the share is lower than what is really run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from slipcover import Slipcover

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "karat"
NOT_MEASURED = (
    "search/ranks/compiled.py",  # numba cannot compile code with probes in it
    "search/gpu/kernels.py",  # runs on a GPU
    "sandbox/server/",  # runs inside the sandbox, in a process of its own
    "suites/codegen/written_files/sandbox_reader.py",  # likewise
)
STAY = 1_000_000_000
"""After how many hits a probe is taken out: never, because that crashes Python 3.11 now and then (slipcover 1.1.0)."""
LEAST_SHOWN = 10
MEASURE = pytest.StashKey["Measure"]()


class Measure:
    """Measures the modules of karat that are imported from now on."""

    def __init__(self, slipcover: Slipcover) -> None:
        self.slipcover = slipcover
        loaded = [name for name in sys.modules if name.partition(".")[0] == "karat"]
        if loaded:
            raise pytest.UsageError(f"--lines-to cannot measure {loaded[0]}: it was imported before the tests started")
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """A module of karat with a loader that adds probes; None for every other module."""
        if name.partition(".")[0] != "karat":
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader and _measured(Path(spec.loader.path)):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self.slipcover)
        return spec

    def write(self, file: Path) -> None:
        """The lines of every imported file that were run, and those that were not."""
        files = self.slipcover.get_coverage()["files"]
        lines = {
            str(Path(name).resolve().relative_to(SOURCE)): [found["executed_lines"], found["missing_lines"]]
            for name, found in files.items()
        }
        file.write_text(json.dumps(lines))


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, slipcover: Slipcover) -> None:
        super().__init__(name, path)
        self._slipcover = slipcover

    def exec_module(self, module: ModuleType) -> None:
        code = self.get_code(module.__name__)
        assert code is not None
        exec(self._slipcover.instrument(code), module.__dict__)


def _measured(file: Path) -> bool:
    return file.is_relative_to(SOURCE) and not str(file.relative_to(SOURCE)).startswith(NOT_MEASURED)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that switches this on."""
    parser.addoption("--lines-to", metavar="FILE", help="write which lines of src/karat were run")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any conftest.py, and with it karat, is imported."""
    if early_config.known_args_namespace.lines_to:
        from slipcover import Slipcover

        early_config.stash[MEASURE] = Measure(Slipcover(d_miss_threshold=STAY, exclude_lines=[]))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Also after failed tests."""
    measure = config.stash.get(MEASURE, None)
    if measure is not None:
        measure.write(Path(config.invocation_params.dir, config.getoption("--lines-to")))


def share(files: Sequence[Path]) -> tuple[int, int, list[tuple[float, str, int]]]:
    """How many lines were run by any part, how many there are, and per file (share, name, lines not run)."""
    run: dict[str, set[int]] = {}
    every: dict[str, set[int]] = {}
    for file in files:
        for name, (executed, missing) in json.loads(file.read_text()).items():
            run.setdefault(name, set()).update(executed)
            every.setdefault(name, set()).update(executed, missing)
    for file in SOURCE.rglob("*.py"):
        name = str(file.relative_to(SOURCE))
        if name not in every and _measured(file):
            run[name], every[name] = set(), _lines(file)
    by_file = sorted(
        (len(run[name]) / len(lines), name, len(lines - run[name])) for name, lines in every.items() if lines
    )
    return sum(map(len, run.values())), sum(map(len, every.values())), by_file


def _lines(file: Path) -> set[int]:
    """The lines of a module that nobody imported."""
    from slipcover import Slipcover

    return set(Slipcover.lines_from_code(compile(file.read_bytes(), str(file), "exec", dont_inherit=True)))


def main(floor: str, *files: str) -> int:
    """Print the share of lines that were run, and the files with most others. 1 if the share is below the floor."""
    missing = [file for file in files if not Path(file).is_file()]
    if missing:
        print(f"{', '.join(missing)}: not written. Did the tests of this part start?")
        return 1
    run, every, by_file = share([Path(file) for file in files])
    if not every:
        print("no line was measured")
        return 1
    for part, name, left in sorted(by_file, key=lambda one: -one[2])[:LEAST_SHOWN]:
        print(f"{part:6.1%}  {left:4} lines not run  {name}")
    per_cent = 100 * run / every
    print(f"{per_cent:.1f} % of {every:,} lines of src/karat were run; the floor is {floor} %")
    return int(per_cent < float(floor))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
