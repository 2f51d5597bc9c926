"""50 clients at once: every one gets its page, also when others hang up in the middle."""

from __future__ import annotations

from pathlib import Path

from benchmarks.viewer_load import fill, load, pages


def test_fifty_clients_get_their_pages(tmp_path: Path) -> None:
    store = str(tmp_path / "karat.db")
    fill(store, 120)
    found = load(store, 120, clients=50, requests=2)
    assert set(found.statuses) == {"200", "hung up"}, found.statuses
    assert found.statuses["hung up"] == 5 and found.statuses.total() == 100
    assert set(found.seconds) == set(pages(120)) and all(found.seconds.values()) and found.cost.peak_mb > 0
