"""The remote files that a stored run was made from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from karat.core.bulk.sequence import in_chunks
from karat.core.remote.address import is_url
from karat.core.remote.missing_copies import fetch_again

if TYPE_CHECKING:
    from karat.store.records import RunRecord
    from karat.store.store import Store


def fetch_inputs(store: Store, run_id: int, record: RunRecord) -> None:
    """Fetch the files that the run's cases and answers name, where their copies here are gone."""
    if is_url(record.config.get("cases_path")) or is_url(record.config.get("system", {}).get("predictions")):
        fetch_again(_held(store, run_id), record.config)


def _held(store: Store, run_id: int) -> Iterator[bytes]:
    """The stored cases and answers, a chunk at a time."""
    for chunk in store.case_chunks(run_id):
        yield from chunk
    for ids in in_chunks(store.case_ids(run_id)):
        yield from (one.response for one in store.case_predictions(run_id, ids))
