"""What all tests share: where the real data lies, and a word when it does not."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.quick_codegen import take_few_pairs

ROOT = Path(__file__).resolve().parent.parent
GARBAGE = (10_000, 10, 10)
"""After how many new objects Python looks for garbage. With its own 700 a test that parses every file of karat spends
four fifths of its time on that."""
NO_SHARED_DATA = "../shared, the real test data beside the project, is not there"
"""Why tests against real data are skipped. One text, so that ``make test`` can say once how many."""

# How long an example takes says how busy the machine is. No test may fail by that.
settings.register_profile("karat", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("karat")

# A shell script starts what it puts into the background with Ctrl-C ignored, and every child inherits that: the tests
# that press it would wait for a process that never hears of it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Until all tests are collected, nearly all that is made stays: to look through it takes a third of that time.
gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long forms to ``make proofs``."""
    if not os.environ.get("KARAT_PROOFS"):
        long = [item for item in items if item.get_closest_marker("proof")]
        if long:
            config.hook.pytest_deselected(items=long)
            items[:] = [item for item in items if item not in long]


def pytest_collection_finish() -> None:
    """What is there by now stays to the end: a part holds a gigabyte of modules and tests, and looking through all of
    it for garbage again and again takes a tenth of its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE)
    gc.enable()


def pytest_unconfigure() -> None:
    """Libraries complain of what they find alive at the end."""
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def few_pairs() -> None:
    """In every test; those of the timing itself set how many they take."""
    take_few_pairs()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real test data beside the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip(NO_SHARED_DATA)
    return folder
