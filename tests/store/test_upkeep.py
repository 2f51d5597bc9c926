"""``karat store check | repair | move``: what is wrong is found, what can be saved is saved, what is moved is equal."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.store import Store, open_store, schema
from karat.store.leases.lease_holder import this_process
from karat.store.predictions.answer_words import IndexedAnswers
from karat.store.upkeep.findings import MOST_FINDINGS
from karat.store.viewer_queries import Viewing
from karat.verbs.inputs.work import work_to_do
from karat.verbs.run import plan_work, start_run
from karat.verbs.store import check_store, move_store, repair_store
from tests.conftest import ROOT
from tests.remote.conftest import bucket, here, s3_proxy  # noqa: F401 (fixtures)
from tests.store.conftest import PostgresServer
from tests.store.samples import a_result, a_run, answer
from tests.store.test_damage import broken
from tests.warm import warm_karat

SUITES = ("data_query", "answers", "retrieval", "codegen")


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of each suite's demo, a deleted run, reviews, a saved filter and a set."""
    path = tmp_path_factory.mktemp("demos") / "demos.db"
    with open_store(str(path)) as store:
        for suite in SUITES:
            folder = path.parent / suite
            shutil.copytree(ROOT / "examples" / suite, folder, ignore=shutil.ignore_patterns(".karat"))
            for part in work_to_do("run", config=folder / "karat.yaml", suite=None, cases=None):
                start_run(store, plan_work(part, limit=2), workers=1)
        store.add_review(1, store.result(1).cases[0].id, "gold_wrong", reviewer="größe \x00", comment="\ud800 ␀")
        store.delete_run(store.create_run(a_run()))
        with store._writing() as connection:
            for table in (schema.saved_filters, schema.set_cases):
                row = {"suite": "answers", "name": "näme", "query": "a=b", "case_id": "x", "created": "now"}
                connection.execute(table.insert(), {name: row[name] for name in table.columns.keys()})  # noqa: SIM118 (columns give themselves, not their names)
    return path


def contents(url: str) -> dict[str, Any]:
    """All rows of all tables."""
    with open_store(url) as store, store._reading() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
            for table in schema.copied_tables()
        }


def test_the_demos_of_all_suites_go_round_unchanged(demos: Path, postgres: PostgresServer, tmp_path: Path) -> None:
    server, back = postgres.new_database(), tmp_path / "back.db"
    seen: list[tuple[str, int]] = []
    moved = move_store(demos, server, watch=lambda table, rows: seen.append((table, rows)))
    assert moved.tables["runs"] == len(SUITES) and ("scoring_blocks", moved.tables["scoring_blocks"]) in seen
    assert "postgres@" not in moved.target, "no user name is shown"
    move_store(server, back)
    before = contents(str(demos))
    assert contents(server) == before and contents(str(back)) == before
    for url in (str(demos), server, str(back)):
        assert check_store(url).sound
        with open_store(url) as store, open_store(str(demos)) as source:
            assert [store.result(run) for run in range(1, 5)] == [source.result(run) for run in range(1, 5)]
    numbers = []
    for url in (server, str(back)):
        with open_store(url) as store:
            numbers.append((store.create_run(a_run()), store.add_scoring(1, a_result())))
            store.add_predictions(1, [answer()])
    assert numbers == [(6, 5), (6, 5)], "the number of the deleted run is not given out again"
    assert back.stat().st_mode & 0o077 == 0


def test_an_object_store_and_back(demos: Path, tmp_path: Path, bucket: Any) -> None:  # noqa: F811 (a fixture)
    url = f"s3://{bucket.name}/stores/karat.db"
    move_store(demos, url)
    assert check_store(url).sound
    with pytest.raises(UserError, match=r"the destination s3://data/stores/karat\.db is not empty"):
        move_store(demos, url)
    move_store(url, tmp_path / "back.db")
    assert contents(str(tmp_path / "back.db")) == contents(str(demos))


def test_what_is_not_moved(demos: Path, tmp_path: Path, postgres: PostgresServer) -> None:
    full, empty = postgres.new_database(), tmp_path / "empty.db"
    with open_store(full) as store:
        store.create_run(a_run())
    shutil.copy(demos, tmp_path / "own.db")
    for source, target, said in (
        (demos, full, "is not empty: it has 1 row of runs"),
        (demos, tmp_path / "own.db", "is not empty: it has 4 rows of runs"),
        (tmp_path / "own.db", tmp_path / "own.db", "source and destination are the same file"),
        (tmp_path / "none.db", empty, "there is no store"),
    ):
        with pytest.raises(UserError, match=said):
            move_store(source, target)
    with open_store(str(tmp_path / "own.db")) as store:
        run = store.create_run(a_run(), this_process())
        with pytest.raises(UserError, match=r"r-0006 is being run, so the store cannot be moved now: process \d+ on"):
            move_store(tmp_path / "own.db", empty)
        store.set_status(run, "finished", None)
    assert not empty.exists() and not (tmp_path / "none.db").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.db"], "nothing is left behind"
    with open_store(str(tmp_path / "own.db")) as store, store._writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(UserError, match="written by a newer karat"):
        move_store(tmp_path / "own.db", empty)


def test_an_empty_store_that_is_there_is_filled(demos: Path, tmp_path: Path, postgres: PostgresServer) -> None:
    for url in (postgres.new_database(), str(tmp_path / "made.db")):
        open_store(url).close()
        assert move_store(demos, url).tables["runs"] == 4


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[tuple[Path, Store]]:
    """A store with two runs, to be damaged."""
    path = tmp_path / "karat.db"
    with open_store(str(path)) as store:
        for _ in range(2):
            run = store.create_run(a_run())
            store.add_cases(run, [("a", b"{}"), ("b", b"{}")])
            store.add_predictions(run, [answer("a"), answer("b"), answer("a", b"again"), answer("a", b"third")])
            store.add_scoring(run, a_result())  # from here on those answers are a block
            store.add_predictions(run, [answer("b", b"later")])
            store.add_notes(run, {"seconds": {"a": 1.5}})
        yield path, store


RESULTS, CASES, ANSWERS, KEYS = (
    f"{owner}_id = 1 AND kind = '{kind}'"
    for owner, kind in (("scoring", "results"), ("run", "cases"), ("run", "responses"), ("run", "answer_keys"))
)
DAMAGE = [
    ("UPDATE predictions SET codec = 'zlib' WHERE run_id = 1", "): response cannot be read", "row"),
    (f"UPDATE scoring_blocks SET data = x'7b' WHERE {RESULTS}", "kind results, first 0): the bytes", "scorings"),
    (f"DELETE FROM scoring_blocks WHERE {RESULTS}", "scoring 1 of r-0001): has 0 of 2 rows of results", "scorings"),
    ("DELETE FROM scoring_blocks WHERE kind = 'lines' AND scoring_id = 1", "has 0 of 2 rows of lines", "scorings"),
    ("DELETE FROM summaries WHERE scoring_id = 1 AND position = 0", "has 1 of 2 rows of summaries", ""),
    ("UPDATE summaries SET mean = 0.25 WHERE scoring_id = 1 AND position = 0", " is 0.25 and was written as ", ""),
    ("UPDATE summaries SET low = mean WHERE scoring_id = 1", "low of ", ""),
    ("UPDATE summaries SET metric = 'x' WHERE scoring_id = 1 AND position = 1", "is 'x' and was written as ", ""),
    ("UPDATE summaries SET undefined = undefined + 1 WHERE scoring_id = 1", "undefined of ", ""),
    ("UPDATE summaries SET n = 'many' WHERE scoring_id = 1", "n is of the wrong kind", ""),
    ("UPDATE scorings SET truth_set = 'other' WHERE id = 1", "another truth_set than was written", ""),
    (f"DELETE FROM run_blocks WHERE {CASES}", "run_blocks (r-0001): has 0 of 2 cases", "cases"),
    (f"UPDATE run_blocks SET data = x'7b' WHERE {CASES}", "run_blocks (run_id 1, kind cases, first 0): the", "cases"),
    (f"DELETE FROM run_blocks WHERE {ANSWERS}", "run_blocks (r-0001): has lost 4 answers from number 0", "answers"),
    (f"UPDATE run_blocks SET checksum = checksum + 1 WHERE {ANSWERS}", "responses, first 0): the bytes", "answers"),
    (f"DELETE FROM run_blocks WHERE {KEYS}", "4 answers from number 0 that belong to no question any more", "keys"),
    ("UPDATE run_blocks SET rows = 5 WHERE run_id = 1 AND kind = 'answer_keys'",
     "a block of answer_keys is for 4 answers and says that it has 5", ""),
    ("UPDATE runs SET config = '{' WHERE id = 1", "runs (id 1): config cannot be read", ""),
    ("UPDATE runs SET options = '{\"a\": 2}', repeats = 7 WHERE id = 1",
     "runs (r-0001): has another repeats and options than was written", ""),
    ("UPDATE runs SET status = 'asleep' WHERE id = 1", "runs (id 1): status is unknown", "runs"),
    ("UPDATE notes SET codec = 'x' WHERE run_id = 1", "notes (run_id 1, name seconds): codec is unknown", "notes"),
    ("DELETE FROM runs WHERE id = 1", "predictions (run_id 1): 1 row of runs 1, which is not there", "runs"),
    ("DROP TABLE notes", "notes: the table is missing", "notes"),
    (f"UPDATE scoring_blocks SET rows = x'ff' WHERE {RESULTS}", "kind results, first 0): rows", "scorings"),
    (f"UPDATE run_blocks SET rows = x'ff' WHERE {CASES}", "run_blocks (run_id 1, kind cases, first 0): rows", "cases"),
    ("UPDATE runs SET cases = x'ff' WHERE id = 1", "runs (id 1): cases", "runs"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "said", "lost"), DAMAGE)
def test_damage_is_found_and_the_rest_is_saved(
    damaged: tuple[Path, Store], tmp_path: Path, statement: str, said: str, lost: str
) -> None:
    path, store = damaged
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()
    before, found = path.read_bytes(), check_store(path)
    assert any(said in finding.text for finding in found.findings), [one.text for one in found.findings]
    repaired = repair_store(path, tmp_path / "new.db")
    assert path.read_bytes() == before and repaired.saved_as == str(tmp_path / "new.db") and not repaired.kept
    assert any(said in finding.text for finding in repaired.findings)
    assert check_store(tmp_path / "new.db").sound
    with open_store(str(tmp_path / "new.db")) as new:
        assert new.attempts(2, "a") == [answer("a"), answer("a", b"again"), answer("a", b"third")]
        assert new.result(2).cases == a_result().cases, "the other run is whole"
        if lost == "runs":
            assert [row.id for row in new.runs()] == [2]
            return
        assert new.run(1) == msgspec.structs.replace(new.run(2), id=1, created=new.run(1).created), (
            "settings are what they were"
        )
        found_again = {case: new.attempts(1, case) for case in "ab"}
        if lost == "answers":
            assert [one.error and one.error.kind for one in found_again["a"]] == ["damaged"] * 3, (
                "no earlier one counts"
            )
        elif lost == "keys":
            assert found_again == {"a": [], "b": [answer("b", b"later")]}
        else:
            assert found_again["a"][-1] == answer("a", b"third"), "the latest answer stays the latest"
        if lost == "row":
            (gone,) = [one.error for one in found_again["b"] if one.error]
            assert (gone.kind, found_again["b"][-1].error) == ("damaged", gone), (
                "the earlier answer does not pass for it"
            )
        assert len(new.scorings(1)) == (0 if lost == "scorings" else 1), "a scoring is whole or not there"
        if lost != "scorings":
            assert new.result(1).summary == a_result().summary, "figures are what they were"
        assert len(new.cases(1)) == (0 if lost == "cases" else 2), "the cases of a run are whole or not there"
        assert new.create_run(a_run()) == 3


def test_a_run_of_an_older_karat_has_no_copy_of_its_settings(damaged: tuple[Path, Store]) -> None:
    path, store = damaged
    with store._writing() as connection:
        connection.execute(text("DELETE FROM run_blocks WHERE kind = 'settings'"))
    assert check_store(path).sound and store.run(1).options == a_run().options


LONG = b"an answer of which an index of its words is kept, as it is long" * 3


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        (b"CREATE TABLE runs", b"CREATE TABLD runs"),
        (b"config TEXT NOT NULL", b"confih TEXT NOT NULL"),
        (b"judge_versions", b"judge_vers\xe9ons"),
        (b"sqlite_autoindex_notes_1", b"sqlite_autoindex_nktes_1"),
        (b"sqlite_sequence(name,seq)", b"sqlite_sequence(nbme,seq)"),
    ],
)
def test_one_wrong_byte_in_the_list_of_tables_costs_nothing(
    damaged: tuple[Path, Store], tmp_path: Path, there: bytes, instead: bytes
) -> None:
    path, store = damaged
    before = contents(str(path))
    store.close()
    data = path.read_bytes()
    assert there in data
    path.write_bytes(data.replace(there, instead, 1))
    code, said = karat(tmp_path, "store", "check", str(path))
    harmless = b"sequence" in there
    assert "Traceback" not in said and (code == 0) == harmless, said
    code, said = karat(tmp_path, "runs", "list", "--store", str(path))
    assert code == 0 or (code == 2 and "damaged" in said and "karat store repair" in said), said
    assert (code == 0) == harmless
    repaired = repair_store(path, tmp_path / "new.db")
    if harmless:
        assert repaired.saved_as == ""
        return
    assert all("list of tables was damaged; written again" in one.text for one in repaired.findings)
    assert check_store(tmp_path / "new.db").sound and contents(str(tmp_path / "new.db")) == before


def test_a_gap_in_the_answers_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "karat.db"
    with open_store(str(path)) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer(f"case-{n}", LONG) for n in range(3500)])
        store.add_scoring(run, a_result())
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM run_blocks WHERE kind = 'answer_keys' AND first = 1000")
    connection.close()
    repaired = repair_store(path)
    assert any("has no answers from number 1000 to 1999" in one.text for one in repaired.findings)
    assert check_store(path).sound
    with open_store(str(path)) as store:
        kept = [*range(1000), *range(2000, 3500)]
        assert [one.case_id for one in store.predictions(run)] == [f"case-{n}" for n in kept]
        assert store.case_predictions(run, ["case-2500"]) == [answer("case-2500", LONG)]
        store.add_predictions(run, [answer("case-1500", b"asked again")])
        assert store.progress(run).answered == 2501
        assert not any(isinstance(one, IndexedAnswers) for one in Viewing(store).searched_answers(run)), (
            "words of answers that are elsewhere now"
        )


def test_a_verdict_that_is_none_is_found(damaged: tuple[Path, Store]) -> None:
    path, store = damaged
    store.add_review(1, "a", "fail", reviewer="Ann")
    broken(store, "UPDATE reviews SET verdict = 'faim'")
    assert [one.text for one in check_store(path).findings] == ["reviews (id 1): verdict is unknown"]


def test_damaged_pages(tmp_path: Path) -> None:
    path = tmp_path / "karat.db"
    randbytes = random.Random(5).randbytes
    with open_store(str(path)) as store:
        run = store.create_run(a_run())
        given = [Prediction(f"case-{n}", response=randbytes(1500)) for n in range(1900)]  # too few for blocks
        store.add_predictions(run, given)
    data = bytearray(path.read_bytes())
    for page in range(60, len(data) // 4096, 50):
        data[page * 4096 : page * 4096 + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    found = check_store(path)
    assert not found.sound and found.count >= len(found.findings) and len(found.findings) <= MOST_FINDINGS
    repaired = repair_store(path)
    assert Path(repaired.kept).read_bytes() == data, "the damaged file is kept as it was"
    assert check_store(path).sound
    with open_store(str(path)) as store:
        saved = store.predictions(run)
        assert len(saved) == repaired.tables["predictions"].rows > 500
        assert all(one in given for one in saved)
        assert len(saved) + repaired.tables["predictions"].bad == 1900, "every row is saved or said to be lost"


def test_a_log_that_was_not_written_back_is_saved(tmp_path: Path) -> None:
    """What a killed process stored is in the log beside the file."""
    path = tmp_path / "karat.db"
    script = (
        "import os, sys; sys.path[:0] = [sys.argv[2]]\n"
        "from karat.store import open_store\nfrom tests.store.samples import a_run, answer\n"
        "store = open_store(sys.argv[1])\nrun = store.create_run(a_run())\n"
        "store.add_predictions(run, [answer('a'), answer('b')])\nos._exit(9)"
    )
    subprocess.run([sys.executable, "-c", script, str(path), str(ROOT)], check=False, timeout=60)
    assert Path(f"{path}-wal").stat().st_size > 0
    with sqlite3.connect(path) as connection:  # keeps the log
        connection.execute("UPDATE predictions SET codec = 'zlib' WHERE case_id = 'b'")
        connection.commit()
        repaired = repair_store(path, tmp_path / "new.db")
    connection.close()
    assert repaired.count == 1
    with open_store(str(tmp_path / "new.db")) as store:
        assert [(one.case_id, one.error and one.error.kind) for one in store.predictions(1)] == [
            ("a", None),
            ("b", "damaged"),
        ]


def test_a_whole_store_and_one_in_use_are_left_alone(damaged: tuple[Path, Store], tmp_path: Path) -> None:
    path, store = damaged
    assert (
        repair_store(path).saved_as == ""
        and sorted(one.name for one in tmp_path.iterdir() if "damaged" in one.name) == []
    )
    store.create_run(a_run(), this_process())
    broken(store, "UPDATE notes SET codec = 'x'")
    with pytest.raises(UserError, match="r-0003 is being run, so the store cannot be repaired now"):
        repair_store(path)


def test_a_server_is_checked_and_not_repaired(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    with pytest.raises(UserError, match="there is no store"):
        check_store(url)
    with open_store(url) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer()])
        assert check_store(url).sound
        broken(store, "UPDATE predictions SET codec = 'zlib'")
    assert [one.text for one in check_store(url).findings] == ["predictions (id 1): response cannot be read"]
    with pytest.raises(UserError, match="only the file of a SQLite store can be repaired"):
        repair_store(url)


def karat(folder: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(warm_karat(*words), cwd=folder, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def test_the_commands(damaged: tuple[Path, Store], tmp_path: Path) -> None:
    path, store = damaged
    store.close()
    code, said = karat(tmp_path, "store", "check", "karat.db")
    assert code == 0 and "nothing is wrong. It has 2 runs, 4 cases, 10 answers" in said
    code, said = karat(tmp_path, "store", "move", "karat.db", "copy.db", "--json")
    assert code == 0 and json.loads(said)["tables"]["runs"] == 2
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE predictions SET codec = 'zlib' WHERE run_id = 2")
    connection.close()
    code, said = karat(tmp_path, "store", "check", "karat.db", "--json")
    assert code == 1 and json.loads(said)["sound"] is False and json.loads(said)["count"] == 1
    code, said = karat(tmp_path, "store", "repair", "karat.db")
    assert code == 3 and "): response cannot be read; kept as a failed call" in said and "is kept as" in said
    code, said = karat(tmp_path, "store", "check", "karat.db")
    assert code == 0, said
    code, said = karat(tmp_path, "store", "check", "nothing.db")
    assert code == 2 and "there is no store at" in said and "Traceback" not in said
