"""497 real questions, turned into cases, answered with perturbed selections; every figure checked against plain set
arithmetic."""

from __future__ import annotations

import ast
import csv
import json
import random
from pathlib import Path
from typing import Any

import pytest
import yaml

import karat

pytestmark = pytest.mark.shared_data

Picked = dict[str, list[str]]


def questions(shared: Path) -> list[tuple[str, str, Picked]]:
    """(id, question, dimension → ids) for each real question; duplicates among the ids are kept."""
    found = []
    with (shared / "data" / "sdmx" / "datacommons" / "goldens.csv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            variables = [d for v in ast.literal_eval(row["variables"]) for d in v.get("dcids") or []]
            places = [p["dcid"] for p in ast.literal_eval(row["places"]) if p.get("dcid")]
            found.append((row["id"], row["query"], {"VARIABLE": variables, "PLACE": places}))
    return found


def selection(picked: Picked) -> list[dict[str, Any]]:
    dimensions = [
        {"dimension_name": n, "values": [{"id": i, "name": ""} for i in ids]} for n, ids in picked.items() if ids
    ]
    return [{"dataset_id": "DC:STATS", "dimensions": dimensions}] if dimensions else []


def perturbed(picked: Picked, rng: random.Random, pool: list[str]) -> Picked:
    """Some terms dropped, some added, some doubled, sometimes a dimension nobody asked for."""
    changed = {name: [i for i in ids if rng.random() > 0.3] for name, ids in picked.items()}
    for ids in changed.values():
        ids.extend(rng.sample(pool, rng.choice([0, 0, 1, 3])))
        ids.extend(ids[: rng.choice([0, 1])])
        rng.shuffle(ids)
    if rng.random() < 0.2:
        changed["UNIT"] = ["PERCENT"]
    return changed


def by_hand(expected: Picked, found: Picked) -> dict[str, float | None]:
    sets = [(set(expected.get(n, [])), set(found.get(n, []))) for n in {*expected, *found}]
    recalls = [len(t & s) / len(t) for t, s in sets if t]
    precisions = [len(t & s) / len(s) for t, s in sets if s]
    f1s = [2 * len(t & s) / (len(t) + len(s)) for t, s in sets if t or s]
    soft = [len(t & s) / len(s) for t, s in sets if s and t]
    tp, fp, fn = (
        sum(len(x) for x in xs) for xs in ([t & s for t, s in sets], [s - t for t, s in sets], [t - s for t, s in sets])
    )

    def mean(values: list[float]) -> float | None:
        return sum(values) / len(values) if values else None

    return {
        "macro_recall": mean(recalls),
        "macro_precision": mean(precisions),
        "macro_f1": mean(f1s),
        "macro_precision_target_dims": mean(soft),
        "micro_recall": tp / (tp + fn) if tp + fn else None,
        "micro_precision": tp / (tp + fp) if tp + fp else None,
        "micro_f1": 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else None,
        "f_beta": 5 * tp / (5 * tp + 4 * fn + fp) if tp + fp + fn else None,
        "exact_match": float(not fp and not fn),
    }


def test_every_figure_equals_plain_set_arithmetic(shared: Path, tmp_path: Path) -> None:
    rng = random.Random(497)
    real = questions(shared)
    assert len(real) == 497
    pool = sorted({i for _, _, picked in real for ids in picked.values() for i in ids})
    folder = tmp_path / "cases"
    folder.mkdir()
    expected: dict[str, dict[str, float | None]] = {}
    with (tmp_path / "predictions.jsonl").open("w", encoding="utf-8") as handle:
        for case_id, question, picked in real:
            turn = {"role": "user", "content": question, "target": {"indicator_selection": selection(picked)}}
            written = {"id": case_id, "conversation": [turn]}
            (folder / f"{case_id}.yaml").write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")
            answer = perturbed(picked, rng, pool)
            handle.write(json.dumps({"id": case_id, "indicator_selection": selection(answer)}) + "\n")
            expected[case_id] = by_hand(picked, answer)
    result = karat.score(suite="data_query", cases=folder, predictions=tmp_path / "predictions.jsonl")
    assert result.problems == ()
    assert len(result.cases) == 497
    for case in result.cases:
        for metric, value in expected[case.id].items():
            assert case.scores[metric].value == (None if value is None else pytest.approx(value)), (case.id, metric)
    for summary in result.summary:
        values = [v for e in expected.values() if (v := e.get(summary.metric)) is not None]
        if values:
            assert summary.mean == pytest.approx(sum(values) / len(values))
            assert summary.n == len(values)
