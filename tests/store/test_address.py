"""Store URLs, and that no password is ever said."""

from __future__ import annotations

import socket
import sys
import traceback
from pathlib import Path

import pytest

from karat.core.installed.extras import install_command
from karat.core.problems import UserError
from karat.store import open_store, parse_run, run_name
from karat.store.database.address import PostgresAddress, SqliteAddress, parse_address, redacted
from tests.store.conftest import PostgresServer
from tests.store.samples import a_run

CANARY = "c4n4ry"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///.karat/karat.db", ".karat/karat.db"),
        ("sqlite:////var/karat.db", "/var/karat.db"),
        ("SQLite+pysqlite:///x.db", "x.db"),
        (".karat/karat.db", ".karat/karat.db"),
    ],
)
def test_sqlite_urls(url: str, path: str) -> None:
    assert parse_address(url) == SqliteAddress(Path(path))


@pytest.mark.parametrize("scheme", ["postgresql+psycopg", "postgresql", "postgres", "POSTGRES"])
def test_postgres_urls_mean_psycopg_3(scheme: str) -> None:
    address = parse_address(f"{scheme}://u:p@host:5433/db?sslmode=require")
    assert isinstance(address, PostgresAddress)
    assert address.url == "postgresql+psycopg://u:p@host:5433/db?sslmode=require"
    assert address.shown == f"{scheme.lower()}://***@host:5433/db"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://u:p@h/d", '"mysql" is not a kind of store'),
        ("postgresq://u:p@h/d", 'Did you mean "postgresql"?'),
        ("postgresql:u:p@h/d", 'no "://"'),
        ("sqlite://x.db", "three slashes"),
        ("sqlite://", "three slashes"),
        ("sqlite:///", "needs a file"),
        ("", "needs a file"),
        (":memory:", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite:///x.db?mode=ro", "takes no options"),
    ],
)
def test_urls_that_mean_nothing(url: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        open_store(url)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://{CANARY}:{CANARY}@db.example.org/karat", "postgresql://***@db.example.org/karat"),
        (f"postgresql://{CANARY}@[::1]:5432/karat", "postgresql://***@[::1]:5432/karat"),
        (f"postgresql://host/db?user={CANARY}&password={CANARY}", "postgresql://host/db"),
        ("postgresql:///db?host=/tmp/x", "postgresql:///db"),
        (f"postgresql://u:{CANARY}/{CANARY}@host/db", "postgresql://***@host/db"),
        (f"postgresql://u:{CANARY}@{CANARY}@host/db", "postgresql://***@host/db"),
        (f"postgresql://u:x?{CANARY}@host/db", "postgresql://***"),
        (f"postgresql://u:{CANARY}#{CANARY}@host/db", "postgresql://***@host/db"),
        (f"postgresql://host/db?password=a@b{CANARY}", "postgresql://***"),
        (f"postgresql://u:{CANARY}", "postgresql://***"),
        (f"postgresql://host:5432:{CANARY}/db", "postgresql://***"),
    ],
)
def test_what_is_shown_of_a_url(url: str, shown: str) -> None:
    assert redacted(url) == shown
    assert CANARY not in repr(parse_address(url)) + str(parse_address(url))


def _everything_said(url: str) -> str:
    """All that opening this URL tells a user, with the traceback that a log would hold."""
    with pytest.raises(UserError) as caught, open_store(url) as store:
        store.create_run(a_run())
    return str(caught.value) + "".join(traceback.format_exception(caught.value))


def _closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_a_server_that_is_not_there() -> None:
    said = _everything_said(f"postgresql://{CANARY}:{CANARY}@127.0.0.1:{_closed_port()}/karat")
    assert "cannot be reached" in said and "connection refused" in said and "***@127.0.0.1" in said
    assert CANARY not in said


def test_a_server_that_does_not_answer() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        said = _everything_said(f"postgresql://u:{CANARY}@127.0.0.1:{port}/karat?connect_timeout=2")
    assert "cannot be reached" in said and "(timeout)" in said and CANARY not in said


def test_a_host_that_is_not_known() -> None:
    said = _everything_said(f"postgresql://u:{CANARY}@no-such-host.invalid/karat")
    assert "cannot be reached" in said and CANARY not in said


@pytest.mark.parametrize(
    "url", [f"postgresql://u:{CANARY}", f"postgresql://u:p@host:{CANARY}/db", f"mysql://{CANARY}:{CANARY}@h/d"]
)
def test_urls_that_cannot_be_read_are_not_quoted(url: str) -> None:
    assert CANARY not in _everything_said(url)


def test_a_wrong_password(postgres: PostgresServer) -> None:
    database = postgres.new_database().partition("@/")[2].partition("?")[0]
    rules = Path(postgres.socket_folder) / "pg_hba.conf"
    rules.write_text(f"local all {CANARY}user scram-sha-256\n" + rules.read_text())
    postgres.sql(f"CREATE ROLE {CANARY}user LOGIN PASSWORD 'right'")
    postgres.sql("SELECT pg_reload_conf()")
    url = f"postgresql://{CANARY}user:{{}}@/{database}?host={postgres.socket_folder}"
    for wrong in (url.format(CANARY), url.format(CANARY) + f"&application_name={CANARY}"):
        said = _everything_said(wrong)
        assert "refused the user name or password" in said
        assert CANARY not in said
    said = _everything_said(url.format("right"))  # may connect, but not create tables
    assert "does not let this user do that" in said and "GRANT" in said and CANARY not in said
    postgres.sql(f"GRANT CREATE ON SCHEMA public TO {CANARY}user", database)
    with open_store(url.format("right")) as store:
        assert store.create_run(a_run()) == 1
        assert CANARY not in repr(store) + store.shown


def test_a_database_that_is_not_there(postgres: PostgresServer) -> None:
    said = _everything_said(postgres.url("nothing_here"))
    assert "has no such database" in said and "createdb" in said


def test_a_postgres_server_that_is_read_only(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    database = url.partition("@/")[2].partition("?")[0]
    open_store(url).close()
    postgres.sql(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    assert "is read-only" in _everything_said(url)
    with open_store(url) as store:
        assert store.runs() == []


def test_a_lost_connection_is_said_and_the_next_call_connects_again(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    database = url.partition("@/")[2].partition("?")[0]
    kick = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
    with open_store(url) as store:
        with pytest.raises(UserError, match="cannot be reached"), store._writing() as connection:
            postgres.sql(kick)
            connection.exec_driver_sql("SELECT 1")
        run = store.create_run(a_run())
        postgres.sql(kick)
        assert store.run(run).suite == "data_query"


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = _everything_said(f"postgresql://u:{CANARY}@host/db")
    assert install_command("postgres") in said and CANARY not in said


@pytest.mark.parametrize(
    ("text", "run"),
    [("r-0012", 12), ("r-12", 12), ("12", 12), (" R-0012 ", 12), ("latest", None), ("r-123456", 123456)],
)
def test_names_of_runs(text: str, run: int | None) -> None:
    assert parse_run(text) == run


@pytest.mark.parametrize("text", ["", "r-", "r-0", "0", "-1", "run-12", "r-12x", "1.5", "٣", "9" * 30])
def test_names_that_are_not_of_runs(text: str) -> None:
    with pytest.raises(UserError, match="is not the name of a run"):
        parse_run(text)


def test_run_names_are_padded() -> None:
    assert [run_name(1), run_name(9999), run_name(12345)] == ["r-0001", "r-9999", "r-12345"]
