"""The scores that the public evaluator is known to give, on the real gold sets and example submissions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.suites.answers.records import Answer
from karat.suites.answers.spider2 import judge
from tests.suites.answers.spider2.public_gold import as_submitted, lite_golds, old_golds

pytestmark = pytest.mark.shared_data


def test_first_gold_of_lite_passes_everywhere(shared: Path) -> None:
    golds = lite_golds(shared)
    passed = [bool(judge(gold, as_submitted(gold, gold.entries[0].gold_files[0]), nulls="zero")) for gold in golds]
    assert (sum(passed), len(passed)) == (546, 546)


def test_last_gold_of_lite_fails_where_a_column_is_out_of_range(shared: Path) -> None:
    golds = lite_golds(shared)
    verdicts = {
        gold.instance_id: judge(gold, as_submitted(gold, gold.entries[0].gold_files[-1]), nulls="zero")
        for gold in golds
    }
    failed = {name: verdict for name, verdict in verdicts.items() if not verdict}
    assert len(verdicts) == 546
    assert list(failed) == ["bq389"]
    assert failed["bq389"].reason == "gold_error"
    assert "column 4" in failed["bq389"].evidence["error"]


def test_gold_of_the_old_suite_fails_in_two_instances(shared: Path) -> None:
    verdicts = {}
    for gold in old_golds(shared):
        tables = [entry for entry in gold.entries if entry.func == "table_match"]
        if tables and all(Path(path).exists() for path in tables[-1].gold_files):
            verdicts[gold.instance_id] = judge(gold, as_submitted(gold, tables[-1].gold_files[0]))
    failed = {name: verdict for name, verdict in verdicts.items() if not verdict}
    assert len(verdicts) == 547
    assert sorted(failed) == ["sf_bq036", "sf_bq166"]
    assert "exclude" in failed["sf_bq036"].evidence["error"]
    assert "column 8" in failed["sf_bq166"].evidence["error"]


def test_the_example_submission_of_the_old_suite_has_one_right_answer(shared: Path) -> None:
    folder = shared / "data/spider2/old/evaluation_suite/example_submission_folder"
    golds = {gold.instance_id: gold for gold in old_golds(shared)}
    rows = [json.loads(line) for line in (folder / "results_metadata.jsonl").read_text().splitlines()]
    verdicts = {}
    for row in rows:
        name, said = row["instance_id"], row["answer_or_path"]
        if name in golds:
            is_file = row["answer_type"] == "file"
            answer = (
                Answer(name, "file", paths=(str(folder / name / said),)) if is_file else Answer(name, "answer", said)
            )
            verdicts[name] = judge(golds[name], answer)
    assert (sum(map(bool, verdicts.values())), len(verdicts)) == (1, 7)


def test_the_example_submission_of_lite_has_one_right_answer(shared: Path) -> None:
    folder = shared / "data/spider2/lite/evaluation_suite/example_submission_folder_csv"
    golds = {gold.instance_id: gold for gold in lite_golds(shared)}
    verdicts = [
        judge(golds[path.stem], as_submitted(golds[path.stem], str(path)), nulls="zero")
        for path in folder.glob("*.csv")
    ]
    assert (sum(map(bool, verdicts)), len(verdicts)) == (1, 6)
