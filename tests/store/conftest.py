"""The two databases: a SQLite file, and a real PostgreSQL server that is started here and stopped at the end."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from karat.store import Store, open_store


class PostgresServer:
    """A running server, reached over its Unix socket. Each call of ``new_database`` gives the URL of an empty
    database."""

    def __init__(self, uri: str) -> None:
        self.socket_folder = uri.partition("host=")[2]
        self._made = 0

    def sql(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(host=self.socket_folder, user="postgres", dbname=database, autocommit=True) as connection:
            connection.execute(statement.encode())

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.socket_folder}"

    def new_database(self) -> str:
        self._made += 1
        name = f"karat_{self._made}"
        self.sql(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)


RECOVERED = 300.0
"""Seconds that a server may take to recover."""


def cut_power(server: Any) -> None:
    """Stop a server as a power cut does, and start it again. The package gives a start ten seconds, and recovery takes
    longer on a busy machine: then the server goes on starting, and is waited for."""
    from pgserver import _commands

    pg_ctl: Any = vars(_commands)["pg_ctl"]
    running = PostgresServer(server.get_uri())
    pg_ctl(["-m", "immediate", "-w", "stop"], pgdata=server.pgdata, user=server.system_user)
    try:
        server.ensure_postgres_running()
    except subprocess.TimeoutExpired:
        until = time.monotonic() + RECOVERED
        while True:
            try:
                running.sql("SELECT 1")
                break
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)
        server.ensure_postgres_running()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """The PostgreSQL server of this test session."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a runtime folder of the user, which a bare machine has not
        from pgserver.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="karat-pg-"))  # short: the path of a socket may have 107 bytes
    server = get_server(folder, cleanup_mode="delete")
    try:
        running = PostgresServer(server.get_uri())
        # Its data is thrown away afterwards; writing it all out would take half a minute.
        running.sql("ALTER SYSTEM SET fsync = off")
        running.sql("SELECT pg_reload_conf()")
        yield running
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a store that does not exist yet, on each database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/.karat/karat.db"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """An empty store, on each database."""
    with open_store(url) as opened:
        yield opened
