"""Every count agrees with its noun: runs of one case, in which everything is there once, on every page and report."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.core.problems import count_of, p_words
from karat.web.app import create_app
from tests.web.conftest import HERE

ONE_OF_MANY = re.compile(
    r"(?<![\d.,–−+\-/:×@=#])\b1 (?:more |other |different |equal |failed |shared |smaller |tool )?"
    r"(?:cases|verdicts|rows|columns|runs|answers|questions|errors|values|terms|parts|calls|tags|groups|people|keys|tables"
    r"|lines|figures|reviews|messages|tries|points|scores|notes|trends|characters|bytes|tokens|results|differ|flip|are|were"
    r"|have|wait|settle)\b"
)
PAGES = (
    "/",
    "/?by=date",
    "/runs/r-0002?baseline=r-0001",
    "/runs/r-0002/cases/0",
    "/runs/r-0002/report",
    "/compare?a=r-0001&b=r-0002",
    "/compare?runs=r-0001,r-0002,r-0003",
    "/cases/{suite}?id=only",
    "/review?run=r-0002",
    "/review/agreement?run=r-0002",
)


def data_query(store: str) -> None:
    target = {"dataset_id": "A", "dimensions": [{"dimension_name": "COUNTRY", "values": [{"id": "CHL"}]}]}
    other = {"dataset_id": "A", "dimensions": [{"dimension_name": "COUNTRY", "values": [{"id": "PER"}]}]}
    turn = {"role": "user", "content": "?", "target": {"indicator_selection": [target]}}
    cases = [{"id": "only", "tags": ["one"], "conversation": [turn]}]
    for given in ({"indicator_selection": [target]}, {"indicator_selection": [other]}, {"error": "429"}):
        karat.run(suite="data_query", cases=cases, predictions=[{"id": "only", **given}], store=store)


def retrieval(store: str) -> None:
    cases = [{"id": "only", "question": "?", "relevant": ["a"], "tags": ["one"]}]
    for keys in (["a"], ["b"], ["b", "a"]):
        karat.run(suite="retrieval", cases=cases, predictions=[{"id": "only", "results": keys}], store=store)


@pytest.mark.parametrize("make", [data_query, retrieval], ids=lambda make: make.__name__)
def test_no_page_report_or_command_says_1_cases(
    make: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where a report is written to
    store = f"sqlite:///{tmp_path}/karat.db"
    make(store)
    said = {}
    with TestClient(create_app(store), base_url=HERE) as client:
        for page in PAGES:
            answer = client.get(page.format(suite=make.__name__))
            assert answer.status_code == 200, page
            said[page] = answer.text
    for command in (["show", "r-0002"], ["compare", "r-0001", "r-0002"], ["report", "r-0002"], ["runs", "list"]):
        done = CliRunner().invoke(app, [*command, "--store", store])
        said[" ".join(command)] = done.output
    found = {where: ONE_OF_MANY.findall(re.sub(r"<[^>]*>", " ", text)) for where, text in said.items()}
    found |= {f"{where}, in an attribute": ONE_OF_MANY.findall(text) for where, text in said.items()}
    assert {where: ones for where, ones in found.items() if ones} == {}


def test_counts_and_p_values_in_words() -> None:
    assert [count_of(n, "part differs", "parts differ") for n in (0, 1, 2)] == [
        "0 parts differ",
        "1 part differs",
        "2 parts differ",
    ]
    assert [p_words(p) for p in (None, 0.0, 0.00099, 0.0224, 1.0)] == [
        "",
        "p < 0.001",
        "p < 0.001",
        "p = 0.022",
        "p = 1.000",
    ]
