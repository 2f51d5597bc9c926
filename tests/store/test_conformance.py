"""What every store must do, checked on SQLite and on PostgreSQL."""

from __future__ import annotations

import random
import string
import threading

import msgspec
import pytest

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.results.result import RunInfo, RunResult
from karat.store import RunRecord, Store, open_store
from tests.store.samples import a_result, a_run, answer, failure


def test_a_run_comes_back_as_it_was(store: Store) -> None:
    record = a_run()
    run = store.create_run(record)
    found = store.run(run)
    assert found == msgspec.structs.replace(record, id=run, created=found.created)
    assert found.created.endswith("Z") and found.created > "2024"


def test_a_given_time_of_creation_is_kept(store: Store) -> None:
    run = store.create_run(RunRecord(suite="answers", created="2020-01-01T00:00:00Z"))
    assert store.run(run).created == "2020-01-01T00:00:00Z"


def test_runs_are_found_by_what_people_type(store: Store) -> None:
    first, second = store.create_run(a_run()), store.create_run(a_run())
    assert store.find_run(f"r-{first:04d}") == store.find_run(f"r-{first}") == store.find_run(str(first)) == first
    assert store.find_run("latest") == second
    with pytest.raises(UserError, match="no run r-0999") as caught:
        store.find_run("r-999")
    assert f"newest run is r-{second:04d}" in caught.value.hint


def test_latest_of_an_empty_store(store: Store) -> None:
    with pytest.raises(UserError, match="has no runs"):
        store.find_run("latest")


def test_cases_keep_their_order_and_may_be_added_in_parts(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_cases(run, [("z", b'{"id":"z"}'), ("a", b"[" + b"1," * 4000 + b"1]")])
    store.add_cases(run, [("m", b"{}")])
    store.add_cases(run, [])
    assert store.cases(run) == [b'{"id":"z"}', b"[" + b"1," * 4000 + b"1]", b"{}"]


def test_predictions_come_back_in_order_of_arrival(store: Store) -> None:
    run, other = store.create_run(a_run()), store.create_run(a_run())
    given = [
        answer("z"),
        answer("a", turn=1),
        answer("a", turn=None),
        answer("a", repeat=2),
        failure("b"),
        Prediction("c"),
    ]
    store.add_predictions(run, given[:2])
    store.add_predictions(other, [answer("z", b"of the other run")])
    store.add_predictions(run, given[2:])
    assert store.predictions(run) == given
    assert store.predictions(other) == [answer("z", b"of the other run")]


def test_a_further_attempt_overwrites_nothing(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_predictions(run, [failure("a"), answer("b")])
    store.add_predictions(run, [failure("a", "http_500"), answer("a", b"at last")])  # twice in one batch
    assert store.predictions(run) == [answer("b"), answer("a", b"at last")]
    assert store.attempts(run, "a") == [failure("a"), failure("a", "http_500"), answer("a", b"at last")]
    assert store.attempts(run, "a", turn=1) == []
    store.add_predictions(run, [answer("c", turn=None), answer("c", b"again", turn=None)])
    assert len(store.attempts(run, "c", None, 0)) == 2


def test_large_answers_are_compressed_and_small_ones_are_not(store: Store) -> None:
    run = store.create_run(a_run())
    large = b'{"row": 1}, ' * 10_000
    store.add_predictions(run, [answer("small", b"x" * 2048), answer("large", large)])
    with store._engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT case_id, codec, length(response) FROM predictions ORDER BY id").all()
    assert [tuple(row[:2]) for row in rows] == [("small", "raw"), ("large", "zlib")]
    assert rows[0][2] == 2048 and rows[1][2] < 5000
    assert [item.response for item in store.predictions(run)] == [b"x" * 2048, large]


def test_a_batch_is_stored_whole_or_not_at_all(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_predictions(run, [answer("before")])
    with pytest.raises(UserError):
        store.add_predictions(run, [answer("one"), Prediction("two", turn=2**70)])
    assert store.predictions(run) == [answer("before")]
    store.add_predictions(run, [answer("after")])
    assert len(store.predictions(run)) == 2


def test_long_case_ids(store: Store) -> None:
    run = store.create_run(a_run())
    long = "".join(random.Random(1).choices(string.ascii_letters, k=2500))
    for name in (long, long * 3):  # more than an index of PostgreSQL takes
        store.add_predictions(run, [answer(name)])
        assert store.attempts(run, name) == [answer(name)]


def test_an_unknown_run_is_named(store: Store) -> None:
    for act in (
        lambda: store.add_predictions(7, [answer()]),
        lambda: store.add_cases(7, [("a", b"{}")]),
        lambda: store.add_scoring(7, a_result()),
        lambda: store.set_status(7, "finished"),
        lambda: store.tag_run(7, ["x"]),
        lambda: store.delete_run(7),
        lambda: store.run(7),
        lambda: store.result(7),
    ):
        with pytest.raises(UserError, match="there is no run r-0007 in the store"):
            act()


def test_tags_are_given_and_taken_away(store: Store) -> None:
    run = store.create_run(msgspec.structs.replace(a_run(), tags=("nightly",)))
    assert store.tag_run(run, ["baseline", "nightly", "ü 'x'"]) == ("nightly", "baseline", "ü 'x'")
    assert store.tag_run(run, removed=["nightly", "unknown"]) == ("baseline", "ü 'x'")
    assert store.run(run).tags == store.runs()[0].tags == ("baseline", "ü 'x'")


def test_status_and_its_times(store: Store) -> None:
    run = store.create_run(a_run())
    store.set_status(run, "running")
    started = store.run(run).started
    assert started
    store.set_status(run, "interrupted")
    stopped = store.run(run)
    assert (stopped.status, stopped.started) == ("interrupted", started) and stopped.finished >= started
    store.set_status(run, "running")
    again = store.run(run)
    assert (again.status, again.started, again.finished) == ("running", started, "")


def test_scoring_again_keeps_the_earlier_scores(store: Store) -> None:
    run = store.create_run(a_run())
    with pytest.raises(UserError, match="has no scores yet"):
        store.result(run)
    first = store.add_scoring(run, a_result(0.5))
    second = store.add_scoring(run, a_result(0.75))
    assert store.result(run) == a_result(0.75)
    assert store.result(run, first) == a_result(0.5)
    assert [(item.id, item.options, item.truth_set) for item in store.scorings(run)] == [
        (first, {"errors": "zero"}, "abc123"),
        (second, {"errors": "zero"}, "abc123"),
    ]
    with pytest.raises(UserError, match="has no scoring 999") as caught:
        store.result(run, 999)
    assert f"It has {first}, {second}." in caught.value.hint


def test_a_scoring_belongs_to_its_run(store: Store) -> None:
    one, two = store.create_run(a_run()), store.create_run(a_run())
    scoring = store.add_scoring(one, a_result())
    store.add_scoring(two, a_result())
    with pytest.raises(UserError, match="has no scoring"):
        store.result(two, scoring)


def test_a_scoring_without_cases_gets_the_name_of_its_run(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, RunResult(RunInfo("data_query"), (), ()))
    assert store.result(run) == RunResult(RunInfo("data_query", id=f"r-{run:04d}"), (), ())


def test_the_list_shows_the_newest_scoring_of_each_run(store: Store) -> None:
    one = store.create_run(a_run(name="one"))
    two = store.create_run(a_run("answers", name="two"))
    three = store.create_run(a_run(name="three"))
    store.add_scoring(one, a_result(0.1))
    newest = store.add_scoring(one, a_result(0.9))
    empty = store.add_scoring(three, RunResult(RunInfo("data_query"), (), ()))
    rows = store.runs(limit=10)
    assert [row.id for row in rows] == [three, two, one]
    assert [row.scoring for row in rows] == [empty, None, newest]
    assert [row.summary for row in rows] == [(), (), a_result(0.9).summary]
    assert rows[2].tags == ("nightly", "größe") and rows[2].name == "one"
    assert [row.id for row in store.runs(limit=1)] == [three]
    assert [row.id for row in store.runs(suite="answers")] == [two]


def test_the_list_counts_the_cases_that_its_figures_are_over(store: Store) -> None:
    """A run that was scored again over other cases: the figures, their truth set and their number go together."""
    run = store.create_run(msgspec.structs.replace(a_run(), cases=500, truth_set="as asked"))
    assert (store.run_row(run).cases, store.run_row(run).truth_set) == (500, "as asked")
    result = a_result()
    info = msgspec.structs.replace(result.run, cases=len(result.cases), truth_set="as scored")
    store.add_scoring(run, msgspec.structs.replace(result, run=info))
    (row,) = store.runs()
    assert (row.cases, row.truth_set) == (len(result.cases), "as scored")


def test_the_list_takes_three_queries_however_many_runs(store: Store) -> None:
    from sqlalchemy import event

    for _ in range(12):
        store.add_scoring(store.create_run(a_run()), a_result())
    seen: list[str] = []
    event.listen(store._engine, "before_cursor_execute", lambda *arguments: seen.append(arguments[2]))
    assert len(store.runs()) == 12
    assert len([statement for statement in seen if statement.startswith("SELECT")]) == 3


def test_deleting_a_run_takes_all_of_it_and_nothing_else(store: Store) -> None:
    kept, gone = store.create_run(a_run()), store.create_run(a_run())
    for run in (kept, gone):
        store.add_cases(run, [("a", b"{}")])
        store.add_predictions(run, [answer()])
        store.add_scoring(run, a_result())
        store.add_predictions(run, [answer("b")])
    store.delete_run(gone)
    with store._engine.connect() as connection:
        for table, rows in {
            "runs": 1,
            "run_blocks": 5,
            "predictions": 1,
            "scorings": 1,
            "summaries": 2,
            "scoring_blocks": 8,
        }.items():
            assert connection.exec_driver_sql(f"SELECT count(*) FROM {table}").scalar() == rows, table
    assert store.result(kept) == a_result()
    assert store.create_run(a_run()) > gone, "the number of a deleted run is not used again"


def test_it_is_all_there_after_opening_again(url: str) -> None:
    with open_store(url) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer()])
    with open_store(url, create=False) as store:
        assert store.predictions(run) == [answer()]
    with open_store(url, read_only=True) as store:
        assert store.predictions(run) == [answer()]
        with pytest.raises(UserError, match="open read-only"):
            store.create_run(a_run())


def test_no_store_is_made_when_not_asked_for(url: str) -> None:
    for options in ({"create": False}, {"read_only": True}):
        with pytest.raises(UserError, match="there is no store at"):
            open_store(url, **options)


def test_a_reader_and_a_writer_thread_at_once(store: Store) -> None:
    run = store.create_run(a_run())
    seen: list[int] = []
    failed: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(60):
                store.add_predictions(run, [answer(f"{number}-{k}") for k in range(5)])
        except BaseException as error:
            failed.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        seen.append(len(store.predictions(run)))
    writer.join()
    assert not failed
    assert len(store.predictions(run)) == 300
    assert all(count % 5 == 0 for count in seen), "a batch is seen whole or not at all"
    assert seen == sorted(seen)


def test_two_writer_threads_on_one_question(store: Store) -> None:
    run = store.create_run(a_run())
    failed: list[BaseException] = []

    def write(name: bytes) -> None:
        try:
            for number in range(25):
                store.add_predictions(run, [answer("same", name + b"%d" % number)])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in (b"x", b"y")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert len(store.attempts(run, "same")) == 50
    assert len(store.predictions(run)) == 1
