"""Nothing gets out: every file in hostile/ gets the verdict in its name, everywhere, and the next snippet runs as if
nothing had been.

A name is VERDICT__what.snippet, several verdicts joined by _or_. ``ok`` means: it ran, and what it achieved (its
``result``) is nothing. ``other``: its answer was something with no plain form, and came back as its class and a text. A
first line ``# costs: wall 0.3, cpu 0.2, memory 60`` says what it took at least (seconds, MB), however it tried to hide
that.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from karat.sandbox import Status
from tests.sandbox.boxes import LIMITS, SECRET, Box
from tests.sandbox.conftest import Outside

FILES = sorted((Path(__file__).parent / "hostile").glob("*.snippet"))
SALES: dict[str, object] = {"sales": {"price": [1, 2, 3], "item": ["a", "b", None]}}
NORMAL = (
    "import pandas as pd\n"
    "result = [int(df.price.sum()), len(pd.read_csv('sales.csv')), sorted(__import__('os').listdir('.'))]"
)
SHORT = msgspec.structs.replace(LIMITS, wall=0.6)


def verdicts(file: Path) -> list[str]:
    return file.name.partition("__")[0].split("_or_")


def costs(file: Path) -> dict[str, float]:
    """What the first line says that the snippet takes at least."""
    first = file.read_text().partition("\n")[0]
    if not first.startswith("# costs: "):
        return {}
    found = dict(part.split(" ") for part in first.removeprefix("# costs: ").split(", "))
    return {
        "peak_memory" if name == "memory" else name: float(least) * (1024**2 if name == "memory" else 1)
        for name, least in found.items()
    }


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_is_contained_and_recorded_as_what_it_is(any_box: Box, outside: Outside, file: Path) -> None:
    any_box.run("1")
    servers = any_box.pids()
    wanted = verdicts(file)
    seen = any_box.run(outside.fill(file.read_text()), SALES, SHORT if wanted == ["timeout"] else LIMITS)

    assert (seen.status in wanted) or (wanted == ["other"] and seen.status == "ok"), seen
    if seen.status == "ok":
        if wanted != ["other"]:
            assert seen.result == [], seen
        else:
            assert isinstance(seen.result, dict) and set(seen.result) == {"type", "text"}, seen
    for figure, least in costs(file).items():
        assert getattr(seen, figure) >= least, (figure, seen)
    assert SECRET not in msgspec.json.encode(seen).decode()
    assert outside.intact()

    after = any_box.run(NORMAL, SALES)
    assert (after.status, after.result) == ("ok", [6, 3, ["sales.csv"]])
    assert any_box.pids() == servers, "the server was replaced"


def test_every_file_is_named_for_a_verdict_that_exists() -> None:
    known = {*get_args(Status), "other"}
    assert {verdict for file in FILES for verdict in verdicts(file)} <= known
