"""What the pages say, asked without a browser."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from karat.core.result import MetricSummary, RunInfo, RunResult
from karat.stats.reviewed import with_reviews
from karat.store import RunRecord, open_store
from karat.web.app import create_app
from tests.web.sample_store import PAYLOADS, a_case, a_failure, add_run, summary_of


def token(client: TestClient, address: str) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', client.get(address).text)
    assert found
    return found[1]


def give(client: TestClient, position: int, verdict: str, **more: str) -> int:
    address = f"/runs/r-0001/cases/{position}"
    form = {"csrf": token(client, address), "verdict": verdict, **more}
    headers = {"Origin": "http://127.0.0.1:8765"}
    return client.post(f"{address}/review", data=form, headers=headers, follow_redirects=False).status_code


def test_the_list_of_runs(client: TestClient) -> None:
    text = client.get("/").text
    assert all(name in text for name in ("r-0001", "r-0002", "r-0003", "r-0004", "0.500", "running", "over time"))
    assert "r-0001" not in client.get("/?q=after").text.replace('href="/runs/r-0001"', "")
    pinned = client.get("/?baseline=r-0001").text
    assert "+0.259" in pinned or "+0.25" in pinned  # 0.500 → 0.759 of 58


def test_a_run_is_paged_filtered_and_sorted_by_its_address(client: TestClient) -> None:
    first = client.get("/runs/r-0001").text
    assert "1–50 of 60" in first and "Page 1 of 2" in first
    assert "51–60 of 60" in client.get("/runs/r-0001?page=2").text
    assert "1–29 of 29" in client.get("/runs/r-0001?tag=weo").text
    assert "1–2 of 2" in client.get("/runs/r-0001?status=error").text
    assert "1–29 of 29" in client.get("/runs/r-0001?metric=exact_match&max=0").text
    assert "1–1 of 1" in client.get("/runs/r-0001?q=COUNTRY+number+17").text
    assert "No case matches" in client.get("/runs/r-0001?q=100%25").text
    rows = client.get("/api/runs/r-0001/cases?sort=-macro_recall&size=60").json()["cases"]
    values = [row["figures"]["macro_recall"] for row in rows]
    assert values == [1.0] * 29 + [0.5] * 29 + [None] * 2


@pytest.mark.parametrize("odd", ["page=0", "page=-3", "page=x", "sort=nope", "metric=nope&min=x", "min=nan"])
def test_an_odd_filter_is_left_out(client: TestClient, odd: str) -> None:
    assert "of 60" in client.get(f"/runs/r-0001?{odd}").text


def test_a_case_follows_the_filtered_list(client: TestClient) -> None:
    text = client.get("/runs/r-0001/cases/2?tag=weo").text
    assert "/runs/r-0001/cases/4?tag=weo" in text and "/runs/r-0001/cases/0?tag=weo" in text and "2 of 29" in text
    missed = client.get("/runs/r-0001/cases/1").text
    assert "GHA · Ghana" in missed and "FRA · France" in missed and "COUNTRY not selected" in missed


def test_a_review_stands_beside_the_rule_and_can_be_taken_back(client: TestClient, store_url: str) -> None:
    for position in (1, 3, 5):
        assert give(client, position, "pass", reviewer="Ada", comment="it is right") == 303
    assert give(client, 7, "gold_wrong") == 303
    assert give(client, 58, "fail") == 303
    text = client.get("/runs/r-0001").text
    assert "with reviews <b>0.552</b>" in text  # (29 + 3) of 58 - 1 + 1
    assert "0.500" in text
    case = client.get("/api/runs/r-0001/cases/1").json()
    assert case["result"]["scores"]["exact_match"]["value"] == 0.0
    assert [(item["verdict"], item["reviewer"], item["undone"]) for item in case["reviews"]] == [("pass", "Ada", "")]
    lines = [json.loads(line) for line in client.get("/export/r-0001/reviews.jsonl").text.splitlines()]
    assert [line["verdict"] for line in lines] == ["pass", "pass", "pass", "gold_wrong", "fail"]
    assert lines[3]["change"] == "mend what the case expects" and "case_007" in lines[3]["answer"]
    form, headers = {"csrf": token(client, "/runs/r-0001/cases/1")}, {"Origin": "http://127.0.0.1:8765"}
    client.post("/runs/r-0001/cases/1/undo", data=form, headers=headers)
    with open_store(store_url) as store:
        assert store.reviews(1, ["case_001"]) == []
        assert len(store.review_history(1, "case_001")) == 1


def test_the_queue_holds_what_waits_and_goes_on(client: TestClient) -> None:
    assert "1–6 of 6" in client.get("/runs/r-0001?review=open").text  # four that no rule settles, two errors
    form = {"csrf": token(client, "/runs/r-0001/cases/1"), "verdict": "accept"}
    headers = {"Origin": "http://127.0.0.1:8765"}
    gone = client.post("/runs/r-0001/cases/1/review?review=open", data=form, headers=headers, follow_redirects=False)
    assert gone.headers["location"] == "/runs/r-0001/cases/3?review=open"
    assert "1–5 of 5" in client.get("/runs/r-0001?review=open").text


def test_a_verdict_that_is_none_is_refused(client: TestClient) -> None:
    assert give(client, 1, "perhaps") == 400


def test_with_reviews_by_hand() -> None:
    rule = MetricSummary("passed", 0.5, 4, None, None)
    found = with_reviews(rule, [("pass", 0.0), ("gold_wrong", 1.0), ("accept", None)])
    assert (found.mean, found.n) == (0.75, 4)  # 2 of 4: +1 right, one right leaves, one right joins
    assert with_reviews(MetricSummary("passed", 1.0, 1, None, None), [("gold_wrong", 1.0)]).mean is None


def test_two_runs_compared(client: TestClient) -> None:
    text = client.get("/compare?a=r-0001&b=r-0002").text
    assert "58 cases in both" in text and "better" in text and "case_003" in text
    only_worse = client.get("/compare?a=r-0001&b=r-0002&kind=worse").text
    assert "case_003" in only_worse and "case_001 " not in only_worse
    assert client.get("/compare?a=r-0001&b=r-0099").status_code == 404


def test_a_running_run_says_how_far_it_is(client: TestClient) -> None:
    found = client.get("/api/runs/r-0003/progress").json()
    assert (found["status"], found["answered"], found["of"], found["errors"]) == ("running", 40, 100, 1)
    assert found["failures"] == [{"case_id": "c39", "kind": "timeout", "message": "no answer within 120 s"}]
    assert "40</span> of 100 answered" in client.get("/runs/r-0003").text


def test_files_to_take_away(client: TestClient) -> None:
    assert len(client.get("/export/r-0001/run.json").json()["cases"]) == 60
    for address in ("/export/r-0004/run.xlsx", "/export/compare.xlsx?a=r-0001&b=r-0002"):
        parts = zipfile.ZipFile(io.BytesIO(client.get(address).content))
        sheets = b"".join(parts.read(name) for name in parts.namelist() if name.startswith("xl/worksheets/"))
        assert b"<f>" not in sheets and b"<hyperlink " not in sheets


def test_payloads_are_text(client: TestClient) -> None:
    pages = ["/", "/runs/r-0004", "/compare?a=r-0001&b=r-0004"]
    pages += [f"/runs/r-0004/cases/{number}" for number in range(len(PAYLOADS))]
    pages += [f"/runs/r-0001?q={text}&tag={text}&min={text}&sort={text}" for text in PAYLOADS[:4]]
    for address in pages:
        text = client.get(address).text
        assert not re.search(r"<script>|<img|onerror='|<svg onload|href=\"javascript", text), address
        assert "49{" not in text and "\u202e" not in text.replace('value="\u202e', ""), address


def test_openapi_names_every_json_route(client: TestClient) -> None:
    paths = client.get("/api/openapi.json").json()["paths"]
    assert set(paths) == {
        "/api/runs",
        "/api/runs/{run}",
        "/api/runs/{run}/progress",
        "/api/runs/{run}/cases",
        "/api/runs/{run}/cases/{position}",
        "/api/runs/{run}/cases/{position}/review",
        "/api/compare",
    }


@pytest.mark.parametrize("kind", ["empty", "all errors", "one case", "unknown suite"])
def test_runs_at_the_edge(tmp_path: Path, kind: str) -> None:
    cases = {"empty": [], "all errors": [a_failure(n) for n in range(3)]}.get(kind, [a_case(0, True, 1.0)])
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        if kind == "unknown suite":
            run = store.create_run(RunRecord(suite="gone", cases=1))
            store.add_scoring(run, RunResult(RunInfo("gone", cases=1), summary_of(cases), tuple(cases)))
        else:
            add_run(store, cases)
            add_run(store, cases)
    with TestClient(create_app(url), base_url="http://127.0.0.1:8765") as client:
        addresses = ["/", "/runs/r-0001", "/runs/r-0001?sort=exact_match&review=open", "/export/r-0001/run.json"]
        addresses += ["/runs/r-0001/cases/0"] if cases else []
        addresses += ["/compare?a=r-0001&b=r-0002"] if kind != "unknown suite" else []
        assert [client.get(address).status_code for address in addresses] == [200] * len(addresses)


def test_a_store_without_runs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    open_store(url).close()
    with TestClient(create_app(url), base_url="http://127.0.0.1:8765") as client:
        assert "No runs yet" in client.get("/").text and client.get("/compare").status_code == 200
