"""Models of DA-Code and competitions of DSBench: metrics by hand, bounds, ids, and files in the published form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.records import Prediction
from karat.sandbox import Column, Outcome, Table
from karat.suites.codegen.benchmarks.dsbench_models import METRICS
from karat.suites.codegen.cases import load_cases
from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.options import Options
from karat.suites.codegen.published.judging import judged_as_published
from karat.suites.codegen.published.model_metrics import OF_NUMBERS, OF_TEXTS, TOGETHER, NoMetric, silhouette, value_of
from karat.suites.codegen.records import Published, Scorer
from karat.suites.codegen.steps.compare import compare

QUICK = Options(performance=False, perturb="no", relations="no")


@pytest.mark.parametrize(
    ("metric", "truth", "given", "value"),
    [
        ("accuracy", ["Yes", "no", "1"], ["yes ", "No", 1.0], 1.0),
        ("accuracy", [True, False, True], ["True", "False", "False"], 2 / 3),
        ("accuracy", ["Negative", "Positive"], ["Positive", "Negative"], 0.0),
        ("f1", ["a", "a", "b", "c"], ["a", "b", "b", "d"], (2 * 2 / 3 + 2 / 3) / 4),
        ("f1 macro", ["a", "a", "b"], ["a", "b", "b"], 2 / 3),
        ("f1 micro", ["a", "a", "b"], ["a", "b", "b"], 2 / 3),
        ("f1 binary", [1, 1, 0, 0], [1, 0, 0, 0], 2 / 3),
        ("roc_auc_score", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.75),
        ("roc_auc_score", [0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5], 0.5),
        ("gini", [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], 0.5),
        ("r2", [3, -0.5, 2, 7], [2.5, 0.0, 2, 8], 0.9486081370449679),
        ("mae", [3, -0.5, 2, 7], [2.5, 0.0, 2, 8], 0.5),
        ("mse", [1, 2], ["1", "4"], 2.0),
        ("rmse", [1, 2], [1, 4], 2**0.5),
        ("medae", [3, -0.5, 2, 7], [2.5, 0.0, 2, 8], 0.5),
        ("medae", [0, 0, 0], [1, 2, 9], 2.0),
        ("rmsle", [0, 0], [0, 2.718281828459045 - 1], 0.5**0.5),
        ("smape", [100, 0], [50, 0], 100 * (50 / 75) / 2),
        ("smape_share", [100, 0], [50, 0], (50 / 75) / 2),
        ("quadratic_weighted_kappa", [1, 2, 3], [1, 2, 3], 1.0),
        ("quadratic_weighted_kappa", [1, 2, 1, 2], [2, 1, 2, 1], -1.0),
        ("logloss", [1, 0], [0.8, 0.4], 0.3669845875401002),
        ("pearson", [1, 2, 3], [2, 4, 6], 1.0),
        ("spearman", [1, 2, 3], [1, 10, 100], 1.0),
        ("jaccard", ["good day", "x"], ["Good", "x"], 0.75),
        ("in_first_three", ["Zika", "Malaria"], ["Dengue Zika Plague", "a b c Malaria"], 0.5),
    ],
)
def test_metrics_by_hand(metric: str, truth: list[Any], given: list[Any], value: float) -> None:
    name, _, average = metric.partition(" ")
    assert value_of(name, [truth], [given], average) == pytest.approx(value)


def test_metrics_over_several_columns() -> None:
    assert value_of("rmse", [[1, 2], [0, 0]], [[1, 2], [3, 3]]) == 1.5
    assert value_of("class_logloss", [[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]) == pytest.approx(0.6931471805599453)
    assert value_of("logloss_class", [[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]) == pytest.approx(1.0)
    assert value_of("logloss_total", [[1, 0], [0, 1]], [[1, 1], [1, 1]]) == pytest.approx(0.5)
    assert silhouette([[0, 0, 10, 10], [0, 1, 0, 1]], ["a", "a", "b", "b"]) == pytest.approx(0.9002484, abs=1e-6)
    assert silhouette([[0, 0, 10, 10]], [0, 0, 0, 1]) < 0.5


@pytest.mark.parametrize(
    ("metric", "truth", "given"),
    [
        ("mae", [1, 2], [1, None]),
        ("r2", [1, 2], ["a", 2]),
        ("roc_auc_score", [1, 1], [0.1, 0.2]),
        ("rmsle", [1, 2], [1, -3]),
        ("pearson", [1, 2], [3, 3]),
        ("quadratic_weighted_kappa", [1, 2], [1.5, 2]),
        ("unheard_of", [1], [1]),
    ],
)
def test_what_has_no_metric_is_said(metric: str, truth: list[Any], given: list[Any]) -> None:
    with pytest.raises(NoMetric):
        value_of(metric, [truth], [given])


def test_every_competition_has_a_metric_that_is_there() -> None:
    known = {*OF_NUMBERS, *OF_TEXTS, *TOGETHER, "f1"}
    names = [one.partition(":")[0] for competitions in METRICS.values() for one in competitions]
    assert {metric.partition(" ")[0] for metric in METRICS} <= known
    assert len(names) == len(set(names)) >= 72


# -- verdicts ---------------------------------------------------------------------------------------------------------


def _judged(
    tmp_path: Path, gold: str, given: dict[str, list[Any]], scorer: Scorer = "dacode_model", **options: Any
) -> Correctness:
    (tmp_path / "gold.csv").write_text(gold)
    height = len(next(iter(given.values())))
    table = Table(height, tuple(Column(name, "", values) for name, values in given.items()))
    published = Published(scorer, files=(str(tmp_path / "gold.csv"),), options=options)
    return judged_as_published(published, Outcome("ok", table))


MAE: dict[str, Any] = {"metric": "mae", "lower_bound": 1.0, "upper_bound": 3.0}
GOLD = "id,price\n1,10\n2,20\n3,30\n4,40\n"


@pytest.mark.parametrize(
    ("given", "strict", "official"),
    [
        ({"id": [1, 2, 3, 4], "price": [10, 20, 30, 40]}, 1.0, 0.0),
        ({"id": [1, 2, 3, 4], "price": [12, 22, 32, 42]}, 0.5, 0.5),
        ({"id": [1, 2, 3, 4], "price": [13, 23, 33, 43]}, 0.0, 1.0),
        ({"id": [4, 3, 2, 1], "price": [40, 30, 20, 10]}, 1.0, 1.0),
        ({"id": ["4", "3", "2", "1"], "Price ": ["40", "30", "20", "10"]}, 1.0, 1.0),
        ({"price": [10, 20, 30, 40]}, 1.0, 0.0),
        ({"predictions": [10, 20, 30, 40]}, 1.0, 0.0),
        ({"id": [1, 2, 3, 5], "price": [10, 20, 30, 40]}, 0.0, 0.0),
        ({"id": [1, 2, 3], "price": [10, 20, 30]}, 0.0, 0.0),
        ({"id": [1, 2, 3, 4], "cost": [10, 20, 30, 40]}, 0.0, 0.0),
        ({"id": [1, 2, 3, 4], "price": [10, 20, 30, None]}, 0.0, 0.0),
    ],
)
def test_a_lower_metric_counts_from_the_higher_bound_down(
    tmp_path: Path, given: dict[str, list[Any]], strict: float, official: float
) -> None:
    found = _judged(tmp_path, GOLD, given, **MAE)
    assert (found.cell_f1, found.passed, found.evidence["official"]) == (strict, strict == 1.0, official)


@pytest.mark.parametrize(
    ("bounds", "given", "strict"),
    [
        ({"metric": "rmse", "lower_bound": 52.0, "upper_bound": 12.0}, [10, 20, 30, 40], 1.0),
        ({"metric": "accuracy", "lower_bound": 0.5, "upper_bound": 1.0}, [10, 20, 30, 0], 0.5),
        ({"metric": "accuracy", "lower_bound": 0.5, "upper_bound": 0.7}, [10, 20, 30, 0], 1.0),
        ({"metric": "r2", "lower_bound": 0.5, "upper_bound": 0.9, "target_colunm": "price"}, [25, 25, 25, 25], 0.0),
        ({"metric": "mae", "lower_bound": 1.0, "upper_bound": 3.0, "competition": True}, [10, 20, 30, 40], 1.0),
    ],
)
def test_bounds_of_either_order(tmp_path: Path, bounds: dict[str, Any], given: list[int], strict: float) -> None:
    assert _judged(tmp_path, GOLD, {"id": [1, 2, 3, 4], "price": given}, **bounds).cell_f1 == pytest.approx(strict)


def test_a_label_that_is_not_among_the_true_ones(tmp_path: Path) -> None:
    bounds: dict[str, Any] = {"metric": "accuracy", "lower_bound": 0.0, "upper_bound": 1.0}
    given = {"mood": ["Good", "bad ", "good", "so-so"]}
    found = _judged(tmp_path, "mood\ngood\nbad\ngood\nbad\n", given, **bounds)
    assert (found.cell_f1, found.evidence["official"]) == (0.75, 0.0)
    found = _judged(tmp_path, "mood\n1\n0\n1\n0\n", {"mood": [1.0, 0.0, 1.0, 7.0]}, **bounds)
    assert (found.cell_f1, found.evidence["official"]) == (0.75, 0.75)


def test_a_competition_wants_the_columns_of_its_gold(tmp_path: Path) -> None:
    more: dict[str, list[Any]] = {"id": [1, 2, 3, 4], "price": [10, 20, 30, 40], "note": ["", "", "", ""]}
    found = _judged(tmp_path, GOLD, more, **MAE, competition=True)
    assert not found.passed and "columns" in str(found.evidence["problem"])


def test_a_clustering_has_an_official_figure_and_no_verdict() -> None:
    columns: dict[str, list[Any]] = {"Feature_1": [0.0, 0.1, 9.0, 9.1], "Cluster": [0, 0, 1, 1]}
    table = Table(4, tuple(Column(name, "", values) for name, values in columns.items()))
    options = {"metric": "silhouette", "lower_bound": 0.0, "upper_bound": 0.5}
    found = judged_as_published(Published("dacode_model", options=options), Outcome("ok", table))
    assert found.score is None and found.reason.startswith("needs review") and found.evidence["official"] == 1.0


@pytest.mark.parametrize(
    ("baseline", "best", "given", "official", "strict"),
    [
        (5.0, 1.0, [11, 21, 31, 41], 1.0, 1.0),
        (5.0, 1.0, [13, 23, 33, 43], 0.5, 0.5),
        (5.0, 1.0, [10, 20, 30, 40], 1.25, 1.0),
        (5.0, 1.0, [20, 30, 40, 50], 0.0, 0.0),
    ],
)
def test_a_competition_lies_between_baseline_and_best(
    tmp_path: Path, baseline: float, best: float, given: list[int], official: float, strict: float
) -> None:
    options = {"metric": "mae", "zero": baseline, "one": best, "columns": ["price"], "clipped": False}
    found = _judged(tmp_path, GOLD, {"id": [1, 2, 3, 4], "price": given}, "dsbench_model", **options)
    assert (found.evidence["official"], found.cell_f1) == (official, strict)


# -- files in the published form --------------------------------------------------------------------------------------


def _dsbench(tmp_path: Path, *names: str) -> Path:
    for folder in ("data/task", "data/data_resplit/titanic", "data/answers/titanic"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "data/task/titanic.txt").write_text("Predict who survived.\r\n")
    (tmp_path / "data/data_resplit/titanic/train.csv").write_text("PassengerId,Age,Survived\n1,5,1\n2,50,0\n")
    (tmp_path / "data/data_resplit/titanic/test.csv").write_text("PassengerId,Age\n3,4\n4,60\n")
    (tmp_path / "data/data_resplit/titanic/.DS_Store").write_bytes(b"\0")
    (tmp_path / "data/answers/titanic/test_answer.csv").write_text("PassengerId,Survived\n3,1\n4,0\n")
    for folder, value in (("GT", "1.0\n"), ("baseline", "0.5")):
        (tmp_path / "save_performance" / folder / "titanic").mkdir(parents=True)
        (tmp_path / "save_performance" / folder / "titanic" / "result.txt").write_text(value)
    rows = [{"name": name, "url": "x", "size": "93.08 kB", "year": 2012} for name in names]
    (tmp_path / "data.json").write_text("\n".join(json.dumps(row) for row in rows))
    return tmp_path / "data.json"


def test_dsbench_competitions_are_loaded_and_judged(tmp_path: Path) -> None:
    loaded = load_cases(_dsbench(tmp_path, "titanic", "nlp-getting-started", "made-up"))
    [case] = loaded.cases
    assert case.id == "titanic"
    said = " ".join(problem.message for problem in loaded.problems)
    assert "not in data/" in said and "not known" in said
    code = (
        "test['Survived'] = (test.Age < 18).astype(int)\n"
        "test[['PassengerId', 'Survived']].iloc[::-1].to_csv('submission.csv', index=False)"
    )
    right = compare(case, 0, Prediction(case.id, response=code.encode()), QUICK)
    assert right.correctness.passed and right.correctness.evidence["official"] == 0.0
    wrong = compare(case, 0, Prediction(case.id, response=code.replace("< 18", "< 80").encode()), QUICK)
    assert wrong.correctness.score == 0.0 and wrong.correctness.evidence["metric"] == {"accuracy": 0.5}


def test_dacode_models_are_loaded_with_their_bounds(tmp_path: Path) -> None:
    (tmp_path / "gold/ml-regression-001").mkdir(parents=True)
    (tmp_path / "gold/ml-regression-001/result.csv").write_text("price\n10\n20\n")
    for name in ("ml-regression-001", "ml-cluster-001", "ml-binary-001"):
        (tmp_path / "source" / name).mkdir(parents=True)
        (tmp_path / "source" / name / "test.csv").write_text("a\n1\n2\n")
    tasks, rules = [], []
    for name, metric, file in (
        ("ml-regression-001", "r2", "result.csv"),
        ("ml-cluster-001", "silhouette", "cluster.csv"),
        ("ml-binary-001", "f1", "result.csv"),
    ):
        tasks.append({"id": name, "type": "ML", "instruction": "Predict.", "hardness": "Easy", "post_process": []})
        config = {"task": "machine learning", "metric": metric, "upper_bound": 0.9, "lower_bound": 0.5}
        rules.append(
            {"id": name, "config": config, "func": ["compare_ml"], "result": [{"file": file}], "options": [None]}
        )
    (tmp_path / "task.jsonl").write_text("".join(json.dumps(row) + "\r\n" for row in tasks))
    (tmp_path / "eval.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rules))
    loaded = load_cases(tmp_path / "task.jsonl")
    targets = {case.id: case.conversation[1].target for case in loaded.cases}
    assert set(targets) == {"ml-regression-001", "ml-cluster-001"}
    assert "gold is not in this copy (ml-binary-001)" in loaded.problems[0].message
    published = targets["ml-regression-001"].expected.published  # type: ignore[union-attr]  # it has one
    assert (published.options["metric"], published.options["upper_bound"]) == ("r2", 0.9)


def test_dacode_tasks_that_write_several_tables(tmp_path: Path) -> None:
    for folder in ("gold/dm-csv-004", "source/dm-csv-004"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "gold/dm-csv-004/events.csv").write_text("a,b\n1,x\n2,y\n")
    (tmp_path / "gold/dm-csv-004/games.csv").write_text("n\n5\n")
    (tmp_path / "source/dm-csv-004/raw.csv").write_text("a\n1\n")
    told = {"id": "dm-csv-004", "type": "DM", "instruction": "Split.", "hardness": "Easy", "post_process": []}
    rule = {"id": "dm-csv-004", "func": ["compare_csv"], "result": [{"file": ["events.csv"]}, {"file": ["games.csv"]}]}
    (tmp_path / "task.jsonl").write_text(json.dumps(told))
    (tmp_path / "eval.jsonl").write_text(json.dumps({**rule, "options": [{"ignore_order": True}]}))
    [case] = load_cases(tmp_path / "task.jsonl").cases
    events = "pd.DataFrame({'a': [2, 1], 'b': ['y', 'x']}).to_csv('events.csv', index=False)\n"
    games = "pd.DataFrame({'n': [5]}).to_csv('games.csv', index=False)"
    verdicts = [
        compare(case, 0, Prediction(case.id, response=code.encode()), QUICK).correctness
        for code in (events + games, events, games.replace("5", "6"))
    ]
    assert [one.passed for one in verdicts] == [True, False, False]
    assert [one.evidence["official"] for one in verdicts] == [1.0, 0.5, 0.0]
    assert "games.csv" in str(verdicts[1].evidence["problem"])
