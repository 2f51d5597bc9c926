"""Real databases with the same small shop in each: a SQLite file, a DuckDB file, a PostgreSQL and a MariaDB server."""

from __future__ import annotations

import getpass
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karat.engines.drivers import driver
from karat.engines.protocol import Engine, EngineConfig, EngineType
from tests.store.conftest import PostgresServer, postgres

__all__ = ["PostgresServer", "postgres"]

SHOP = """
CREATE TABLE shop (id INTEGER, name VARCHAR(20), price DOUBLE PRECISION, day DATE);
INSERT INTO shop VALUES (1, 'tea', 2.5, '2024-01-31'), (2, 'café', 0.1, NULL), (3, NULL, 1e-05, '2024-02-29');
"""
KINDS = ("sqlite", "duckdb", "postgresql", "mysql")


class MariadbServer:
    """A private server that is reached over a socket in its own folder, with a shop in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "s"
        user = f"--user={getpass.getuser()}"
        subprocess.run(
            [
                *("mariadb-install-db", "--no-defaults", f"--datadir={folder}/data", "--skip-test-db", user),
                "--auth-root-authentication-method=normal",
            ],
            check=True,
            capture_output=True,
        )
        self.process = subprocess.Popen(
            [
                *(str(_mariadbd()), "--no-defaults", f"--datadir={folder}/data", f"--socket={self.socket}", user),
                *("--skip-networking", f"--pid-file={folder}/pid", "--innodb-flush-log-at-trx-commit=0"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.wait()

    def wait(self) -> None:
        for _ in range(300):
            try:
                self.sql("SELECT 1")
                return
            except driver("pymysql", "sql").MySQLError:
                assert self.process.poll() is None, "mariadbd ended"
                time.sleep(0.1)
        raise AssertionError("mariadbd did not start within 30 s")

    def sql(self, *statements: str) -> list[Any]:
        """The rows of the last statement."""
        connect = driver("pymysql", "sql").connect
        with (
            connect(unix_socket=str(self.socket), user="root", autocommit=True) as database,
            database.cursor() as cursor,
        ):
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())

    def running(self) -> list[Any]:
        """The slow queries of these tests that run now."""
        return self.sql("SELECT info FROM information_schema.processlist WHERE info LIKE 'SELECT benchmark%'")

    def url(self) -> str:
        return f"mysql://root@/shop?unix_socket={self.socket}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def _mariadbd() -> str | None:
    return shutil.which("mariadbd") or shutil.which("mariadbd", path="/usr/sbin")


@pytest.fixture(scope="session")
def mariadb() -> Iterator[MariadbServer]:
    """The MariaDB server of this test session."""
    if not _mariadbd() or not shutil.which("mariadb-install-db"):
        pytest.skip("no MariaDB on this machine: apt-get install mariadb-server")
    folder = Path(tempfile.mkdtemp(prefix="karat-db-"))  # short: the path of a socket may have 107 bytes
    server = MariadbServer(folder)
    try:
        server.sql("CREATE DATABASE shop CHARACTER SET utf8mb4", "USE shop", *SHOP.strip().split(";")[:2])
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres_shop(postgres: PostgresServer) -> str:
    """The URL of a database with the shop."""
    url = postgres.new_database()
    postgres.sql(SHOP, url.partition("@/")[2].partition("?")[0])
    return url


def settings_of(kind: str, request: pytest.FixtureRequest, folder: Path) -> dict[str, Any]:
    """Settings of an engine over the shop; files are made in the folder."""
    if kind == "sqlite":
        with sqlite3.connect(folder / "shop.sqlite") as connection:
            connection.executescript(SHOP)
        connection.close()
        return {"engine": kind, "path": "shop.sqlite"}
    if kind == "duckdb":
        import duckdb

        with duckdb.connect(str(folder / "shop.duckdb")) as database:
            database.execute(SHOP)
        return {"engine": kind, "path": "shop.duckdb", "memory_limit": "300MB"}
    if kind == "postgresql":
        return {"engine": kind, "url": request.getfixturevalue("postgres_shop")}
    server: MariadbServer = request.getfixturevalue("mariadb")
    return {"engine": kind, "url": server.url()}


def opened(settings: dict[str, Any], folder: Path) -> Engine:
    """An engine by its module, so that these tests do not depend on what is installed under which name."""
    from importlib import import_module

    import msgspec

    found = import_module(f"karat.engines.{settings['engine']}").engine
    assert isinstance(found, EngineType) and issubclass(found.config, EngineConfig)
    return found.open(msgspec.convert(settings, found.config), folder)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def engine(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """Each engine over the shop."""
    found = opened(settings_of(kind, request, tmp_path), tmp_path)
    yield found
    found.close()
