"""Who may ask, from where: the attacks of the trust table's viewer lines."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from karat.core.problems import UserError
from karat.web.app import create_app
from karat.web.routes import ROUTERS
from karat.web.security.attempts import CALLERS, MOST, WITHIN, Attempts
from karat.web.security.forms import checked_form
from karat.web.security.guard import HEADERS
from karat.web.security.host_names import host_list

HERE = "http://127.0.0.1:8765"
TOKEN = "a-token-of-enough-letters"


@pytest.fixture
def closed(store_url: str) -> Iterator[TestClient]:
    """A viewer that others can reach."""
    app = create_app(store_url, host="192.0.2.7", token=TOKEN)
    with TestClient(app, base_url="http://192.0.2.7:8765", follow_redirects=False) as found:
        yield found


def test_another_address_needs_a_token(store_url: str) -> None:
    for host in ("0.0.0.0", "192.0.2.7", "example.org", "::"):
        with pytest.raises(UserError, match="needs a token"):
            create_app(store_url, host=host)
    with pytest.raises(UserError, match="too short"):
        create_app(store_url, token="short")


def test_the_host_list_is_exact() -> None:
    assert host_list("127.0.0.1", 8765) == {"127.0.0.1:8765", "localhost:8765", "[::1]:8765"}
    assert "localhost:8765" not in host_list("192.0.2.7", 8765)
    assert "karat.example" in host_list("192.0.2.7", 8765, ["Karat.Example"])


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:8765", ""]
)
def test_a_foreign_host_is_refused(client: TestClient, host: str) -> None:
    for address in ("/", "/api/runs", "/static/karat.js"):
        assert client.get(address, headers={"Host": host}).status_code == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
        {
            "Sec-Fetch-Site": "cross-site",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Dest": "iframe",
            "Sec-Fetch-User": "?1",
        },
    ],
)
def test_another_site_reads_nothing(client: TestClient, headers: dict[str, str]) -> None:
    for address in ("/", "/runs/r-0001", "/api/runs", "/export/r-0001/run.json"):
        assert client.get(address, headers=headers).status_code == 403


def test_a_clicked_link_opens_a_page_and_no_data(client: TestClient) -> None:
    clicked = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
        "Sec-Fetch-User": "?1",
    }
    assert client.get("/runs/r-0001", headers=clicked).status_code == 200
    assert client.get("/api/runs", headers=clicked).status_code == 403


def _token(client: TestClient) -> str:
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', client.get("/runs/r-0001/cases/1").text)
    assert found
    return found[1]


@pytest.mark.parametrize(
    "action",
    [
        "/runs/r-0001/cases/1/review",
        "/runs/r-0001/cases/1/undo",
        "/api/runs/r-0001/cases/1/review",
        "/runs/r-0001/pin",
        "/runs/r-0001/unpin",
        "/runs/r-0001/filters?tag=weo",
        "/runs/r-0001/cases/1/sets",
    ],
)
def test_no_write_without_its_token(client: TestClient, action: str) -> None:
    good, form = {"Origin": HERE}, {"verdict": "pass", "name": "n", "set": "s"}
    right = _token(client)
    assert client.post(action, data=form, headers=good).status_code == 403
    assert client.post(action, data=form | {"csrf": "0" * 64}, headers=good).status_code == 403
    assert client.post(action, data=form | {"csrf": right}, headers={"Origin": "null"}).status_code == 403
    assert client.post(action, data=form | {"csrf": right}).status_code == 403, "nothing says where it comes from"
    assert client.post(action, data=form | {"csrf": right, "comment": "x" * 70_000}, headers=good).status_code == 413
    cookies = dict(client.cookies)
    client.cookies.clear()
    assert client.post(action, data=form | {"csrf": right}, headers=good).status_code == 403, "no session"
    client.cookies.update(cookies)
    answer = client.post(action, data=form | {"csrf": right}, headers=good, follow_redirects=False)
    assert answer.status_code in (200, 303)


def test_every_route_that_writes_checks_the_form() -> None:
    for router in ROUTERS:
        for route in router.routes:
            if isinstance(route, APIRoute) and set(route.methods or ()) - {"GET", "HEAD"} and route.path != "/login":
                assert [found.call for found in route.dependant.dependencies] == [checked_form], route.path


@pytest.mark.parametrize(
    "address", ["/", "/runs/r-0001", "/nope", "/api/runs", "/export/r-0001/run.json", "/static/viewer.css"]
)
def test_every_answer_has_the_headers(client: TestClient, address: str) -> None:
    found = client.get(address).headers
    assert {name: found[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in found["content-security-policy"]


@pytest.mark.parametrize(
    "address",
    [
        "/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e%2fapp.py", "/static/%252e%252e%252fapp.py",
        "/static/..\\app.py", "/static//etc/passwd", "/static/%5c%5chost%5cshare", "/static/viewer.css.map",
        "/runs/..%2f..%2fetc", "/export/r-0001/..%2fkarat.db", "/export/r-0001/karat.db", "/runs/r-0001/cases/..%2f1",
        "/runs/r-0001/cases/-1", "/runs/r-0001/cases/99999999999999999999999", "/runs/r-99999999999999999999",
        "/runs/%00", "/export/%2e%2e/run.json",
    ],
)  # fmt: skip
def test_no_address_reaches_a_file(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text and "create_app" not in answer.text and "SQLite" not in answer.text


def test_a_bug_shows_no_traceback(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr("karat.web.routes.runs.figures_of", broken)
    answer = client.get("/")
    assert answer.status_code == 500 and "secret" not in answer.text and "went wrong" in answer.text
    assert answer.headers["x-frame-options"] == "DENY"


def test_the_ticket_signs_in_once(closed: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert closed.get("/").headers["location"] == "/login"
    assert closed.get("/api/runs").status_code == 401
    ticket = closed.app.state.viewer.sessions.ticket  # type: ignore[attr-defined]  # the ASGI type has no state
    answer = closed.get(f"/login?ticket={ticket}")
    cookie = answer.headers["set-cookie"]
    assert answer.headers["location"] == "/" and "HttpOnly" in cookie and "samesite=strict" in cookie.lower()
    assert closed.get("/runs/r-0001").status_code == 200
    closed.cookies.clear()
    assert closed.get(f"/login?ticket={ticket}").status_code == 403, "a ticket is good for one time"
    own = [record.getMessage() for record in caplog.records if not record.name.startswith("httpx")]
    assert not [line for line in own if ticket in line or TOKEN in line]


def test_the_token_signs_in_and_is_a_bearer(closed: TestClient) -> None:
    own = {"Origin": "http://192.0.2.7:8765"}
    assert closed.post("/login", data={"token": "wrong"}, headers=own).status_code == 403
    assert closed.get("/api/runs", headers={"Authorization": "Bearer wrong"}).status_code == 401
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert closed.get("/api/runs", headers=bearer).status_code == 200
    given = closed.post("/api/runs/r-0001/cases/1/review", data={"verdict": "fail", "reviewer": "ci"}, headers=bearer)
    assert given.json()["verdict"] == "fail"
    assert closed.post("/login", data={"token": TOKEN}, headers=own).status_code == 303
    assert closed.get("/runs/r-0001").status_code == 200


def test_a_forged_cookie_is_no_session(closed: TestClient) -> None:
    for cookie in ("x.y", ".", "", "a" * 5000):
        assert closed.get("/", headers={"Cookie": f"karat_8765={cookie}"}).status_code == 303


def test_the_report_runs_its_own_scripts_and_no_others(client: TestClient) -> None:
    found = client.get("/runs/r-0001/report")
    policy = found.headers["content-security-policy"]
    assert found.status_code == 200 and policy.endswith("frame-ancestors 'none'")
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy
    assert "'self'" not in policy  # not even the viewer's own files
    assert client.get("/").headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert client.get("/runs/r-9999/report").headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


def test_the_report_has_the_menu_of_every_page(client: TestClient) -> None:
    def menu(address: str) -> list[str]:
        return re.findall(r'href="(/\w*)"', client.get(address).text.split('aria-label="Main"')[1].split("</nav>")[0])

    assert menu("/runs/r-0001/report") == menu("/runs/r-0001") == ["/", "/compare", "/review"]
    assert 'aria-label="Main"' not in client.get("/export/r-0001/run.html").text


def test_wrong_tokens_are_limited_and_people_who_are_signed_in_are_not_held_up(store_url: str) -> None:
    app = create_app(store_url, host="192.0.2.7", token=TOKEN)
    now = 0.0
    app.state.viewer.sessions.attempts = Attempts(lambda: now)
    own = {"Origin": "http://192.0.2.7:8765"}
    with TestClient(app, base_url="http://192.0.2.7:8765", follow_redirects=False) as signed_in:
        assert signed_in.post("/login", data={"token": TOKEN}, headers=own).status_code == 303
        with TestClient(app, base_url="http://192.0.2.7:8765", follow_redirects=False) as client:
            for number in range(10):
                if number % 2:
                    answer = client.get("/api/runs", headers={"Authorization": f"Bearer wrong-{number}"})
                else:
                    answer = client.post("/login", data={"token": f"wrong-{number}"}, headers=own)
                assert answer.status_code in (401, 403)
            for answer in (  # even the right one is not looked at
                client.post("/login", data={"token": TOKEN}, headers=own),
                client.get("/api/runs", headers={"Authorization": f"Bearer {TOKEN}"}),
                client.get("/login?ticket=guessed"),
            ):
                assert answer.status_code == 429 and answer.headers["retry-after"] == "60"
                assert "Too many wrong tokens. Try again in 60 s." in answer.text
            assert signed_in.get("/api/runs").status_code == 200
            now = 61.0
            assert client.get("/api/runs", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_each_caller_has_a_limit_of_their_own_and_few_are_remembered() -> None:
    found = Attempts(lambda: 0.0)
    for _ in range(MOST):
        found.failed("a")
    assert found.wait("a") == WITHIN and found.wait("b") == 0
    for number in range(CALLERS):
        found.failed(str(number))
    assert found.wait("a") == 0 and len(found._failed) == CALLERS


@pytest.mark.parametrize(
    ("behind_proxy", "said", "secure"),
    [(True, "https", True), (True, "http", False), (True, "", False), (False, "https", False)],
)
def test_cookies_are_secure_behind_tls_that_a_trusted_proxy_ends(
    store_url: str, behind_proxy: bool, said: str, secure: bool
) -> None:
    app = create_app(store_url, behind_proxy=behind_proxy)
    headers = {"X-Forwarded-Proto": said} if said else {}
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        for page in ("/", "/review?run=r-0001"):
            client.cookies.clear()
            cookies = client.get(page, headers=headers).headers.get_list("set-cookie")
            assert cookies and all(("; Secure" in cookie) == secure for cookie in cookies)
            assert all("HttpOnly" in cookie and "samesite=strict" in cookie.lower() for cookie in cookies)


def test_cookies_are_secure_where_the_viewer_itself_is_reached_by_https(store_url: str) -> None:
    with TestClient(create_app(store_url), base_url="https://127.0.0.1:8765") as client:
        assert "; Secure" in client.get("/").headers["set-cookie"]
