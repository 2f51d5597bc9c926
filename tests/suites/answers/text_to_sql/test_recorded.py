"""The recorded verdicts of the public evaluators on real questions, systems and databases, and the hand cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.suites.answers import suite
from karat.suites.answers.options import Options
from karat.suites.answers.text_to_sql.files.predictions import prediction_field
from tests.conftest import NO_SHARED_DATA

EVERY = 12
"""A test looks at one question in so many; ``python -m benchmarks text_to_sql`` looks at all."""
SPIDER = ("dail_gpt4", "graphix_t5", "c3_chatgpt")
BIRD = ("gpt-4-turbo", "llama-3-70b")


@pytest.fixture
def data(shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = shared / "data" / "sql"
    if not folder.is_dir():
        pytest.skip(NO_SHARED_DATA)
    return folder


def _differing(result: Any, recorded: dict[str, Any], rows: list[int]) -> list[tuple[str, str, Any, Any]]:
    found = []
    for figure, values in recorded.items():
        if figure not in ("evaluators", "order", "row"):
            for case, row in zip(result.cases, rows, strict=True):
                value = case.scores[figure].value
                if value != pytest.approx(values[row], abs=1e-5):
                    found.append((figure, case.id, value, values[row]))
    return found


@pytest.mark.parametrize("place", range(len(SPIDER)))
def test_spider(place: int, data: Path) -> None:
    system, spider = SPIDER[place], data / "spider"
    rows = list(range(place, 623, EVERY))
    result = karat.score(
        "answers",
        spider / "dev.json",
        spider / "predictions" / f"{system}.txt",
        options={"databases": str(spider / "database"), "test_suite": str(spider / "test_suite")},
        case_ids=[str(row) for row in rows],
    )
    recorded = json.loads((spider / "verdicts" / f"{system}.json").read_text())
    assert len(result.cases) == len(rows)
    assert _differing(result, recorded, rows) == []


@pytest.mark.parametrize("place", range(len(BIRD)))
def test_bird_predictions_are_paired_by_row_and_cases_named_by_question_id(place: int, data: Path) -> None:
    system, bird = BIRD[place], data / "bird"
    questions = json.loads((bird / "mini_dev_sqlite.json").read_text())
    rows = list(range(place, len(questions), 6))
    result = karat.score(
        "answers",
        bird / "mini_dev_sqlite.json",
        bird / "predictions" / f"predict_{system}.json",
        options={"databases": str(bird / "dev_databases")},
        case_ids=[str(questions[row]["question_id"]) for row in rows],
    )
    recorded = json.loads((bird / "verdicts" / f"{system}.json").read_text())
    assert _differing(result, recorded, rows) == []


@pytest.mark.parametrize("change", ["reverse_order", "distinct", "rounded", "extra_column"])
def test_defog_with_several_golds(change: str, data: Path) -> None:
    defog = data / "defog"
    recorded = json.loads((defog / "verdicts" / f"{change}.json").read_text())
    places = range(0, len(recorded["row"]), 4)
    result = karat.score(
        "answers",
        defog / "questions.csv",
        defog / "predictions" / f"{change}.jsonl",
        options={"databases": str(defog / "sqlite_dbs")},
        case_ids=[str(recorded["row"][place]) for place in places],
    )
    assert _differing(result, recorded, list(places)) == []


def test_strict_and_the_public_verdicts_of_the_hand_cases(data: Path) -> None:
    file = data / "hand" / "cases.jsonl"
    wanted = [json.loads(line) for line in file.read_text().splitlines()]
    cases = suite.load_cases(file).cases
    options = Options(databases=str(data / "hand" / "database"))
    for case, prediction, want in zip(cases, prediction_field(cases).predictions, wanted, strict=True):
        found = suite.compare(case, 0, prediction, options)
        assert (found.strict.state == "right") == bool(want["strict"]), want["name"]
        refused = want["prediction"].startswith(("create", "drop"))
        for figure, value in want["official"].items():
            assert found.queries is not None
            given = getattr(found.queries.figures, figure)
            assert given == (0 if refused else pytest.approx(value, abs=1e-5)), (want["name"], figure)
