"""Reviews by several people: one verdict each, stale pages, blind mode, the queue and the agreement with the rule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import karat
from karat.store import open_store
from karat.web.app import create_app
from tests.web.conftest import HERE

CASE = "/runs/r-0001/cases/1"
ORIGIN = {"Origin": HERE}


@contextmanager
def person(store_url: str, name: str) -> Iterator[TestClient]:
    """A browser of one person."""
    with TestClient(create_app(store_url), base_url=HERE, raise_server_exceptions=False) as found:
        found.cookies.set("karat_reviewer", name, domain="127.0.0.1", path="/")
        yield found


@pytest.fixture
def ada(store_url: str) -> Iterator[TestClient]:
    with person(store_url, "ada") as found:
        yield found


@pytest.fixture
def ben(store_url: str) -> Iterator[TestClient]:
    with person(store_url, "ben") as found:
        yield found


def form_of(client: TestClient, page: str) -> dict[str, str]:
    """The hidden fields of the form for a verdict, as the browser would send them."""
    text = client.get(page).text
    form = text[
        text.index("/review?", text.index('class="review"')) : text.index("</form>", text.index('value="pass"'))
    ]
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))


def give(client: TestClient, form: dict[str, str], verdict: str, case: str = CASE, **more: str) -> int:
    name = client.cookies.get("karat_reviewer", "")
    data = {**form, "verdict": verdict, "reviewer": name, **more}
    return client.post(f"{case}/review", data=data, headers=ORIGIN, follow_redirects=False).status_code


def counting(store_url: str, case: str = "case_001") -> list[tuple[str, str]]:
    with open_store(store_url) as store:
        return [(item.reviewer, item.verdict) for item in store.reviews(1, [case])]


# -- one verdict a person ---------------------------------------------------------------------------------------------


def test_every_tab_counts_the_reviewed_cases_alike(client: TestClient, store_url: str) -> None:
    """Those on which people disagree too."""
    with open_store(store_url) as store:
        ids = [case.id for case in store.result(1).cases[:2]]
        for reviewer, verdicts in (("ada", ("pass", "pass")), ("ben", ("pass", "fail"))):
            for case, verdict in zip(ids, verdicts, strict=True):
                store.add_review(1, case, verdict, reviewer=reviewer)
    pages = [client.get(f"/review{tab}?run=r-0001").text for tab in ("", "/agreement", "/calibration")]
    assert [re.findall(r'Given <span class="dim">(\d+)', page) for page in pages] == [["2"]] * 3


def test_each_person_has_a_verdict_and_undo_takes_back_ones_own(
    ada: TestClient, ben: TestClient, store_url: str
) -> None:
    assert give(ada, form_of(ada, CASE), "pass") == 303
    assert give(ben, form_of(ben, CASE), "fail") == 303
    assert give(ada, form_of(ada, CASE), "accept") == 303
    assert counting(store_url) == [("ben", "fail"), ("ada", "accept")]
    page = ada.get(CASE).text
    assert "People disagree" in page and "ben" in page
    assert "1–1 of 1" in ada.get("/runs/r-0001?review=disputed").text
    ada.post(f"{CASE}/undo", data={"csrf": form_of(ada, CASE)["csrf"]}, headers=ORIGIN)
    assert counting(store_url) == [("ben", "fail")]
    assert "1–1 of 1" in ada.get("/runs/r-0001?review=fail").text


def test_disputed_cases_go_by_the_rule_until_somebody_settles_them(
    ada: TestClient, ben: TestClient, store_url: str
) -> None:
    """29 of 58 right by rule; case 1 is wrong by rule."""
    give(ada, form_of(ada, CASE), "pass")
    assert "0.517" in ada.get("/runs/r-0001").text  # 30 of 58
    give(ben, form_of(ben, CASE), "fail")
    with open_store(store_url) as store:
        result = store.result(1)
    assert "with reviews" not in ada.get("/runs/r-0001").text or "0.517" not in ada.get("/runs/r-0001").text
    from karat.reports.sections.reviews import reviewed_words
    from karat.stats.reviewed import verdicts_of

    assert verdicts_of(result) == {}
    assert "1 disputed" in reviewed_words(result)
    assert give(ben, form_of(ben, CASE), "pass", adjudicate="1") == 303
    with open_store(store_url) as store:
        assert verdicts_of(store.result(1)) == {"case_001": "pass"}
        assert len(store.reviews(1, ["case_001"])) == 3  # kept with both


def test_a_name_of_any_letters_stays(store_url: str) -> None:
    with person(store_url, "") as client:
        data = {**form_of(client, CASE), "verdict": "pass", "reviewer": "Jürg Ñandú; x"}
        client.post(f"{CASE}/review", data=data, headers=ORIGIN)
        assert 'value="Jürg Ñandú; x"' in client.get(CASE).text
        assert "pass" in dict(counting(store_url)).values() and "Undo verdict" in client.get(CASE).text


# -- stale pages ------------------------------------------------------------------------------------------------------


def test_a_verdict_from_a_stale_page_is_refused_and_the_newer_one_shown(ada: TestClient, store_url: str) -> None:
    stale = form_of(ada, CASE)
    assert give(ada, form_of(ada, CASE), "fail", comment="another series") == 303
    data = {**stale, "verdict": "pass", "reviewer": "ada"}
    refused = ada.post(f"{CASE}/review", data=data, headers=ORIGIN)
    assert refused.status_code == 409
    assert "not saved" in refused.text and "another series" in refused.text and "in another window" in refused.text
    assert counting(store_url) == [("ada", "fail")]
    again = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', refused.text))
    assert ada.post(f"{CASE}/review", data=again, headers=ORIGIN, follow_redirects=False).status_code == 303
    assert counting(store_url) == [("ada", "pass")]


def test_an_adjudication_makes_everybodys_page_stale(ada: TestClient, ben: TestClient, store_url: str) -> None:
    stale = form_of(ada, CASE)
    with open_store(store_url) as store:
        store.add_review(1, "case_001", "gold_wrong", reviewer="ben", adjudication=True)
    assert give(ada, stale, "pass") == 409
    assert counting(store_url) == [("ben", "gold_wrong")]


def test_other_peoples_verdicts_do_not_make_a_page_stale(ada: TestClient, ben: TestClient) -> None:
    mine = form_of(ada, CASE)
    assert give(ben, form_of(ben, CASE), "fail") == 303
    assert give(ada, mine, "pass") == 303


def test_an_undo_from_a_stale_page_is_refused(ada: TestClient, store_url: str) -> None:
    give(ada, form_of(ada, CASE), "fail")
    stale = form_of(ada, CASE)
    give(ada, form_of(ada, CASE), "pass")
    data = {"csrf": stale["csrf"], "seen": stale["seen"], "reviewer": "ada"}
    assert ada.post(f"{CASE}/undo", data=data, headers=ORIGIN).status_code == 409
    assert counting(store_url) == [("ada", "pass")]


def test_the_api_refuses_a_stale_verdict_too(ada: TestClient) -> None:
    form = form_of(ada, CASE)
    sent = {"csrf": form["csrf"], "verdict": "pass", "reviewer": "ada", "seen": "0"}
    assert ada.post(f"/api{CASE}/review", data=sent, headers=ORIGIN).status_code == 200
    refused = ada.post(f"/api{CASE}/review", data=sent, headers=ORIGIN)
    assert refused.status_code == 409 and "newer verdict" in refused.json()["error"]


# -- blind ------------------------------------------------------------------------------------------------------------


def test_blind_hides_others_until_ones_own_is_given(ada: TestClient, ben: TestClient) -> None:
    give(ben, form_of(ben, CASE), "fail", comment="a tell-tale word")
    queue = "/review?run=r-0001&case=1"
    page = ada.get(queue).text  # blind without asking for it
    assert "tell-tale" not in page and "People disagree" not in page and "by rule" not in page
    for place in (CASE, f"/api{CASE}", "/runs/r-0001?review=done"):  # nor elsewhere
        text = ada.get(place).text
        assert "tell-tale" not in text and ">ben<" not in text
    form = form_of(ada, queue)
    assert form["blind"] == "1" and form["from"] == "queue"
    sent = ada.post(f"{CASE}/review", data={**form, "verdict": "pass", "reviewer": "ada"}, headers=ORIGIN)
    assert "You said <b>right</b>" in sent.text and ">ben</span> says <b>wrong</b>" in sent.text
    assert "tell-tale" in ada.get(CASE).text
    reviews = ada.get(f"/api{CASE}").json()["reviews"]
    assert [(item["reviewer"], item["blind"]) for item in reviews] == [("ada", True), ("ben", False)]


def test_blind_can_be_turned_off(ada: TestClient, ben: TestClient) -> None:
    give(ben, form_of(ben, CASE), "fail", comment="a tell-tale word")
    assert "tell-tale" in ada.get("/review?run=r-0001&case=1&blind=0").text
    assert "tell-tale" in ada.get("/review?run=r-0001&case=1").text  # it stays off
    csrf = form_of(ada, CASE)["csrf"]
    ada.post("/review/who", data={"csrf": csrf, "run": "r-0001", "reviewer": "ada", "blind": "1"}, headers=ORIGIN)
    assert "tell-tale" not in ada.get(CASE).text
    assert ada.post("/review/who", data={"reviewer": "x"}, headers=ORIGIN).status_code == 403


def test_blind_says_nothing_of_what_the_rule_found(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,n\nx,1\ny,2\nx,4\n")
    cases = [
        {"id": name, "question": "The sum of n by a, where n is above 1?", "tables": {"t": str(table)},
         "reference": 'result = t[t["n"] > 1].groupby("a", as_index=False)["n"].sum()', "timeout": 7}
        for name in ("wrong", "fails")
    ]  # fmt: skip
    answers = [
        {"id": "wrong", "code": 'result = t.groupby("a", as_index=False)["n"].mean()'},
        {"id": "fails", "code": 'result = t.groupby("b")["n"].sum()'},
    ]
    store = f"sqlite:///{tmp_path}/karat.db"
    karat.run(suite="codegen", cases=cases, predictions=answers, store=store)
    keys = [f"k{number}" for number in range(30)]
    relevant = [{"id": "lost", "question": "Which?", "relevant": ["k2", "k20", "nowhere"]}]
    karat.run(suite="retrieval", cases=relevant, predictions=[{"id": "lost", "results": keys}], store=store)
    with person(store, "ada") as client:
        for case in (0, 1):
            page = client.get(f"/review?run=r-0001&case={case}").text
            shown = page[page.index("<main") : page.index('aria-label="Verdict"')]
            assert "[&#34;n&#34;] &gt; 1" in shown and "t.groupby(" in shown and "Reference" in shown
            for finding in ("ilter", "missing", "KeyError", "did not run", "differ ", 'class="l bad"', "<mark", "✗"):
                assert finding not in shown.replace("people or rules disagree", ""), finding
            assert str(tmp_path) not in shown and "timeout" not in shown and "memory_mb" not in shown
        page = client.get("/review?run=r-0002&case=0").text
        shown = page[page.index("<main") : page.index('aria-label="Verdict"')]
        assert "nowhere" in shown and "k29" in shown
        assert " of 3" not in shown and "missing" not in shown and "needed" not in shown and "✗" not in shown


def test_blind_shows_both_tables_of_files_and_tells_no_verdict(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "answers"
    store = f"sqlite:///{tmp_path}/karat.db"
    gold, given = str(example / "gold"), str(example / "submission")
    result = karat.run(suite="answers", cases=gold, predictions=given, store=store)
    places = {case.id: place for place, case in enumerate(result.cases)}
    with person(store, "ada") as client:
        shown = {}
        texts = ("busiest_line", "oldest_ship", "home_port")  # right, wrong, to be reviewed
        for case in ("stops_by_line", "fuel_by_ship", "warehouse", "opening_days", *texts):
            page = client.get(f"/review?run=r-0001&case={places[case]}").text
            shown[case] = page[page.index('<div class="turn q"') : page.index('aria-label="Verdict"')]
        assert "9340" in shown["fuel_by_ship"] and "9840" in shown["fuel_by_ship"]
        assert "late_trips" in shown["warehouse"] and "rows in any order" in shown["warehouse"]
        assert "1964-05-01 00:00:00" in shown["opening_days"]
        assert "Morning Star</li>" in shown["oldest_ship"] and "The Evening Star, built in 1931" in shown["oldest_ship"]
        assert all(
            "boxed is-" not in shown[case] and shown[case].count('<details class="fold" open') == 0 for case in texts
        )
        for part in shown.values():
            assert "Expected" in part and "Given" in part and "open the files" not in part
            for finding in ("✗", "✓", "differ", "scrambled", "missing", "Rules applied", "right", "wrong"):
                assert finding not in part, finding
        page = client.get(f"/runs/r-0001/cases/{places['opening_days']}").text
        assert (
            "Right" in page
            and "spider2 says wrong: values differ in opened" in page
            and "unmatched" not in page[: page.index("Raw record")]
        )


def test_a_case_page_hides_other_people_and_says_only_that(ada: TestClient) -> None:
    queue = ada.get("/review?run=r-0001&case=1").text
    assert "Blind: the rule’s verdict and other people’s are shown when you have given yours." in queue
    page = ada.get(CASE).text
    assert 'class="verdict is-' in page
    assert "Blind: other people’s verdicts are shown when you have given yours." in page


# -- the queue --------------------------------------------------------------------------------------------------------


def queue_of(client: TestClient) -> list[int]:
    text = client.get("/review?run=r-0001").text
    return [int(place) for place in re.findall(r'<li><a class="data" href="/review\?run=r-0001&amp;case=(\d+)', text)]


def test_the_queue_begins_with_what_tells_the_most(ada: TestClient, ben: TestClient) -> None:
    assert set(queue_of(ada)[:4]) == {1, 3, 5, 7}  # no rule settles them
    page = ada.get("/review?run=r-0001").text
    found = re.search(r"Review: 4 disputed or near a decision, (\d+) more not yet reviewed by you", page)
    length = re.search(r" · 1 of (\d+)</span>", page)
    assert found and length and int(found[1]) + 4 == int(length[1]), "the title counts what the queue has"
    assert queue_of(ada) == queue_of(ben)
    give(ada, form_of(ada, "/runs/r-0001/cases/40"), "pass", "/runs/r-0001/cases/40")
    give(ben, form_of(ben, "/runs/r-0001/cases/40"), "fail", "/runs/r-0001/cases/40")
    assert queue_of(ada)[0] == 40 == queue_of(ben)[0]  # people disagree
    give(ben, form_of(ben, "/runs/r-0001/cases/40"), "fail", "/runs/r-0001/cases/40", adjudicate="1")
    assert 40 not in queue_of(ada) + queue_of(ben)


def test_a_case_that_one_reviewed_leaves_ones_own_queue_alone(ada: TestClient, ben: TestClient) -> None:
    first = queue_of(ada)[0]
    give(ada, form_of(ada, f"/runs/r-0001/cases/{first}"), "pass", f"/runs/r-0001/cases/{first}")
    assert first not in queue_of(ada) and first in queue_of(ben)


def test_rules_disagree_where_variants_of_a_headline_rate_do() -> None:
    import numpy as np

    from karat.core.results.result import MetricSummary
    from karat.web.review.review_queue import _rules_disagree, profiles
    from karat.web.run_page.figures import Figure

    def figure(index: int, name: str, kind: str, headline: bool) -> Figure:
        return Figure(index, name, name, "", kind, headline, True, MetricSummary(name, None, 0, None, None))  # type: ignore[arg-type]  # as the test wants it

    figures = [
        figure(0, "right", "rate", True),
        figure(1, "right_by_id", "rate", False),
        figure(2, "other", "rate", False),
        figure(3, "share", "share", True),
    ]
    assert [one.name for one in profiles(figures)] == ["right", "right_by_id"]
    values = np.array([[1, 1, 0, np.nan], [1, 0, 0, 1], [0, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]])
    assert _rules_disagree(list(values), figures, 4).tolist() == [False, True, False, False]


@pytest.mark.parametrize("odd", ["case=999", "case=x", "case=-1", "given=77777", "run=r-0999", "run=nope"])
def test_an_odd_address_is_a_page_that_says_so(ada: TestClient, odd: str) -> None:
    address = f"/review?{odd}" if odd.startswith("run") else f"/review?run=r-0001&{odd}"
    assert ada.get(address).status_code == 404


def test_a_run_of_errors_alone_has_nothing_to_review(tmp_path: Path) -> None:
    def dropped(_: object) -> str:
        raise ConnectionError("dropped")

    store = f"sqlite:///{tmp_path}/karat.db"
    target = {"dataset_id": "X:D", "dimensions": [{"dimension_name": "C", "values": [{"id": "USA", "name": "USA"}]}]}
    case = {"id": "a", "conversation": [{"role": "user", "content": "?", "target": {"indicator_selection": [target]}}]}
    karat.run(suite="data_query", cases=[case], system=dropped, store=store)
    with person(store, "ada") as client:
        page = client.get("/review?run=r-0001").text
    assert "nothing to review" in page and "You have reviewed every case" not in page


def test_a_store_without_runs_has_nothing_to_review(tmp_path: object) -> None:
    url = f"sqlite:///{tmp_path}/empty.db"
    open_store(url).close()
    with TestClient(create_app(url), base_url=HERE) as client:
        assert "nothing to review yet" in client.get("/review").text
        assert "nothing to review yet" in client.get("/review/agreement").text


# -- agreement --------------------------------------------------------------------------------------------------------


def test_the_agreement_of_people_and_rule(ada: TestClient, ben: TestClient, store_url: str) -> None:
    """Even cases are right by rule, odd ones wrong with COUNTRY wrong."""
    with open_store(store_url) as store:
        for place in range(10):
            store.add_review(1, f"case_{place:03d}", "fail" if place % 2 else "pass", reviewer="ada")
        store.add_review(1, "case_011", "accept", reviewer="ada", comment="the same place")
        store.add_review(1, "case_012", "gold_wrong", reviewer="ada")
        store.add_review(1, "case_000", "pass", reviewer="ben")
        store.add_review(1, "case_001", "pass", reviewer="ben")  # disputed
    page = ada.get("/review/agreement?run=r-0001").text
    assert "People agree with the rule in 9 of 10 cases that both settle. In 1 more, gold was wrong." in page
    assert "<b>5</b>agree" in page and "<b>1</b>rule too strict" in page and "<b>4</b>agree" in page
    assert "<b>1</b> of 5" in page and "the same place" in page and "COUNTRY wrong" in page
    assert "0.900" in page and "0.800" in page  # kappa: (0.9 - 0.5) / (1 - 0.5)
    assert "kappa, ada and ben" in page and "2 seen twice" in page
    assert "/runs/r-0001/cases/11" in page
    assert "No case is settled by both" in ada.get("/review/agreement?run=r-0002").text


def test_a_kappa_below_zero_is_drawn_there_and_rules_are_sorted_by_share(ada: TestClient, store_url: str) -> None:
    with open_store(store_url) as store:
        for place in range(8):  # mostly the opposite of the rule: 2 of 4 right ones and all 4 wrong ones are turned
            store.add_review(1, f"case_{place:03d}", "pass" if place % 2 or place < 3 else "fail", reviewer="ada")
        for place in range(8, 20, 2):
            store.add_review(1, f"case_{place:03d}", "fail" if place > 12 else "pass", reviewer="ada")
    page = ada.get("/review/agreement?run=r-0001").text
    table = page[page.index('<table class="t cards mid figs">') : page.index("</table>")]
    assert ">−1</text>" in table and "axis from −1 to 1" in table
    kappa = table[table.index("kappa, people and rule") :]
    value = re.search(r'<td class="v num">−(0\.\d+)</td>', kappa)
    assert value and "-0." not in re.sub(r'"[^"]*%"', "", table)
    drawn = re.search(r'<circle class="dot" cx="([\d.]+)%"', kappa)
    assert drawn and float(drawn[1]) == pytest.approx(50 * (1 - float(value[1])), abs=0.1)
    rules = page[page.index("Rules most often overruled") :]
    shares = [int(turned) / int(of) for turned, of in re.findall(r"<b>(\d+)</b> of (\d+)", rules)]
    assert len(shares) == 2 and shares == sorted(shares, reverse=True) and shares[0] == 1
