"""Reading SDMX structures: Karat's own reader beside sdmx1, over every message in the shared data.

Per side: how many messages load, how many codes and lists they hold, and the time and memory of a fresh process that
reads the largest message; then how each side meets hostile XML. sdmx1 is no dependency: install it, or put it on
PYTHONPATH, to measure that side (``pip install --target FOLDER sdmx1``).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory

from benchmarks import measure

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
REPEATS = 5
_SPACE = "http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"
_MESSAGE = f'<Structure xmlns="{_SPACE}"><Structures>{{}}</Structures></Structure>'
_BOMB = "".join(f'<!ENTITY {b} "{10 * f"&{a};"}">' for a, b in zip("abcdefg", "bcdefgh", strict=True))
HOSTILE = {
    "entity bomb": f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{_BOMB}]>{_MESSAGE.format("&h;")}',
    "outside file": f'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>{_MESSAGE.format("&e;")}',
    "100,000 levels": _MESSAGE.format("<x>" * 100_000 + "</x>" * 100_000),
    "cut off": _MESSAGE[:-30].format(""),
}


def messages() -> list[Path]:
    """Every structure message of the shared data."""
    found = [*SHARED.glob("sdmx2/**/*.xml"), *SHARED.glob("sdmx/**/*.xml"), *SHARED.glob("sdmx/**/*.json")]
    return sorted(found)


def with_karat(file: Path) -> tuple[int, int]:
    """(lists with codes, codes)."""
    from karat.suites.data_query.structures.files import read_files

    lists = [one for one in read_files([file]).codelists if one.codes]
    return len(lists), sum(len(one.codes) for one in lists)


def with_sdmx1(file: Path) -> tuple[int, int]:
    """The same."""
    import contextlib
    import io
    import logging

    import sdmx

    logging.disable(logging.CRITICAL)
    with contextlib.redirect_stdout(io.StringIO()):
        found = sdmx.read_sdmx(file)
    lists = [one for one in found.codelist.values() if len(one)]
    return len(lists), sum(len(one) for one in lists)


SIDES: dict[str, Callable[[Path], tuple[int, int]]] = {"karat": with_karat, "sdmx1": with_sdmx1}


def main() -> None:
    measure.heading("structures", "every structure message of the shared data, the largest timed in fresh processes")
    if not SHARED.is_dir():
        print("  the shared data is not beside the project")
        return
    sides = [side for side in SIDES if side != "sdmx1" or importlib.util.find_spec("sdmx")]
    files = messages()
    # Fresh processes first: one that is started later begins with the memory that this one has taken by then.
    largest = next(file for file in sorted(files, key=_size, reverse=True) if _reads_everywhere(file, sides))
    timed = {side: partial(measure.in_fresh_process, __name__, side, str(largest)) for side in sides}
    costs = measure.alternately(timed, REPEATS)
    rows = []
    for side in sides:
        read = [_tried(side, file) for file in files]
        done = [one for one in read if isinstance(one, tuple)]
        cost = costs[side]
        rows.append(
            [
                side,
                f"{len(done)} of {len(files)}",
                f"{sum(lists for lists, _ in done):,}",
                f"{sum(codes for _, codes in done):,}",
                f"{cost.wall * 1000:.0f} ms",
                f"{cost.peak_mb:.0f} MB",
            ]
        )
    measure.table(["", "messages", "lists", "codes", f"{largest.name} ({_size(largest) / 1e6:.2f} MB)", "memory"], rows)
    for side in sides:
        for file in files:
            if isinstance(said := _tried(side, file), str):
                print(f"  {side} cannot read {file.name}: {said[:100]}")
    with TemporaryDirectory() as name:
        for what, text in HOSTILE.items():
            hostile = Path(name, "hostile.xml")
            hostile.write_text(f'<?xml version="1.0"?>{text}')
            for side in sides:
                said = _tried(side, hostile)
                print(f"  {what}, {side}: {said[:110] if isinstance(said, str) else f'read, {said[1]} codes'}")
    if len(sides) == 2:
        ours, theirs = (costs[side].wall for side in sides)
        measure.verdict("karat / sdmx1, largest message both read", ours / theirs, at_most=1.0)


def _size(file: Path) -> int:
    return file.stat().st_size


def _reads_everywhere(file: Path, sides: list[str]) -> bool:
    try:
        for side in sides:
            measure.in_fresh_process(__name__, side, str(file))
    except CalledProcessError:
        return False
    return True


def _tried(side: str, file: Path) -> tuple[int, int] | str:
    try:
        return SIDES[side](file)
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _side(side: str, file: str) -> None:
    """One side in this process. Imports happen before the clock starts."""
    if side == "sdmx1":
        importlib.import_module("sdmx")
    else:
        importlib.import_module("karat.suites.data_query.structures.files")
    measure.say(measure.of_call(lambda: SIDES[side](Path(file))))


if __name__ == "__main__":
    _side(*sys.argv[1:])
