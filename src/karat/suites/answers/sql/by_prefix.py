"""Where the SQL of a Spider2 instance runs when only ``databases`` is given: its id says the engine, its row the
database."""

from __future__ import annotations

import re

from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.suites.answers.text_to_sql.running.databases import engine_settings

BIGQUERY = re.compile(r"(?:bq|ga)\d")
SNOWFLAKE = re.compile(r"sf(?:_|\d)")


def engine_name(instance_id: str) -> str:
    """``bigquery`` for ids like bq011 and ga001, ``snowflake`` for sf001 and sf_bq011, else a file: empty."""
    if BIGQUERY.match(instance_id):
        return "bigquery"
    return "snowflake" if SNOWFLAKE.match(instance_id) else ""


def settings_by_prefix(instance_id: str, databases: str, database: str) -> JsonObject:
    """The settings of the engine. Credentials come from their usual places. UserError where there is no database."""
    name = engine_name(instance_id)
    if name == "bigquery":
        return {"engine": name}  # its queries name their datasets in full
    if name == "snowflake":
        if not database:
            hint = "Score the question file itself (--questions spider2-snow.jsonl), which names it."
            raise UserError(f'the instance "{instance_id}" does not say which database it is about', hint=hint)
        return {"engine": name, "database": database}
    return engine_settings(databases, database)
