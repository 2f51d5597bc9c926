"""Rows come in batches that grow while they are small, so that a few huge cells are seen one by one."""

from __future__ import annotations

from itertools import islice

import pytest

from karat.engines.protocol import EngineError
from karat.engines.query import fetching
from karat.engines.query.fetching import Row, fetched


def test_batches_grow_and_end_at_the_limit() -> None:
    rows = iter([(number,) for number in range(100_000)])
    asked: list[int] = []

    def fetchmany(count: int) -> list[Row]:
        asked.append(count)
        return list(islice(rows, count))

    found, truncated = fetched(fetchmany, 30_000)
    assert (len(found), truncated, found[-1]) == (30_000, True, (29_999,))
    assert asked[:4] == [1, 2, 4, 8] and max(asked) == fetching.BATCH


def test_huge_cells_are_fetched_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SMALL", 100)
    monkeypatch.setattr(fetching, "MOST_CHARACTERS", 10_000)
    made = 0

    def fetchmany(count: int) -> list[Row]:
        nonlocal made
        made += count
        return [("x" * 1000,)] * count

    with pytest.raises(EngineError, match="more than 10,000 characters"):
        fetched(fetchmany, 1_000_000)
    assert made == 11
