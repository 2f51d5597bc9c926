"""One store, many threads: answers that are stored while others are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from karat.core.records import Prediction
from karat.store import Store
from tests.store.samples import a_run


def test_many_threads_write_and_read_at_once(store: Store) -> None:
    """With a connection for each thread and room for five, the sixth thread closed one that was in use, and Python
    crashed."""
    run = store.create_run(a_run())

    def work(number: int) -> int:
        for step in range(10):
            store.add_predictions(run, [Prediction(f"c{number}", repeat=step, response=b"x")])
            store.progress(run)
        return number

    with ThreadPoolExecutor(24) as pool:
        assert sorted(pool.map(work, range(24))) == list(range(24))
    assert store.progress(run).answered == 240
