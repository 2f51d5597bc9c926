"""Small databases and question files for the tests of text-to-SQL."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from karat.core.records import Case
from karat.suites.answers import suite
from karat.suites.answers.comparison import Comparison
from karat.suites.answers.options import Options
from karat.suites.answers.text_to_sql.files.predictions import prediction_field

SHOP = """
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, country TEXT, born TEXT);
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer_id INT, amount REAL, day TEXT);
INSERT INTO customer VALUES (1,'Ada','FR','1990-01-01'),(2,'Ben','FR','1985-05-05');
INSERT INTO customer VALUES (3,'Cleo','DE',NULL),(4,'Ada','IT',NULL);
INSERT INTO sale VALUES (1,1,10.5,'2024-01-01'),(2,1,20,'2024-01-02'),(3,2,20,'2024-01-02'),(4,3,5,'2024-02-01');
"""


def database(folder: Path, name: str = "shop", script: str = SHOP) -> Path:
    """A SQLite file ``folder/name/name.sqlite``."""
    file = folder / name / f"{name}.sqlite"
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return file


def question_file(folder: Path, rows: Sequence[Mapping[str, Any]], name: str = "team.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def compared(folder: Path, gold: str | list[str], sql: str, question: str = "", **more: Any) -> Comparison:
    """One prediction against gold SQL on the shop."""
    if not (folder / "shop").exists():
        database(folder)
    options = more.pop("options", {})
    row = {"id": "q", "db": "shop", "question": question, "sql": gold, "prediction": sql, **more}
    cases: Sequence[Case[Any]] = suite.load_cases(question_file(folder, [row])).cases
    (prediction,) = prediction_field(cases).predictions
    return suite.compare(cases[0], 0, prediction, Options(databases=str(folder), **options))
