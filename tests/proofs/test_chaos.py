"""The short form of ``make chaos``: one round with a fixed seed."""

from __future__ import annotations

import random

import pytest

from tests.proofs.chaos.__main__ import Round, a_round
from tests.proofs.chaos.faults import (
    cut_connections,
    fill_disk,
    kill_runner,
    kill_worker,
    server_clock_jumps,
)
from tests.proofs.chaos.world import a_world


@pytest.mark.timeout(600)
def test_the_books_balance_after_a_short_chaos() -> None:
    """Two of its five runs: the others need as long again to start."""
    faults = [fill_disk, cut_connections, kill_worker, server_clock_jumps, kill_runner]
    given = Round(1, 8, faults, pause=0.6, delay=0.1, lines=[("answers", True), ("data_query", False)])
    with a_world(workers=1) as world:
        wrong, ends = a_round(world, random.Random(15), given)
    assert not wrong, "\n".join(wrong)
    assert ends.total() - ends["processes"] == 16, "all cases of two runs"
    assert ends["scored"] > 8 and ends["error"] > 0 and ends["processes"] >= 2, ends
