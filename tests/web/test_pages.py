"""What the pages say, asked without a browser."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
import yaml
from msgspec.structs import replace
from starlette.testclient import TestClient

import karat
from karat.core.case_files.case_file import case_file
from karat.core.plugins import load_suite
from karat.core.records import Prediction
from karat.core.results.result import MetricSummary, RunInfo, RunResult
from karat.stats.reviewed import reviewed_rates, with_reviews
from karat.store import RunRecord, open_store
from karat.store.leases.lease_holder import this_process
from karat.web.app import create_app
from karat.web.compare.baseline_diff import at_hand
from karat.web.routes.run.run import reviewed_rates as rates_on_the_page
from karat.web.run_page.figures import figures_of
from karat.web.search.folded_text import FoldedBlock, folded_texts
from karat.web.search.recent_search import LastSearched
from tests.web.conftest import HERE
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
    assert all(name in text for name in ("r-0001", "r-0002", "r-0003", "r-0004", "0.500", "running", "Trend"))
    assert "r-0001" not in client.get("/?q=after").text.replace('href="/runs/r-0001"', "")


def post(client: TestClient, address: str, **form: str) -> Any:
    """A form of one of our own pages."""
    own = {"csrf": token(client, "/runs/r-0001/cases/1"), **form}
    return client.post(address, data=own, headers={"Origin": "http://127.0.0.1:8765"}, follow_redirects=False)


def test_a_pinned_baseline_stays_and_every_figure_is_held_against_it(client: TestClient) -> None:
    asked = client.get("/?baseline=r-0001").text
    assert 'data-against="/api/runs/r-0002/against/r-0001" data-metric="fully_right"' in asked, (
        "computed when asked for"
    )
    found = client.get("/api/runs/r-0002/against/r-0001").json()
    by_metric = {item["metric"]: item for item in found["figures"]}
    right = by_metric["fully_right"]
    compared = client.get("/api/compare?a=r-0001&b=r-0002").json()["comparisons"][0]["metrics"]
    for item in compared:  # the same statistics as on the page that compares
        if item["metric"] in by_metric:
            own = by_metric[item["metric"]]
            expected = item["difference"] | {"detectable": None}  # said where runs are compared
            assert {key: own[key] for key in expected} == pytest.approx(expected)
            assert own["outcome"] == item["outcome"]
    assert set(by_metric) == {"macro_recall", "macro_precision", "fully_right"}
    assert right["n"] == 58 and right["mean"] == pytest.approx(15 / 58) and right["outcome"] == "better"
    assert right["text"] == "+0.259, +0.136 – +0.364"
    assert 'title="+0.259, +0.136 – +0.364, p &lt; 0.001"' in client.get("/?baseline=r-0001").text, "kept from now on"
    assert "+0.259" not in client.get("/runs/r-0002").text
    assert post(client, "/runs/r-0001/pin").headers["location"] == "/runs/r-0001"
    held = client.get("/runs/r-0002").text
    assert 'title="+0.259, +0.136 – +0.364, p &lt; 0.001">+0.259</td>' in held and "▲ better" in held
    assert "after: 44 of 58 fully right, 15 more than the baseline</h1>" in held
    assert "This is the baseline" in client.get("/runs/r-0001").text
    assert "no case in both" in client.get("/runs/r-0005").text
    assert post(client, "/runs/r-0006/pin", back="runs").headers["location"] == "/", "another suite has its own"
    assert client.get("/").text.count('<span class="pin">baseline</span>') == 2
    post(client, "/runs/r-0002/pin")
    assert "−0.259" in client.get("/runs/r-0001").text
    post(client, "/runs/r-0002/unpin")
    assert "0.259" not in client.get("/runs/r-0001").text
    assert post(client, "/runs/r-0003/pin").status_code == 404, "a run without scores is no baseline"


def test_clustered_cases_are_drawn_together_as_in_a_comparison(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        for share in (2, 3):
            cases = [a_case(n, n % share == 0, 0.1 * (n % 7)) for n in range(40)]
            add_run(store, [replace(c, details={"cluster": f"g{n // 4}"}) for n, c in enumerate(cases)])
    with TestClient(create_app(url), base_url="http://127.0.0.1:8765") as client:
        own = client.get("/api/runs/r-0002/against/r-0001").json()["figures"]
        other = client.get("/api/compare?a=r-0001&b=r-0002").json()["comparisons"][0]["metrics"]
        whole = {item["metric"]: item["difference"] for item in other}
        assert own[0]["clusters"] == 10
        for item in own:
            expected = whole[item["metric"]] | {"detectable": None}
            assert {key: item[key] for key in expected} == pytest.approx(expected)


def test_a_run_shows_the_hash_of_its_prompt(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        add_run(store, [a_case(1, True, 1.0)])
        store.create_run(RunRecord(suite="data_query", cases=1, config={"prompt": "4f<1>c0ffee"}))
    with TestClient(create_app(url), base_url="http://127.0.0.1:8765") as client:
        assert "<span>prompt " not in client.get("/runs/r-0001").text
        assert "<span>prompt <code>4f&lt;1&gt;c0ffee</code></span>" in client.get("/runs/r-0002").text


def test_the_list_groups_runs_and_says_who_started_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        for name in ("one", "two"):
            add_run(store, [a_case(n, n % 2 == 0, 0.5) for n in range(4)], name)
        told = {"prompt": "4f1c0ffee", "who": "<b>Ada</b>"}
        store.create_run(RunRecord(suite="gone", cases=9, status="interrupted", config=told, truth_set="t2"))
    with TestClient(create_app(url, project="<i>weo</i>"), base_url="http://127.0.0.1:8765") as client:
        text = client.get("/").text
        assert re.findall(r'scope="rowgroup"[^>]*><b class="data">(\w+)', text) == ["gone", "data_query"], (
            "newest first"
        )
        assert "&lt;b&gt;Ada&lt;/b&gt;" in text and "<code>4f1c0ffe</code>" in text and "&lt;i&gt;weo&lt;/i&gt;" in text
        assert "interrupted at 0 of 9" in text and "running" not in text
        assert "fully right" in text and 'aria-label="0.500, 95 % interval' in text, "the figure on its axis"
        by_date = client.get("/?by=date").text
        assert "rowgroup" not in by_date and by_date.index(">r-0003<") < by_date.index(">r-0002<")
        assert ">r-0003<" in client.get("/?q=ada").text and ">r-0001<" not in client.get("/?q=ada").text
        assert ">r-0001<" not in client.get("/?suite=gone").text


def test_a_killed_run_is_not_shown_as_running(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    holder = this_process()
    with open_store(url) as store:
        store.create_run(RunRecord(suite="data_query", name="alive", cases=9), holder)
        dead = replace(holder, id="gone", born=holder.born + 1)  # another process had this number before
        store.create_run(RunRecord(suite="data_query", name="killed", cases=9), dead)
    with TestClient(create_app(url), base_url="http://127.0.0.1:8765") as client:
        rows = client.get("/").text.split("<tr data-row>")[1:]
        assert "interrupted at 0 of 9" in rows[0] and "running" not in rows[0]
        assert '<span class="pulse"></span>running · 0 of 9' in rows[1]


def test_chosen_runs_are_compared(client: TestClient) -> None:
    def goes(query: str) -> tuple[int, str]:
        found = client.get(f"/compare/chosen?{query}", follow_redirects=False)
        return found.status_code, found.headers.get("location", "")

    assert goes("run=r-0002&run=r-0001") == (303, "/compare?a=r-0001&b=r-0002"), "the earlier one comes first"
    assert goes("run=r-0002&run=r-0001&baseline=r-0002") == (303, "/compare?a=r-0002&b=r-0001"), "or the baseline"
    assert goes("run=r-0004&run=r-0002&run=r-0001") == (303, "/compare?runs=r-0001,r-0002,r-0004")
    assert goes("") == goes("run=r-0001&run=r-0001") == (303, "/?few=1") and goes("run=r-0001&run=r-0099")[0] == 404


def test_with_too_few_runs_chosen_the_list_stays_and_says_so(client: TestClient) -> None:
    hint = r"data-few( hidden)?>Choose at least two runs of one suite"
    hidden, shown = (re.search(hint, client.get(address).text) for address in ("/", "/compare/chosen?run=r-0001"))
    assert hidden and hidden[1] and shown and not shown[1]
    assert 'id="choose"' in client.get("/compare/chosen").text


def test_the_list_of_keys_has_every_key_of_a_page(client: TestClient) -> None:
    page = client.get("/").text
    listed = page[page.index('id="keys"') :]
    assert {"c", "s", "u", "j", "k", "/", "?"} <= set(re.findall(r"<kbd>([^<]+)</kbd>", listed))


def test_a_large_run_is_shown_before_its_differences(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    page = sys.modules["karat.web.routes.run.run"]
    monkeypatch.setattr(page, "at_hand", lambda viewer, row, base: at_hand(viewer, row, base, most=10))
    text = client.get("/runs/r-0002?baseline=r-0001").text
    assert text.count("data-against=") == 3 and "+0.259" not in text
    client.get("/api/runs/r-0002/against/r-0001")
    assert "+0.259" in client.get("/runs/r-0002?baseline=r-0001").text


def test_a_filter_is_saved_for_every_run_of_the_suite(client: TestClient) -> None:
    to = post(client, "/runs/r-0001/filters?tag=weo&page=2&odd=1", name=" the\nweo ones ").headers["location"]
    assert to == "/runs/r-0001?tag=weo#cases"
    assert 'href="/runs/r-0002?tag=weo#cases">the weo ones</a>' in client.get("/runs/r-0002").text
    assert "the weo ones" not in client.get("/runs/r-0006").text, "another suite"
    post(client, "/runs/r-0001/filters?status=error", forget="the weo ones")
    assert "the weo ones" not in client.get("/runs/r-0002").text
    assert post(client, "/runs/r-0001/filters?tag=weo", name=" ").status_code == 400


def test_one_click_filters(client: TestClient) -> None:
    text = client.get("/runs/r-0001").text
    quick = "".join(re.findall(r'<nav class="chips[^"]*" aria-label="(?:More filters|Filters)">.*?</nav>', text, re.S))
    links = {
        html.unescape(words): html.unescape(to) for to, words in re.findall(r'href="([^"]*)#cases"[^>]*>([^<]*)', quick)
    }
    found = {name.strip(): re.search(r'role="status">\S* of (\d+)<', client.get(to).text) for name, to in links.items()}
    counts = {name: int(number[1]) for name, number in found.items() if number}
    assert counts == {
        "all": 60,
        "scored": 58,
        "error": 2,
        "macro recall below 1": 29,
        "wrong": 29,
        "COUNTRY wrong": 29,
        "429 after 5 tries": 2,
        "slowest tenth: 5.3 s and more": 5,
        "waiting for review": 6,
    }
    said = {html.unescape(name.strip()): int(n) for name, n in re.findall(r'">([^<]*) <span class="n">(\d+)<', quick)}
    assert said == {name: count for name, count in counts.items() if name in said} and len(said) == 8, "as it says"
    assert {"macro precision below 1"} == set(found) - set(counts), "none of these"
    on = client.get("/runs/r-0001?reason=COUNTRY+wrong&q=17").text
    assert 'name="reason" value="COUNTRY wrong"' in on and "1–1 of 1" in on
    assert 'href="/runs/r-0001?q=17#cases" aria-current="true">COUNTRY wrong' in on, "a second click takes it off"


def test_cases_that_changed_since_the_baseline(client: TestClient) -> None:
    text = client.get("/runs/r-0001?baseline=r-0002").text
    assert "before: 29 of 58 fully right, 15 fewer than the baseline</h1>" in text
    found = re.search(r'href="([^"]*)#cases">newly wrong <span class="n">15<', text)
    assert found and "newly right" not in text
    listed = client.get(html.unescape(found[1])).text
    assert (
        "1–15 of 15" in listed
        and "1 of 15" in client.get("/runs/r-0001/cases/1" + found[1][12:].replace("&amp;", "&")).text
    )
    assert client.get("/runs/r-0001?change=newly_wrong&against=r-0099").status_code == 200, "an old link still opens"
    assert "newly" not in client.get("/runs/r-0002").text, "nothing changed without a baseline"


def test_where_a_run_fails_is_counted_by_tag(client: TestClient) -> None:
    text = client.get("/runs/r-0001?baseline=r-0002").text
    assert 'aria-label="trade: 0 right, 29 wrong, 0 errors"' in text and '<b class="wrong">29 wrong</b>' in text
    assert text.index(">trade</a>") < text.index(">weo</a>"), "most wrong first"
    assert 'aria-label="weo: 29 right, 0 wrong, 0 errors"' in text and "none wrong" in text
    assert 'class="base"' in text and "baseline r-0002" in text
    tables = client.get("/runs/r-0006").text
    assert "Where it fails" not in tables and "Failure groups" in tables, "without tags the title says it all"


def test_a_missing_answer_is_no_error(tmp_path: Path) -> None:
    import karat

    store = f"sqlite:///{tmp_path}/missing.db"
    cases = [{"id": name, "question": "Which?", "tags": ["t"], "relevant": ["k1"]} for name in ("there", "gone")]
    karat.run(suite="retrieval", cases=cases, predictions=[{"id": "there", "results": ["k1"]}], store=store)
    with TestClient(create_app(store), base_url="http://127.0.0.1:8765") as client:
        page = client.get("/runs/r-0001").text
    where = page[page.index("Where it fails") :]
    assert "1 missing" in where and "1 error" not in where and "0 errors, 1 missing" in where


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("{here}/cases/weo/debt.yaml", "cases/weo/debt.yaml:7"),
        ("cases/weo/debt.yaml", "cases/weo/debt.yaml:7"),
        ("{here}/../elsewhere/debt.yaml", "debt.yaml:7"),
        ("../debt.yaml", "debt.yaml:7"),
        ("C:\\people\\ada\\debt.yaml", "debt.yaml:7"),
        ("", ""),
    ],
)
def test_the_file_of_a_case_is_named_from_the_project_folder(
    file: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.web.routes.case.case import _source

    monkeypatch.chdir(tmp_path)
    assert _source({"source": {"file": file.format(here=tmp_path), "line": 7}}) == shown


def test_a_list_has_no_column_that_says_the_same_in_every_row(client: TestClient) -> None:
    def heads(address: str) -> list[str]:
        table = client.get(address).text.partition('<table class="t cards cases">')[2].partition("</thead>")[0]
        return [re.sub(r"<[^>]*>", "", head) for head in re.findall(r"<th [^>]*>(.*?)</th>", table)]

    assert heads("/runs/r-0001") == ["Question and reason", "macro recall", "macro precision", "Tag", "Review"]
    assert heads("/runs/r-0001?tag=trade") == ["Question and reason", "macro precision", "Review"]
    assert heads("/runs/r-0001?tag=trade&col=macro_recall") == ["Question and reason", "macro recall", "Review"]
    text = client.get("/runs/r-0001").text
    row = text[text.index("country number 0?") : text.index("country number 1?")]
    assert '<span class="right ok">right</span>' in row and "COUNTRY" not in row, "a right answer needs no reason"


def test_answers_are_searched(client: TestClient, store_url: str) -> None:
    assert "No case matches" in client.get("/runs/r-0001?q=fra+xyz").text
    assert "1–50 of 58" in client.get("/runs/r-0001?q=%5B%22FRA%22%5D").text, "what was given, and only there"
    assert "1–1 of 1" in client.get("/runs/r-0001?q=FRA+case_017").text
    assert client.get("/api/runs/r-0001/cases?q=FRA&status=scored&tag=weo").json()["total"] == 29
    assert "1 of 29" in client.get("/runs/r-0001/cases/0?q=fra&tag=weo").text
    with open_store(store_url) as store:
        store.add_predictions(1, [Prediction("case_003", response="Neuer Straßenname".encode())])
    assert client.get("/api/runs/r-0001/cases?q=STRASSENNAME").json()["cases"][0]["case_id"] == "case_003"


def test_answers_that_do_not_fit_are_read_again() -> None:
    texts = [folded_texts([item]) for item in ((0, "abc"), (1, "bcd"), (2, "cde"))]
    for room, reads in ((100, 1), (5, 2)):
        read = 0

        def source() -> Iterator[FoldedBlock]:
            nonlocal read
            read += 1
            yield from texts

        searched = LastSearched(room)
        assert searched.find((1, 1), ["b", "e"], source()) == ((0, 1), (2,))
        assert searched.find((1, 1), ["c"], source()) == ((0, 1, 2),)
        assert read == reads


def test_tries_are_grouped(client: TestClient) -> None:
    text = client.get("/runs/r-0005").text
    assert "18 right, 2 wrong" in text and "10 right, 9 wrong, 1 failed" in text
    assert "20 answers: <b>18 right, 2 wrong</b>" in client.get("/runs/r-0005/cases/0").text
    assert "Tries" not in client.get("/runs/r-0001").text


def test_cells_that_differ_are_marked(client: TestClient) -> None:
    text = client.get("/runs/r-0006/cases/0").text
    assert (
        '<td class="data was num" data-l="avg_days expected">12.4</td>'
        '<td class="data bad num" data-l="avg_days given">✗ 12.9</td>' in text
    )
    assert 'data-l="who">Ada</td>' in text and "row missing" in text and "Bo" in text
    assert "expected 9 × 2, given 8 × 2" in text and "96% of cells equal" in text


def test_a_new_case_from_a_row(client: TestClient) -> None:
    text = client.get("/runs/r-0001/cases/3/new").text
    assert "id: case_003_2" in text and "/home/" not in text
    saved = client.get("/export/r-0001/cases/3/new?id=mine")
    assert saved.headers["content-disposition"] == 'attachment; filename="r-0001-3-new.yaml"'
    written = yaml.safe_load(saved.text)
    assert written["id"] == "mine" and written["conversation"][0]["target"]["country"] == ["GHA"]
    row = json.loads(client.get("/export/r-0006/cases/0/new?id=bq044").text)
    assert row == {
        "instance_id": "bq044",
        "instruction": "How many days?",
        "evaluation": {"func": "table_match", "parameters": {"gold": "days.csv"}},
    }
    whole = client.get("/export/r-0001/cases/3/case.json").json()
    assert whole["case"]["id"] == whole["result"]["id"] == "case_003"
    assert "growth.yaml:31" in client.get("/runs/r-0001/cases/3").text


@pytest.mark.parametrize(
    ("suite", "path"),
    [("data_query", "data_query/cases"), ("codegen", "codegen/tasks.yaml"), ("answers", "answers/gold")],
)
def test_case_files_are_read_back_as_they_were(suite: str, path: str, tmp_path: Path) -> None:
    source = Path(__file__).parents[2] / "examples" / path
    loaded = load_suite(suite)
    cases = loaded.load_cases(source).cases
    written = case_file(suite, [msgspec.json.decode(msgspec.json.encode(case)) for case in cases])
    assert written is not None
    folder = tmp_path / "new"
    shutil.copytree(source if source.is_dir() else source.parent, folder)
    name = {"data_query": "all.yaml", "codegen": "tasks.yaml", "answers": "karat_gold.jsonl"}[suite]
    for old in folder.rglob("*.yaml"):
        old.unlink()
    text = written.text.replace("loans.csv", "tables/loans.csv").replace("members.csv", "tables/members.csv")
    (folder / name).write_text(text if suite == "codegen" else written.text, encoding="utf-8")
    again = loaded.load_cases(folder if suite != "codegen" else folder / name)
    assert again.problems == ()
    assert [case.id for case in again.cases] == [case.id for case in cases]
    if suite != "answers":  # its truth is the contents of the gold files
        at_home = json.dumps(str(source.parent))[1:-1].encode()
        before, after = (msgspec.json.encode([loaded.truth(case) for case in found]) for found in (cases, again.cases))
        assert after.replace(str(folder).encode(), at_home) == before


def test_a_suite_whose_cases_stand_in_no_text_file_says_so(tmp_path: Path) -> None:
    assert case_file("retrieval", [{"id": "x"}]) is None and case_file("data_query", []) is None
    task = {"template": "[insert]"}
    asked = {"id": "x", "conversation": [{"role": "user", "content": "?", "target": task}]}
    assert case_file("codegen", [asked]) is None, "a task of DS-1000"
    assert case_file("answers", [{"id": "x", "conversation": []}]) is None


def test_only_a_case_that_can_be_written_out_leads_to_a_new_one(client: TestClient, tmp_path: Path) -> None:
    import karat

    assert "new case from it" in client.get("/runs/r-0001/cases/1").text
    store = f"sqlite:///{tmp_path}/other.db"
    case = {"id": "a", "question": "Which?", "relevant": ["k1"]}
    karat.run(suite="retrieval", cases=[case], predictions=[{"id": "a", "results": ["k1"]}], store=store)
    with TestClient(create_app(store), base_url="http://127.0.0.1:8765") as other:
        assert "Which?" in (page := other.get("/runs/r-0001/cases/0").text) and "new case from it" not in page


def test_sets_of_cases(client: TestClient) -> None:
    for position in (3, 5):
        to = post(client, f"/runs/r-0001/cases/{position}/sets?tag=trade", set="hard").headers["location"]
        assert to == f"/runs/r-0001/cases/{position}?tag=trade#sets"
    assert "1–2 of 2" in client.get("/runs/r-0002?set=hard").text, "every run of the suite has it"
    written = list(yaml.safe_load_all(client.get("/export/r-0002/cases?set=hard").text))
    assert [case["id"] for case in written] == ["case_003", "case_005"]
    post(client, "/runs/r-0002/cases/3/sets", remove="hard")
    assert "1–1 of 1" in client.get("/runs/r-0001?set=hard").text
    assert client.get("/export/r-0005/cases").status_code == 404, "the run kept no cases"


def test_only_what_changed(client: TestClient, store_url: str) -> None:
    with open_store(store_url) as store:
        store.add_predictions(2, [Prediction("case_000", response=b'{"country": ["GHA"]}')])

    def shown(kind: str) -> set[str]:
        text = client.get(f"/compare?a=r-0001&b=r-0002&kind={kind}").text
        return set(re.findall(r'case-id">([^<]+)<', text))

    assert shown("newly_right") == {f"case_{n:03d}" for n in range(58) if n % 2 and n % 4 != 3}
    assert shown("newly_wrong") == set()
    assert shown("answer") == {"case_000"}
    assert "right in both</b>" in client.get("/compare?a=r-0001&b=r-0002&kind=answer").text


def test_the_run_picker_has_the_pass_rate(client: TestClient) -> None:
    assert ">r-0001 before · fully right 0.500</option>" in client.get("/runs/r-0002").text
    assert "data_query · r-0002 after · fully right 0.759</option>" in client.get("/compare").text


def test_a_run_is_paged_filtered_and_sorted_by_its_address(client: TestClient) -> None:
    first = client.get("/runs/r-0001").text
    assert "1–50 of 60" in first and "Page 1 of 2" in first
    assert "51–60 of 60" in client.get("/runs/r-0001?page=2").text
    assert "1–29 of 29" in client.get("/runs/r-0001?tag=weo").text
    assert "1–2 of 2" in client.get("/runs/r-0001?status=error").text
    assert "1–29 of 29" in client.get("/runs/r-0001?metric=fully_right&max=0").text
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
    assert "Wrong: asked for Ghana, got France" in missed and "COUNTRY: asked GHA, got FRA." in missed
    assert "COUNTRY not selected" in missed, "the reason of a score"


def test_a_review_stands_beside_the_rule_and_can_be_taken_back(client: TestClient, store_url: str) -> None:
    for position in (1, 3, 5):
        assert give(client, position, "pass", reviewer="Ada", comment="it is right") == 303
    assert give(client, 7, "gold_wrong") == 303
    assert give(client, 58, "fail") == 303
    text = client.get("/runs/r-0001").text
    assert "with reviews <b>0.552</b>" in text  # (29 + 3) of 58 - 1 + 1
    assert "0.500" in text
    case = client.get("/api/runs/r-0001/cases/1").json()
    assert case["result"]["scores"]["fully_right"]["value"] == 0.0
    assert [(item["verdict"], item["reviewer"], item["undone"]) for item in case["reviews"]] == [("pass", "Ada", "")]
    lines = [json.loads(line) for line in client.get("/export/r-0001/reviews.jsonl").text.splitlines()]
    assert [line["verdict"] for line in lines] == ["pass", "pass", "pass", "gold_wrong", "fail"]
    assert lines[3]["change"] == "correct what the case expects" and "case_007" in lines[3]["answer"]
    form, headers = {"csrf": token(client, "/runs/r-0001/cases/1")}, {"Origin": "http://127.0.0.1:8765"}
    form["reviewer"] = "Ada"
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


def test_with_reviews_over_variants_of_one_case(store_url: str) -> None:
    """The same figure and interval as in the reports, where cases are no independent witnesses."""
    cases = [
        msgspec.structs.replace(a_case(n, n % 3 != 0, 1.0), details={"cluster": f"task {n // 4}"}) for n in range(40)
    ]
    with open_store(store_url) as store:
        run = add_run(store, cases)
        for place, verdict in ((0, "pass"), (7, "fail"), (9, "gold_wrong")):
            store.add_review(run, cases[place].id, verdict)
        result = store.result(run)
        (expected,) = (
            rate.reviewed
            for rate in reviewed_rates(result, load_suite("data_query").metrics)
            if rate.metric == "fully_right"
        )
        row = store.run_row(run)
    app = create_app(store_url)
    with TestClient(app, base_url="http://127.0.0.1:8765"):
        found = rates_on_the_page(app.state.viewer, row, figures_of(row))["fully_right"]
    assert found.n == expected.n
    assert [found.mean, found.low, found.high] == pytest.approx([expected.mean, expected.low, expected.high])
    assert found != with_reviews(row.summary[2], [("pass", 0.0), ("fail", 1.0), ("gold_wrong", 0.0)])


def test_two_runs_compared(client: TestClient) -> None:
    text = client.get("/compare?a=r-0001&b=r-0002").text
    assert "60 cases in both" in text and "better" in text and "case_003" in text
    only_worse = client.get("/compare?a=r-0001&b=r-0002&kind=worse").text
    assert "case_003" in only_worse and "case_001 " not in only_worse
    assert client.get("/compare?a=r-0001&b=r-0099").status_code == 404


def test_a_running_run_says_how_far_it_is(client: TestClient) -> None:
    found = client.get("/api/runs/r-0003/progress").json()
    assert (found["status"], found["answered"], found["of"], found["errors"]) == ("running", 40, 100, 1)
    assert found["failures"] == [{"case_id": "c39", "kind": "timeout", "message": "no answer within 120 s"}]
    assert "40 of 100 answered" in client.get("/runs/r-0003").text


def test_files_to_take_away(client: TestClient) -> None:
    assert len(client.get("/export/r-0001/run.json").json()["cases"]) == 60
    page = client.get("/export/r-0004/run.html").text
    assert "Content-Security-Policy" in page and "<script>window.hit" not in page
    assert "r-0002" in client.get("/export/compare.md?a=r-0001&b=r-0002").text
    changed = client.get("/export/compare.json?a=r-0001&b=r-0002").json()["comparisons"][0]["cases"]
    assert "FRA" in changed[0]["a"]["answer"]
    assert client.get("/export/compare.exe?a=r-0001&b=r-0002").status_code == 404
    assert client.get("/export/r-0001/run.exe").status_code == 404
    for address in ("/export/r-0004/run.xlsx", "/export/compare.xlsx?a=r-0001&b=r-0002"):
        parts = zipfile.ZipFile(io.BytesIO(client.get(address).content))
        sheets = b"".join(parts.read(name) for name in parts.namelist() if name.startswith("xl/worksheets/"))
        assert b"<f>" not in sheets and b"<hyperlink " not in sheets


def test_payloads_are_text(client: TestClient) -> None:
    pages = ["/", "/runs/r-0004", "/compare?a=r-0001&b=r-0004"]
    pages += [f"/runs/r-0004/cases/{number}{part}" for number in range(len(PAYLOADS)) for part in ("", "/new")]
    pages += [f"/runs/r-0004/cases/0/new?id={text}" for text in PAYLOADS[:4]]
    pages += ["/runs/r-0004?q=hit", "/compare?a=r-0001&b=r-0004&kind=answer", "/?baseline=r-0004"]
    for text in PAYLOADS[:6]:
        post(client, f"/runs/r-0004/filters?q={quote(text)}&reason={quote(text)}", name=text)
        post(client, "/runs/r-0004/cases/0/sets", set=text)
    pages += [f"/runs/r-0004?set={text}&reason={text}&baseline={text}" for text in PAYLOADS[:4]]
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
        "/api/runs/{run}/against/{baseline}",
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
        addresses = ["/", "/runs/r-0001", "/runs/r-0001?sort=fully_right&review=open", "/export/r-0001/run.json"]
        addresses += ["/runs/r-0001/cases/0"] if cases else []
        addresses += ["/compare?a=r-0001&b=r-0002"] if kind != "unknown suite" else []
        assert [client.get(address).status_code for address in addresses] == [200] * len(addresses)


def test_a_store_without_runs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    open_store(url).close()
    with TestClient(create_app(url), base_url="http://127.0.0.1:8765") as client:
        assert "No runs yet" in client.get("/").text and client.get("/compare").status_code == 200


def test_a_rate_over_all_cases_is_no_column_beside_the_verdict(tmp_path: Path) -> None:
    """It is 0 for a case that waits for review, which a column would show as wrong."""
    gold = {"func": "string_match", "parameters": {"gold": "Lindhaven"}}
    said = {"right": "Lindhaven", "wrong": "Oslo", "open": "We cannot say for sure, but it is not Lindhaven."}
    karat.run(
        suite="answers",
        cases=[{"instance_id": name, "instruction": "Which?", "type": "text", "evaluation": gold} for name in said],
        predictions=[
            {"instance_id": name, "answer_type": "answer", "answer_or_path": text} for name, text in said.items()
        ],
        store=f"sqlite:///{tmp_path}/karat.db",
    )
    with TestClient(create_app(f"sqlite:///{tmp_path}/karat.db"), base_url=HERE) as client:
        page = client.get("/runs/r-0001").text
    cases = page[page.index('id="cases"') :]
    assert ">needed<" in cases and "negated" in cases
    assert "strict, of all gold" not in cases[cases.index("<thead") : cases.index("</thead>")]
