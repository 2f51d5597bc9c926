"""The page of a run while it goes on: its figures, groups and newest wrong answers; stopping and resuming it."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from karat.core.problems import UserError
from karat.core.records import CallError, Prediction
from karat.core.results.live import LiveBatch, LiveCase, live_case
from karat.core.results.result import CaseResult
from karat.store import open_store
from karat.store.leases.lease_holder import Holder, this_process
from karat.store.live import LiveRuns
from karat.store.records import RunRecord
from karat.web.app import create_app
from karat.web.live.resuming import Resuming
from tests.web.conftest import HERE
from tests.web.sample_store import PAYLOADS, build

METRICS = ("macro_recall", "fully_right")
GONE = Holder("gone", "elsewhere", this_process().machine, 2**22 - 1, 1)


def line(place: int, right: bool, **more: object) -> LiveCase:
    failures = () if right else (("wrong", "COUNTRY wrong: asked MEX, got USA", "COUNTRY wrong"),)
    known = {
        "question": f"question {place}",
        "outcome": "right" if right else "wrong",
        "headline": "" if right else "COUNTRY 0 of 1: asked MEX, got USA",
        "values": (1.0 if right else 0.5, float(right)),
        "failures": failures,
        "cost": 0.01,
        "tokens": 100.0,
        "cluster": "",
        "at": time.time() - 100 + place,
        **more,
    }
    return LiveCase(place, f"case_{place:03}", **known)  # type: ignore[arg-type]  # as the test wants it


def batch(*lines: LiveCase) -> LiveBatch:
    return LiveBatch(METRICS, lines, at_random=True)


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The sample store, and a run that is under way: 30 of 60 cases are scored, every third is wrong."""
    found = build(tmp_path)
    with open_store(found) as store:
        record = RunRecord(suite="data_query", name="nightly", system="assistant", cases=60, started="2026-11-16T09:00")
        run = store.create_run(record, this_process())
        store.add_cases(run, [(f"case_{n:03}", b"{}") for n in range(60)])
        live = LiveRuns(store)
        live.add(run, batch(*(line(n, bool(n % 3)) for n in range(20))))
        live.add(run, batch(*(line(n, bool(n % 3)) for n in range(20, 30))))
    return found


@pytest.fixture
def run(url: str) -> int:
    """The number of the run that is under way."""
    with open_store(url) as store:
        return next(row.id for row in store.runs() if row.name == "nightly")


@pytest.fixture
def client(url: str) -> Iterator[TestClient]:
    with TestClient(create_app(url), base_url=HERE, raise_server_exceptions=False) as found:
        yield found


def post(client: TestClient, address: str, **fields: str) -> int:
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/runs/r-0001").text)
    assert token
    own = {"csrf": token[1], **fields}
    return client.post(address, data=own, headers={"Origin": HERE}, follow_redirects=False).status_code


def test_the_figures_so_far(client: TestClient, run: int) -> None:
    found = client.get(f"/api/runs/r-{run:04}/progress").json()
    assert (found["status"], found["scored"], found["scored_cases"], found["cases"]) == ("running", False, 30, 60)
    assert (found["right"], found["wrong"]) == (20, 10)
    figures = {one["metric"]: one for one in found["figures"]}
    assert figures["fully_right"]["mean"] == pytest.approx(20 / 30) and figures["fully_right"]["n"] == 30
    assert figures["fully_right"]["low"] == pytest.approx(0.4878, abs=1e-3)  # Wilson's interval of 20 of 30
    assert figures["macro_recall"]["mean"] == pytest.approx(25 / 30)
    assert found["cost"] == pytest.approx(0.3) and found["cost_in_all"] == pytest.approx(0.6)
    assert 0 < found["rate"] < 1 and found["seconds_left"] == pytest.approx(30 / found["rate"])
    assert found["groups"] == [
        {"label": "COUNTRY wrong: asked MEX, got USA", "cases": 10, "baseline": "", "change": ""}
    ]
    assert [one["case_id"] for one in found["newest"]] == ["case_027", "case_024", "case_021", "case_018", "case_015"]
    page = client.get(f"/runs/r-{run:04}").text
    assert "nightly: 0 of 60 answered" in page and "fair estimates" in page and "as answers come in" in page
    assert "COUNTRY 0 of 1: asked MEX, got USA" in page and "style=" not in page


def test_the_list_of_runs_says_how_fast_a_run_is_and_what_came_of_it_so_far(client: TestClient, url: str) -> None:
    row = _row_of(client.get("/").text, "nightly")
    said = " ".join(re.sub(r"<[^>]+>", " ", row).split())
    assert re.search(r"running · \d+ of 60 · 0\.\d+/s · [\d a-z]+ left", said), said
    assert "0.667 so far" in said and 'aria-label="0.667 so far, 95 % interval 0.488' in row
    with open_store(url) as store:
        record = RunRecord(suite="data_query", name="in order", cases=60, started="2026-11-16T09:00")
        ordered = store.create_run(record, this_process())
        LiveRuns(store).add(ordered, LiveBatch(METRICS, tuple(line(n, True) for n in range(20)), at_random=False))
    assert "so far" not in _row_of(client.get("/").text, "in order"), "the first cases say little of the rest"


def _row_of(page: str, name: str) -> str:
    """The row of a run in the list."""
    rows = [found[0] for found in re.finditer(r"<tr data-row>.*?</tr>", page, re.DOTALL)]
    return next(row for row in rows if f">{name}</span>" in row)


def test_a_run_whose_answers_are_all_there_has_no_time_left_to_say(client: TestClient, url: str, run: int) -> None:
    with open_store(url) as store:
        store.add_predictions(run, [Prediction(f"case_{n:03}", response=b"{}") for n in range(60)])
    page = client.get(f"/runs/r-{run:04}").text
    assert "60 of 60 answered, scoring" in page and "<dt>Left</dt>" not in page
    said = " ".join(re.sub(r"<[^>]+>", " ", _row_of(client.get("/").text, "nightly")).split())
    assert "60 of 60" in said and "scoring" in said and "left" not in said


def test_a_case_that_is_scored_again_counts_once(client: TestClient, url: str, run: int) -> None:
    assert client.get(f"/api/runs/r-{run:04}/progress").json()["wrong"] == 10
    with open_store(url) as store:
        LiveRuns(store).add(run, batch(line(0, right=True)))
    found = client.get(f"/api/runs/r-{run:04}/progress").json()
    assert (found["scored_cases"], found["right"], found["wrong"]) == (30, 21, 9)
    assert found["groups"][0]["cases"] == 9


def test_with_repeats_every_answer_counts_and_a_failed_case_is_listed_once(client: TestClient, url: str) -> None:
    with open_store(url) as store:
        run = store.create_run(RunRecord(suite="data_query", name="thrice", cases=60, repeats=3), this_process())
        store.add_cases(run, [(f"case_{n:03}", b"{}") for n in range(60)])
        LiveRuns(store).add(run, batch(*(line(n, right=True) for n in range(30))))
        lost = CallError("timeout", "no answer in 10 s", 1)
        answers = [Prediction(f"case_{n:03}", 0, repeat, b"{}") for n in range(30) for repeat in range(3)]
        failed = [Prediction(f"case_{n:03}", 0, repeat, error=lost) for n in (40, 41) for repeat in range(3)]
        store.add_predictions(run, [*answers, *failed])
    with open_store(url) as store:
        once = next(row.id for row in store.runs() if row.name == "nightly")
    found = client.get(f"/api/runs/r-{run:04}/progress").json()
    single = client.get(f"/api/runs/r-{once:04}/progress").json()
    assert (found["answered"], found["of"]) == (96, 180)
    assert found["rate"] == pytest.approx(3 * single["rate"], rel=0.1)
    assert found["seconds_left"] == pytest.approx((180 - 96) / found["rate"])
    assert [one["case_id"] for one in found["failures"]] == ["case_040", "case_041"]
    page = client.get(f"/runs/r-{run:04}").text
    assert "<dt>Cases with an error</dt><dd>2</dd>" in page and "2 of 2, 6 failed calls" in page


def test_against_the_pinned_run_on_the_same_cases(client: TestClient, run: int) -> None:
    found = client.get(f"/api/runs/r-{run:04}/progress?baseline=r-0001").json()
    base = client.get("/api/runs/r-0001/cases?size=1000").json()["cases"]
    known = {one["case_id"]: one["figures"]["fully_right"] for one in base}
    both = [known[f"case_{n:03}"] for n in range(30) if known.get(f"case_{n:03}") is not None]
    own = next(one for one in found["figures"] if one["metric"] == "fully_right")
    assert both and own["baseline"] == pytest.approx(sum(both) / len(both))
    assert found["groups"][0]["baseline"] != ""
    page = client.get(f"/runs/r-{run:04}?baseline=r-0001").text
    assert "Against r-0001" in page and "line: r-0001 on the same cases" in page
    right_there = re.findall(r'<a class="tag" href="/runs/r-0001/cases/(\d+)">right in r-0001</a>', page)
    assert right_there == ["24", "18"], "those of even number were right, and each leads to the answer that was"


def test_a_killed_run_is_interrupted_and_says_how_to_go_on(url: str) -> None:
    with open_store(url) as store:
        run = store.create_run(RunRecord(suite="data_query", name="killed", cases=3), GONE)
    with TestClient(create_app(url), base_url=HERE) as client:
        page = client.get(f"/runs/r-{run:04}").text
    assert "killed: interrupted at 0 of 3 answers" in page and f"karat run --resume r-{run:04}" in page
    assert "data-stop" not in page and "pulse" not in page and "/resume" not in page


def test_stopping_needs_the_token_of_the_page(client: TestClient, url: str, run: int) -> None:
    assert client.post(f"/runs/r-{run:04}/stop", data={"csrf": "guessed"}).status_code == 403
    assert client.post(f"/runs/r-{run:04}/resume", data={}).status_code == 403
    assert client.get(f"/runs/r-{run:04}/stop").status_code == 405
    with open_store(url) as store:
        assert not LiveRuns(store).stop_asked(run)
    assert post(client, f"/runs/r-{run:04}/stop") == 303
    with open_store(url) as store:
        assert LiveRuns(store).stop_asked(run)
    assert client.get(f"/api/runs/r-{run:04}/progress").json()["stopping"] is True
    page = client.get(f"/runs/r-{run:04}").text
    assert "stopping" in page and "Asked to stop" in page and "data-stop" not in page


def test_only_a_run_under_way_is_stopped(client: TestClient, url: str) -> None:
    assert post(client, "/runs/r-0001/stop") == 303
    with open_store(url) as store:
        assert not LiveRuns(store).stop_asked(1)
    assert post(client, "/runs/r-0099/stop") == 404


def test_resuming_is_for_viewers_that_were_told_how(url: str, tmp_path: Path) -> None:
    with open_store(url) as store:
        run = f"r-{store.create_run(RunRecord(suite='data_query', cases=3), GONE):04}"
    with TestClient(create_app(url), base_url=HERE) as client:
        assert post(client, f"/runs/{run}/resume") == 400
    note = "import sys, pathlib; pathlib.Path('said').write_text(sys.argv[1]); sys.exit('no <b>way</b>')"
    resuming = Resuming([sys.executable, "-c", note], tmp_path)
    with TestClient(create_app(url, resuming=resuming), base_url=HERE) as client:
        assert "Resume</button>" in client.get(f"/runs/{run}").text
        assert post(client, f"/runs/{run}/resume") == 303
        end = time.monotonic() + 30
        while resuming.under_way(run) and time.monotonic() < end:
            time.sleep(0.02)
        assert (tmp_path / "said").read_text() == run
        page = client.get(f"/runs/{run}").text
        assert "The last try to resume it failed" in page and "no &lt;b&gt;way&lt;/b&gt;" in page
    (tmp_path / "said").unlink()
    with TestClient(create_app(url, resuming=resuming), base_url=HERE) as client:
        assert post(client, "/runs/r-0001/resume") == 303  # a finished run is left as it is
    assert not (tmp_path / "said").exists()


def test_a_viewer_that_others_can_reach_starts_nothing(url: str) -> None:
    token = "a token of more than enough letters"
    app = create_app(url, host="0.0.0.0", token=token, resuming=Resuming(["never"]))
    assert not app.state.viewer.resuming.allowed
    with pytest.raises(UserError, match="cannot be resumed from here"):
        app.state.viewer.resuming.start("r-0001")


def test_texts_of_cases_stay_texts(client: TestClient, url: str, run: int) -> None:
    with open_store(url) as store:
        results = [CaseResult(f"p{n}", "error", {}, question=text, error=text) for n, text in enumerate(PAYLOADS)]
        lines = [live_case("data_query", 40 + n, one, METRICS, time.time()) for n, one in enumerate(results)]
        LiveRuns(store).add(run, batch(*lines))
    page = client.get(f"/runs/r-{run:04}").text
    assert not re.search(r"<script>|<img|onerror='|<svg onload|href=\"javascript", page)
    assert "49{" not in page and "\u202e" not in page
    with open_store(url) as store:
        turned = CaseResult("t", "error", {}, question="t", error="\u2066 turned")
        lines = [live_case("data_query", 58 + n, turned, METRICS, time.time()) for n in range(2)]
        LiveRuns(store).add(run, batch(*lines))
    page = client.get(f"/runs/r-{run:04}").text
    assert "\u2066" not in page and "u2066 turned" in page, "in the failure groups too"


def test_nothing_scored_yet(client: TestClient) -> None:
    page = client.get("/runs/r-0003").text
    assert "40 of 100 answered" in page and "No case has been scored yet." in page and "Cases with an error" in page
