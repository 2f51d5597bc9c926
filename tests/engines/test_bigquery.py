"""BigQuery's official client against bqemulator over loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engines.emulators import session

STEPS: list[dict[str, Any]] = [
    {"sql": "SELECT id, name, price, day, cost, sold FROM shop.goods ORDER BY id"},
    {"sql": "SELECT id FROM goods ORDER BY id", "row_limit": 1},
    {"sql": "SELECT id FROM goods WHERE id > 99"},
    {"sql": "SELECT nowhere FROM goods"},
    {"sql": "DELETE FROM goods WHERE TRUE"},
    {"sql": "DELETE FROM goods WHERE TRUE", "guard": False},
    {"sql": "CREATE TABLE shop.other AS SELECT 1 AS a", "guard": False},
    {"sql": "SELECT count(*) AS n FROM goods"},
    {
        "sql": "SELECT count(*) FROM UNNEST(GENERATE_ARRAY(1, 100000)) a, UNNEST(GENERATE_ARRAY(1, 100000)) b,"
        " UNNEST(GENERATE_ARRAY(1, 100000)) c WHERE MOD(a + b + c, 7) = 3",
        "timeout": 1,
    },
]


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first time, its environment is made
def test_bigquery_over_its_client(tmp_path: Path) -> None:
    table, cut, empty, wrong, refused, delete, create, after, slow = session("bqemulator", tmp_path, STEPS, {})
    assert table["names"] == ["id", "name", "price", "day", "cost", "sold"]
    rows = list(zip(*table["columns"], strict=True))
    assert rows[0][:4] == ("1", "tea", "2.5", "2024-01-31") and rows[0][5] == "True"
    assert float(rows[0][4]) == 1.5, "the emulator pads a NUMERIC with zeros"
    assert rows[1] == ("2", "café", "0.1", None, None, None)
    assert (cut["columns"], cut["truncated"]) == ([["1"]], True)
    assert (empty["names"], empty["columns"]) == (["id"], [[]])
    assert wrong["kind"] == "sql_error" and "nowhere" in wrong["message"]
    assert refused["kind"] == "refused"
    assert (delete["kind"], delete["message"]) == ("refused", "the query was not run: BigQuery classifies it as DELETE")
    assert create["kind"] == "refused"
    assert after["columns"] == [["2"]]
    assert slow["kind"] == "timeout"
    assert slow["wall"] < 30, "the emulator does not answer while it works; the engine leaves it behind"


@pytest.mark.slow
@pytest.mark.timeout(900)  # the first time, its environment is made
def test_a_credential_file_is_read_and_never_shown(tmp_path: Path) -> None:
    key = {
        "type": "service_account",
        "project_id": "test",
        "client_email": "reader@test",
        "token_uri": "http://127.0.0.1:1",
    }
    (said,) = session("bqemulator", tmp_path, [], key | {"private_key": "canary7secret"})
    assert "canary" not in str(said)
    assert said["user_error"].startswith("BigQuery cannot be reached")
    odd = {"type": "external_account", "credential_source": {"executable": {"command": "canary7secret"}}}
    (said,) = session("bqemulator", tmp_path, [], odd)
    assert "has an unknown type" in said["user_error"] and "canary" not in str(said)
