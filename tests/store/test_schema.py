"""The tables made directly and those made by the migrations are the same, and migrations carry old data along."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.store import open_store, schema
from karat.store.database import revision
from tests.store.conftest import PostgresServer
from tests.store.samples import a_result, a_run, answer


def _engine(url: str) -> Any:
    from karat.store.database.address import SqliteAddress, parse_address
    from karat.store.database.postgres import postgres_engine
    from karat.store.database.sqlite import make_folder, sqlite_engine

    address = parse_address(url)
    if isinstance(address, SqliteAddress):
        make_folder(address.path)
        return sqlite_engine(address.path, read_only=False)
    return postgres_engine(address, read_only=False)


def _described(connection: Any) -> dict[str, Any]:
    from sqlalchemy import inspect

    found = inspect(connection)
    return {
        table: {
            "columns": [{**column, "type": repr(column["type"])} for column in found.get_columns(table)],
            "primary key": found.get_pk_constraint(table),
            "foreign keys": found.get_foreign_keys(table),
            "unique": found.get_unique_constraints(table),
            "indexes": sorted(found.get_indexes(table), key=str),
        }
        for table in found.get_table_names()
    }


@pytest.fixture(params=["sqlite", "postgresql"])
def two_urls(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Two empty databases of the same kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/two.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database(), server.new_database()


def test_created_and_migrated_tables_are_the_same(two_urls: tuple[str, str]) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    created, migrated = (_engine(url) for url in two_urls)
    with created.begin() as connection:
        revision.create_tables(connection)
        ours = _described(connection)
    with migrated.begin() as connection:
        revision.upgrade(connection)
        theirs = _described(connection)
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []
        stamped = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
    assert ours == theirs
    assert set(ours) == {
        "alembic_version",
        "runs",
        "run_blocks",
        "predictions",
        "scorings",
        "summaries",
        "scoring_blocks",
        "reviews",
        "leases",
        "notes",
        "saved_filters",
        "set_cases",
        "judge_versions",
        "judge_replies",
        "judgements",
        "calibrations",
        "writers",
    }
    assert stamped == [schema.HEAD]
    created.dispose()
    migrated.dispose()


def test_the_numbering_of_sqlite_is_the_same_too(tmp_path: Path) -> None:
    made = []
    for name, make in (("one", revision.create_tables), ("two", revision.upgrade)):
        engine = _engine(f"{tmp_path}/{name}.db")
        with engine.begin() as connection:
            make(connection)
            rows = connection.exec_driver_sql(
                "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%' ORDER BY 1"
            )
            made.append(rows.scalars().all())
        engine.dispose()
    assert made == [["runs", "scorings"]] * 2


def test_head_is_alembics_head() -> None:
    from alembic.script import ScriptDirectory

    assert ScriptDirectory.from_config(revision.alembic_config()).get_heads() == [schema.HEAD]


def test_down_and_up_again(url: str) -> None:
    from alembic import command

    engine = _engine(url)
    with engine.begin() as connection:
        revision.upgrade(connection)
        command.downgrade(revision.alembic_config(connection), "base")
        assert set(_described(connection)) == {"alembic_version"}
    engine.dispose()
    with open_store(url) as store:  # an empty version table counts as no store
        assert store.runs() == []


NEXT = f"{int(schema.HEAD) + 1:04}"
_LATER = f"""
import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{schema.HEAD}"


def upgrade() -> None:
    with op.batch_alter_table("runs", recreate="always" if op.get_bind().dialect.name == "sqlite" else "auto") as runs:
        runs.add_column(sa.Column("note", sa.Text(), nullable=False, server_default="-"))
"""


def test_an_older_store_is_upgraded_with_all_its_data(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(url) as store:
        run = store.create_run(a_run())
        store.add_predictions(run, [answer()])
        store.add_scoring(run, a_result())
    later = tmp_path / "100% later"  # a per cent sign in the path must not upset Alembic's configuration
    shutil.copytree(revision.MIGRATIONS, later)
    (later / "versions" / f"r{NEXT}_note.py").write_text(_LATER)
    monkeypatch.setattr(revision, "MIGRATIONS", later)
    monkeypatch.setattr(schema, "HEAD", NEXT)
    with pytest.raises(UserError, match="older karat and must be upgraded"):
        open_store(url, read_only=True)
    with open_store(url) as store:
        assert store.predictions(run) == [answer()], "rebuilding a table must not cascade"
        assert store.result(run) == a_result()
        with store._engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT note FROM runs").scalars().all() == ["-"]
            assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all() == [NEXT]
        store.delete_run(run)
        assert store.predictions(run) == [], "the keys are on again"


def test_a_newer_store_is_refused(url: str) -> None:
    with open_store(url) as store, store._writer.begin() as connection:
        connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{NEXT}'")
    for read_only in (False, True):
        with pytest.raises(UserError, match="written by a newer karat") as caught:
            open_store(url, read_only=read_only)
        assert NEXT in caught.value.message and "upgrade karat" in caught.value.hint


@pytest.mark.parametrize(
    "made",
    ["CREATE TRIGGER gone AFTER INSERT ON runs BEGIN DELETE FROM runs; END", "CREATE VIEW gone AS SELECT * FROM runs"],
)
def test_a_trigger_or_a_view_is_refused(made: str, tmp_path: Path) -> None:
    """A trigger emptied the store with the next run, and "store check" found nothing wrong."""
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with open_store(url) as store, store._writer.begin() as connection:
        connection.exec_driver_sql(made)
    for read_only in (False, True):
        with pytest.raises(UserError, match="named gone, which karat did not make"):
            open_store(url, read_only=read_only)


@pytest.mark.parametrize(
    "foreign", ["CREATE TABLE runs (x INTEGER)", "CREATE TABLE alembic_version AS SELECT 'ae1027a6acf' AS version_num"]
)
def test_another_programs_tables_are_left_alone(url: str, foreign: str) -> None:
    engine = _engine(url)
    with engine.execution_options(writes=True).begin() as connection:
        connection.exec_driver_sql(foreign)
        before = _described(connection)
    with pytest.raises(UserError, match="tables of another program"):
        open_store(url)
    with engine.connect() as connection:
        assert _described(connection) == before
    engine.dispose()


def test_a_shared_postgres_database_is_fine(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    postgres.sql("CREATE TABLE customers (x INTEGER)", url.partition("@/")[2].partition("?")[0])
    with open_store(url) as store:
        assert store.create_run(a_run()) == 1


def _python(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.strip()


def test_importing_the_room_loads_no_database_library() -> None:
    script = (
        "import sys, karat.store; print(sorted({'sqlalchemy', 'alembic', 'psycopg', 'sqlite3'} & set(sys.modules)))"
    )
    assert _python(script) == "[]"


def test_opening_loads_no_alembic(tmp_path: Path) -> None:
    opening = f"from karat.store import open_store; open_store(r'{tmp_path}/karat.db').close()"
    for _ in ("new", "there already"):
        assert _python(f"import sys; {opening}; print('alembic' in sys.modules)") == "False"
