"""Which cases two runs answer otherwise: as their answers read, in every form in which an answer is stored."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from karat.core.records import CallError, Prediction, join_attempts
from karat.core.replies.answer_text import answers_of
from karat.core.results.result import RunInfo, RunResult
from karat.store import RunRecord, Store, open_store
from karat.web.app import create_app
from karat.web.compare.changes import changed_answers
from tests.web.sample_store import a_case, summary_of

PLAIN = b"forty"
CHAT = b'{"id": "%d", "choices": [{"message": {"content": "%s"}}]}'
TRACE = b'{"trace": [1]}'
PAIRS: dict[str, tuple[list[Prediction], list[Prediction]]] = {
    "same": ([Prediction("", response=PLAIN)], [Prediction("", response=PLAIN)]),
    "other": ([Prediction("", response=PLAIN)], [Prediction("", response=b"forty-one")]),
    "same words, other envelope": (
        [Prediction("", response=CHAT % (1, b"forty"))],
        [Prediction("", response=CHAT % (2, b"forty"))],
    ),
    "other words": ([Prediction("", response=CHAT % (1, b"forty"))], [Prediction("", response=CHAT % (1, b"four"))]),
    "chat and plain": ([Prediction("", response=CHAT % (1, b"forty"))], [Prediction("", response=PLAIN)]),
    "repaired": (
        [Prediction("", response=join_attempts([b"nothing", PLAIN]))],
        [Prediction("", response=join_attempts([b"something", PLAIN]))],
    ),
    "with its trace": ([Prediction("", response=PLAIN, trace=TRACE)], [Prediction("", response=PLAIN)]),
    "failed and not": ([Prediction("", error=CallError("http_500", "gone", 1))], [Prediction("", response=PLAIN)]),
    "failed alike": (
        [Prediction("", error=CallError("http_500", "gone", 1))],
        [Prediction("", error=CallError("http_500", "gone", 9))],
    ),
    "asked again": (
        [Prediction("", response=b"old"), Prediction("", response=PLAIN)],
        [Prediction("", response=PLAIN)],
    ),
    "several tries": (
        [Prediction("", repeat=0, response=PLAIN), Prediction("", repeat=1, response=PLAIN)],
        [Prediction("", repeat=0, response=b"four"), Prediction("", repeat=1, response=PLAIN)],
    ),
    "tries in another order": (
        [Prediction("", repeat=0, response=PLAIN), Prediction("", repeat=1, response=b"four")],
        [Prediction("", repeat=1, response=b"four"), Prediction("", repeat=0, response=PLAIN)],
    ),
    "no answer in one": ([Prediction("", response=PLAIN)], []),
    "no answer in either": ([], []),
    "empty": ([Prediction("", response=b"")], [Prediction("", response=b"")]),
    "not UTF-8": ([Prediction("", response=b"\xff\x00")], [Prediction("", response=b"\xff\x01")]),
}
DIFFER = {"other", "other words", "failed and not", "several tries", "no answer in one", "not UTF-8"}


@pytest.mark.parametrize("late", [False, True], ids=["in blocks", "the last ones in rows"])
def test_answers_differ_as_people_read_them(tmp_path: Path, late: bool) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        for side in (0, 1):
            _add(store, side, late=late)
        viewer = create_app(url).state.viewer
        found = changed_answers(viewer, store.run_row(1), store.run_row(2))
        said = [answers_of(store.predictions(run), PAIRS) for run in (1, 2)]
    assert set(found) == DIFFER
    assert found == tuple(case for case in PAIRS if said[0].get(case) != said[1].get(case))


def _add(store: Store, side: int, *, late: bool) -> None:
    """One run of the pairs. ``late``: the last answers come when the others are stored."""
    answers = [msgspec.structs.replace(one, case_id=case) for case, pair in PAIRS.items() for one in pair[side]]
    run = store.create_run(RunRecord(suite="data_query", cases=len(PAIRS), status="running"))
    store.add_predictions(run, answers[:6])
    store.add_predictions(run, answers[6:-2] if late else answers[6:])
    cases = [msgspec.structs.replace(a_case(place, True, 1.0), id=case) for place, case in enumerate(PAIRS)]
    store.add_scoring(run, RunResult(RunInfo("data_query", cases=len(cases)), summary_of(cases), tuple(cases)))
    store.set_status(run, "finished")
    if late:
        store.add_predictions(run, answers[-2:])
