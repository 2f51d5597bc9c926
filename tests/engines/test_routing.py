"""Ids find their engine by the longest prefix, and settings are checked."""

from __future__ import annotations

import pytest

from karat.core.problems import UserError
from karat.engines.opening import read_settings
from karat.engines.routing import route

RULES = {
    "local": {"engine": "sqlite", "path": "shop.sqlite"},
    "local003": {"engine": "duckdb", "path": "{instance_id}.duckdb"},
    "bq": {"engine": "bigquery"},
}


def test_the_longest_prefix_wins() -> None:
    assert route("local001", RULES) == {"engine": "sqlite", "path": "shop.sqlite"}
    assert route("local003", RULES) == {"engine": "duckdb", "path": "local003.duckdb"}
    assert route("bq011", RULES) == {"engine": "bigquery"}
    assert route("sf001", RULES | {"": {"engine": "snowflake"}}) == {"engine": "snowflake"}


def test_an_id_without_a_rule_names_the_prefixes() -> None:
    with pytest.raises(UserError, match='no engine is configured for the instance "sf001"') as caught:
        route("sf001", RULES)
    assert caught.value.hint.startswith("Prefixes with a rule: bq, local, local003.")
    with pytest.raises(UserError) as caught:
        route("sf001", {})
    assert "Add a rule" in caught.value.hint


def test_an_id_cannot_lead_out_of_the_folder() -> None:
    with pytest.raises(UserError, match="cannot be used in a path"):
        route("local003/../../etc", RULES)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"engine": "sqlite", "file": "x"}, 'has no setting "file"'),
        ({"engine": "sqlite"}, "missing required field `path`"),
        ({"engine": "sqlite", "path": "x", "timeout": -1}, "timeout must be above 0"),
        ({"engine": "sqlit", "path": "x"}, 'Did you mean "sqlite"'),
        ({"path": "x"}, 'has no "engine"'),
    ],
)
def test_settings_that_cannot_be_read_say_why(settings: dict[str, object], words: str) -> None:
    with pytest.raises(UserError) as caught:
        read_settings(settings)
    assert words in str(caught.value)


def test_settings_from_yaml_are_texts() -> None:
    _, config = read_settings({"engine": "duckdb", "path": "x", "timeout": "5", "threads": "1", "cache": "false"})
    assert (config.timeout, config.cache) == (5.0, False)
