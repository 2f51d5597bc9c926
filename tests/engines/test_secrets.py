"""A password is never seen: not in an error, not in a representation, not in a cache, not in a hint."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karat.core.installed.extras import install_command
from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets
from karat.engines.bigquery import engine as bigquery
from karat.engines.mysql import MysqlConfig
from karat.engines.opening import read_settings
from karat.engines.postgresql import PostgresqlConfig
from karat.engines.protocol import EngineError
from karat.engines.query.cache import ResultCache, cached_run
from karat.engines.secrets import credential_file, filled, shown_settings
from karat.engines.snowflake import SnowflakeConfig
from tests.engines.conftest import MariadbServer, PostgresServer, opened

CANARY = "canary/7@ é?x"


def everything_said(action: Callable[[], object]) -> str:
    """All that reaches a person when an action fails: message, hint, arguments, and the traceback with its causes."""
    with pytest.raises((EngineError, UserError)) as caught:
        action()
    error = caught.value
    shown = traceback.format_exception(error, chain=True)
    return "\n".join([str(error), repr(error), str(error.args), getattr(error, "hint", ""), *shown])


def unseen(text: str) -> bool:
    return not any(part in text for part in (CANARY, "canary", "7%40", "7@"))


@pytest.mark.parametrize(
    "settings",
    [
        {"engine": "postgresql", "url": "postgresql://u:${KARAT_TEST_CANARY}@127.0.0.1:1/d", "connect_timeout": 1},
        {"engine": "postgresql", "url": "postgresql://127.0.0.1:1/d?user=u&password=${KARAT_TEST_CANARY}"},
        {"engine": "mysql", "url": "mysql://u:${KARAT_TEST_CANARY}@127.0.0.1:1/d", "connect_timeout": 1},
        {"engine": "mysql", "url": "mysql://u:${KARAT_TEST_CANARY}@127.0.0.1:port/d"},
        {"engine": "mysql", "url": "mysql://u:x@127.0.0.1:1/d?password=${KARAT_TEST_CANARY}"},
        {"engine": "mysql", "url": "nonsense:${KARAT_TEST_CANARY}"},
    ],
)
def test_a_server_that_cannot_be_reached(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARAT_TEST_CANARY", CANARY)
    assert unseen(everything_said(lambda: opened(settings, tmp_path).run("SELECT 1", timeout=5, row_limit=1)))


def test_a_password_written_into_the_url_itself(tmp_path: Path) -> None:
    settings = {"engine": "postgresql", "url": "postgresql://u:canary7@127.0.0.1:1/d", "connect_timeout": 1}
    assert unseen(everything_said(lambda: opened(settings, tmp_path).run("SELECT 1", timeout=5, row_limit=1)))
    assert unseen(everything_said(lambda: read_settings(settings | {"timeout": "soon"})))
    for config in (
        PostgresqlConfig(engine="postgresql", url="postgresql://u:canary7@h/d?password=canary7"),
        MysqlConfig(engine="mysql", url="mysql://u:canary7@h/d"),
        SnowflakeConfig(engine="snowflake", user="u", password="canary7"),
    ):
        assert unseen(repr(config)) and unseen(str(config))


def test_a_wrong_password_on_a_real_server(
    mariadb: MariadbServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARAT_TEST_CANARY", CANARY)
    settings = {"engine": "mysql", "url": f"mysql://root:${{KARAT_TEST_CANARY}}@/shop?unix_socket={mariadb.socket}"}
    said = everything_said(lambda: opened(settings, tmp_path).run("SELECT 1", timeout=5, row_limit=1))
    assert "Access denied" in said and "connection" in said and unseen(said)


def test_a_right_password_with_odd_characters_works_and_is_not_kept(
    mariadb: MariadbServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mariadb.sql(
        f"CREATE OR REPLACE USER reader@localhost IDENTIFIED BY '{CANARY}'",
        "GRANT SELECT ON shop.* TO reader@localhost",
    )
    monkeypatch.setenv("KARAT_TEST_CANARY", CANARY)
    settings = {"engine": "mysql", "url": f"mysql://reader:${{KARAT_TEST_CANARY}}@/shop?unix_socket={mariadb.socket}"}
    engine = opened(settings, tmp_path)
    cached_run(engine, "SELECT count(*) FROM shop", ResultCache(tmp_path), timeout=5, row_limit=1)
    assert unseen(
        everything_said(lambda: engine.run("SELECT canary_is_not_here FROM nowhere7", timeout=5, row_limit=1)).replace(
            "canary_is_not_here", ""
        )
    )
    assert all(b"canary" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    engine.close()


def test_a_server_that_echoes_the_password(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KARAT_TEST_CANARY", "canary7secret")
    url = f"postgresql://postgres:${{KARAT_TEST_CANARY}}@/postgres?host={postgres.socket_folder}"
    engine = opened({"engine": "postgresql", "url": url}, tmp_path)
    said = everything_said(lambda: engine.run("SELECT CAST('canary7secret' AS INTEGER)", timeout=5, row_limit=1))
    assert "invalid input syntax" in said
    assert "canary7secret" not in str(said.splitlines()[0])
    engine.close()


def test_a_variable_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_TEST_CANARY", CANARY)
    with pytest.raises(UserError, match="KARAT_TEST_CANARI, which the engine needs, is not set") as caught:
        filled("mysql://u:${KARAT_TEST_CANARI}@h/d", "the engine")
    assert "KARAT_TEST_CANARY" in caught.value.hint and unseen(str(caught.value))


def test_credential_files(tmp_path: Path) -> None:
    assert credential_file("", "usual.json", tmp_path) == (None, None)
    with pytest.raises(UserError, match=r"own\.json does not exist"):
        credential_file("own.json", "usual.json", tmp_path)
    (tmp_path / "usual.json").write_text(json.dumps({"password": CANARY}))
    assert credential_file("", "usual.json", tmp_path)[0] == {"password": CANARY}
    (tmp_path / "usual.json").write_text('{"password": "canary" oh}')
    assert unseen(everything_said(lambda: credential_file("", "usual.json", tmp_path)))


def test_secrets_hide_every_form_and_every_line() -> None:
    secrets = Secrets(["a b&c/d", "-----BEGIN-----\nMIIcanary\n-----END-----"])
    said = secrets.text("a b&c/d a%20b%26c%2Fd a+b%26c%2Fd MIIcanary -----BEGIN-----\\nMIIcanary\\n-----END-----")
    assert "a b&c" not in said and "%26" not in said and "canary" not in said
    assert repr(secrets).startswith("Secrets(")
    assert shown_settings({"password": "x", "url": "mysql://u:p@h/d?password=p", "token": "${T}", "rows": 3}) == {
        "password": "***",
        "url": "mysql://h/d",
        "token": "${T}",
        "rows": 3,
    }


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "google.cloud.bigquery", None)
    with pytest.raises(UserError) as caught:
        bigquery.open(bigquery.config(engine="bigquery"), tmp_path)
    assert caught.value.hint == f"Install it: {install_command('bigquery')}"
