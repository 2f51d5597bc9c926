"""Agreement with the literal algorithm on real gold tables, changed in the ways answers differ from gold."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from karat.suites.answers.records import Gold
from tests.suites.answers.spider2.agreeing import assert_tables_agree
from tests.suites.answers.spider2.perturbing import PERTURBATIONS, read_rows, write_rows
from tests.suites.answers.spider2.public_gold import lite_golds

pytestmark = pytest.mark.shared_data

SAMPLE = 14
"""Instances for each kind of change; the benchmark takes all."""

LARGEST = 60_000
"""Bytes of the largest gold file in the sample: the literal side is slow."""


@pytest.fixture(scope="module")
def golds(shared: Path) -> list[Gold]:
    return [gold for gold in lite_golds(shared) if Path(gold.entries[0].gold_files[0]).stat().st_size < LARGEST]


@pytest.mark.parametrize("change", PERTURBATIONS)
def test_both_sides_agree(change: str, golds: list[Gold], tmp_path: Path) -> None:
    chance = random.Random(change)
    for gold in chance.sample(golds, SAMPLE):
        entry = gold.entries[0]
        path = Path(chance.choice(entry.gold_files))
        rows = read_rows(path)
        result = write_rows(tmp_path / f"{gold.instance_id}.csv", PERTURBATIONS[change](rows, chance))
        conditions = entry.parameters["condition_cols"]
        for ignore_order in (True, False):
            for nulls in ("zero", "equal"):
                assert_tables_agree(result, str(path), [], ignore_order, nulls=nulls)
        if path.stat().st_size < LARGEST / 10:
            assert_tables_agree(result, list(entry.gold_files[:3]), conditions, True, nulls="zero", family="flat")
