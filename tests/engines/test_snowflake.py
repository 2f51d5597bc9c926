"""Snowflake's official client against fakesnow over loopback, with the credential file of the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.engines.snowflake import SnowflakeConfig, _arguments
from tests.engines.emulators import session

CREDENTIALS = {"username": "reader", "password": "canary7secret", "unknown": 1}
STEPS: list[dict[str, Any]] = [
    {"sql": "SELECT id, name, price, day, cost, sold FROM goods ORDER BY id"},
    {"sql": "SELECT id FROM goods ORDER BY id", "row_limit": 1},
    {"sql": "SELECT id FROM goods WHERE id > 99"},
    {"sql": "SELECT nowhere FROM goods"},
    {"sql": "DELETE FROM goods"},
    {"sql": "DELETE FROM goods", "guard": False},
    {"sql": "SELECT count(*) AS n FROM goods"},
    {
        "sql": "SELECT count(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000)) a, TABLE(GENERATOR(ROWCOUNT => 1000000)) b "
        "WHERE RANDOM() > 0",
        "timeout": 1,
    },
]


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first time, its environment is made
def test_snowflake_over_its_client(tmp_path: Path) -> None:
    table, cut, empty, wrong, refused, undone, after, slow = session("fakesnow", tmp_path, STEPS, CREDENTIALS)
    assert table["names"] == ["ID", "NAME", "PRICE", "DAY", "COST", "SOLD"]
    assert list(zip(*table["columns"], strict=True)) == [
        ("1", "tea", "2.5", "2024-01-31", "1.50", "True"),
        ("2", "café", "0.1", None, None, None),
    ]
    assert (cut["columns"], cut["truncated"]) == ([["1"]], True)
    assert (empty["names"], empty["columns"]) == (["ID"], [[]])
    assert wrong["kind"] == "sql_error" and "nowhere" in wrong["message"].lower()
    assert refused["kind"] == "refused"
    assert "kind" not in undone, "Snowflake has no read-only session: what the guard missed runs, and is rolled back"
    assert after["columns"] == [["2"]]
    assert slow["kind"] == "timeout"
    assert slow["wall"] < 30, "the emulator ignores the abort; the engine leaves it behind"
    seen = str([table, cut, empty, wrong, refused, undone, after, slow])
    assert "canary" not in seen
    assert table["fingerprint"] == slow["fingerprint"]


def test_settings_win_over_the_file_and_the_file_over_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ACCOUNT", "USER", "PASSWORD", "ROLE", "DEFAULT_CONNECTION_NAME"):
        monkeypatch.delenv(f"SNOWFLAKE_{name}", raising=False)
    with pytest.raises(UserError, match="no account") as caught:
        _arguments(SnowflakeConfig(engine="snowflake"), tmp_path)
    assert "snowflake_credential.json" in caught.value.hint
    monkeypatch.setenv("SNOWFLAKE_ACCOUNT", "from-env")
    monkeypatch.setenv("SNOWFLAKE_USER", "from-env")
    monkeypatch.setenv("PASSWORD_OF_READER", "from-variable")
    config = SnowflakeConfig(engine="snowflake", user="own", password="${PASSWORD_OF_READER}")
    assert _arguments(config, tmp_path) == {"account": "from-env", "user": "own", "password": "from-variable"}
    (tmp_path / "snowflake_credential.json").write_text('{"account": "from-file", "user": "from-file"}')
    assert _arguments(config, tmp_path) == {"account": "from-file", "user": "own", "password": "from-variable"}
