"""Notes of a run: kept with it, gone with it; and what older stores kept in the first answer of a run becomes one."""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest
import sqlalchemy as sa

from karat.core.problems import UserError
from karat.store import Store, open_store
from karat.store.database import revision
from karat.store.leases.lease_holder import this_process
from tests.store.samples import a_result, a_run, answer
from tests.store.test_schema import _engine

LONG = {"texts": ["a text that is kept compressed"] * 500, "none": None, "n": 3, "odd": "\u2400\x00"}


def test_notes_come_back_and_belong_to_every_scoring(store: Store) -> None:
    run, other = store.create_run(a_run()), store.create_run(a_run())
    assert store.notes(run) == {}
    store.add_notes(run, {"tuning": LONG, "größe\u2400\x00": [1.5]})
    store.add_notes(run, {})
    assert store.notes(run) == {"tuning": LONG, "größe\u2400\x00": [1.5]}
    store.add_scoring(run, a_result(0.1))
    first = store.scorings(run)[0].id
    store.add_scoring(run, a_result(0.9))
    assert store.result(run).notes == store.result(run, first).notes == store.notes(run)
    assert store.notes(other) == {}


def test_a_note_stays_unless_it_is_replaced(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_notes(run, {"a": 1, "b": 1})
    store.add_notes(run, {"b": 2, "c": 2})
    assert store.notes(run) == {"a": 1, "b": 1, "c": 2}
    store.add_notes(run, {"b": 3}, replace=True)
    assert store.notes(run) == {"a": 1, "b": 3, "c": 2}


def test_deleting_a_run_removes_its_notes_and_no_others(store: Store) -> None:
    run, other = store.create_run(a_run()), store.create_run(a_run())
    for one in (run, other):
        store.add_notes(one, {"a": one})
    store.delete_run(run)
    assert store.notes(other) == {"a": other}
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT run_id FROM notes").scalars().all() == [other]
    with pytest.raises(UserError, match="there is no run"):
        store.add_notes(run, {"a": 1})


def test_only_the_holder_of_a_run_writes_notes(url: str) -> None:
    with open_store(url) as store, open_store(url) as second:
        holder = this_process()
        run = store.create_run(a_run(), holder)
        with second._writing() as connection:
            connection.exec_driver_sql("UPDATE leases SET holder = 'another'")
        with pytest.raises(UserError):
            store.add_notes(run, {"a": 1})
        assert second.notes(run) == {}


# -- older stores -----------------------------------------------------------------------------------------------------

TUNING = {
    "fields": [{"field": "Stock[ítem]", "n": 2}],
    "pareto": [],
    "curves": [{"field": "Stock[ítem]", "n": [1, 2], "recall": [0.5, 1.0]}],
    "questions_detail": [{"question": "pear or plum", "passed": True, "missing": []}] * 80,
    "seconds": 0.25,
}
TUNING_NOTE = {"tuning": TUNING}
FIELDS = {"Stock[ítem]": {"keys": ["red apple", "pear\ud800"]}}


def _packed(value: Any) -> tuple[str, bytes]:
    data = json.dumps(value).encode()
    return ("zlib", zlib.compress(data, 1)) if len(data) > 2048 else ("raw", data)


class Old:
    """A store of an earlier version, with the tables as they were then."""

    def __init__(self, url: str, version: str) -> None:
        from alembic import command

        self._engine = _engine(url)
        with self._engine.execution_options(writes=True).begin() as connection:
            command.upgrade(revision.alembic_config(connection), version)
        self.tables = sa.MetaData()
        self.tables.reflect(self._engine)

    def add(self, table: str, **values: Any) -> int:
        """A row, with something in every other column that must have a value."""
        found = self.tables.tables[table]
        for column in found.columns:
            if column.name not in values and not column.nullable and column.name != "id":
                values[column.name] = 0 if isinstance(column.type, sa.Integer) else "{}"
        with self._engine.execution_options(writes=True).begin() as connection:
            key = connection.execute(sa.insert(found), values).inserted_primary_key
        assert key is not None
        return int(key[0])

    def run(self, suite: str = "retrieval") -> int:
        return self.add("runs", suite=suite, status="finished", created="2024-05-01", tags="[]")

    def answer(self, run: int, case: str, response: Any) -> None:
        codec, data = _packed(response)
        self.add("predictions", run_id=run, case_id=case, codec=codec, response=data)

    def scored(self, run: int, *details: Any) -> int:
        info = json.dumps({"suite": "retrieval"})
        scoring = self.add("scorings", run_id=run, info=info)
        for position, told in enumerate(details):
            codec, data = _packed({"id": f"q{position}", "status": "scored", "scores": {}, "details": told})
            self.add("scores", scoring_id=scoring, position=position, case_id=f"q{position}", codec=codec, data=data)
        return scoring

    def close(self) -> None:
        self._engine.dispose()


@pytest.mark.parametrize("version", ["0001", "0002", "0003", "0004"])
def test_the_tuning_in_the_first_answer_of_an_old_run_becomes_its_note(url: str, version: str) -> None:
    old = Old(url, version)
    run, plain, unscored = old.run(), old.run(), old.run()
    old.answer(run, "q0", {"fields": FIELDS, "tuning": TUNING})
    old.answer(run, "q1", {"fields": FIELDS})
    old.scored(run, {"fields": [], "tuning": TUNING}, {"fields": []})
    old.scored(run, {"fields": []}, {"fields": [], "tuning": TUNING})
    old.answer(plain, "q0", {"fields": FIELDS})
    old.answer(unscored, "q0", {"id": "q0", "fields": FIELDS, "tuning": TUNING})
    old.close()
    with open_store(url) as store:
        assert store.notes(run) == store.notes(unscored) == TUNING_NOTE
        assert store.notes(plain) == {}
        assert [json.loads(one.response) for one in store.predictions(run)] == [{"fields": FIELDS}] * 2
        assert json.loads(store.predictions(unscored)[0].response) == {"id": "q0", "fields": FIELDS}
        for scoring in store.scorings(run):
            result = store.result(run, scoring.id)
            assert result.notes == TUNING_NOTE
            assert [case.details for case in result.cases] == [{"fields": []}] * 2
        store.delete_run(run)
        assert store.notes(run) == {}


def test_scores_without_their_answers_are_enough(url: str) -> None:
    old = Old(url, "0004")
    run = old.run()
    old.scored(run, {"fields": []}, {"fields": [], "tuning": TUNING})
    old.close()
    with open_store(url) as store:
        assert store.notes(run) == TUNING_NOTE


@pytest.mark.parametrize(
    ("suite", "response"),
    [
        ("data_query", {"fields": FIELDS, "tuning": TUNING}),
        ("retrieval", {"results": ["a"], "tuning": TUNING}),
        ("retrieval", {"fields": FIELDS, "tuning": {"temperature": 0.5}}),
        ("retrieval", {"fields": FIELDS, "tuning": "fine"}),
        ("retrieval", [{"tuning": TUNING}]),
    ],
)
def test_what_another_system_calls_tuning_is_left_in_its_answer(url: str, suite: str, response: Any) -> None:
    old = Old(url, "0004")
    run = old.run(suite)
    old.answer(run, "q0", response)
    old.close()
    with open_store(url) as store:
        assert store.notes(run) == {}
        assert json.loads(store.predictions(run)[0].response) == response


def test_an_answer_that_cannot_be_read_does_not_stop_the_upgrade(url: str) -> None:
    old = Old(url, "0004")
    run = old.run()
    old.add("predictions", run_id=run, case_id="a", codec="zlib", response=b'broken "tuning"')
    old.add("predictions", run_id=run, case_id="b", codec="raw", response=b'{"tuning": ')
    old.answer(run, "c", {"fields": FIELDS, "tuning": TUNING})
    old.close()
    with open_store(url) as store:
        assert store.notes(run) == TUNING_NOTE


def test_a_run_that_was_stored_before_can_get_answers_and_notes(url: str) -> None:
    old = Old(url, "0004")
    run = old.run()
    old.close()
    with open_store(url) as store:
        store.add_predictions(run, [answer()])
        store.add_notes(run, {"a": 1})
        assert store.notes(run) == {"a": 1}
