"""Addresses that look for a way out of the viewer: none reaches a file, whatever it is made of."""

from __future__ import annotations

import re
from pathlib import Path

from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from karat.web.app import create_app
from karat.web.routes import ROUTERS
from tests.web.sample_store import build

SECRET = "canary-of-a-file"
STEPS = (
    "..", "...", ".", "", "~", "%2e%2e", "%252e%252e", "%c0%ae%c0%ae", "..%2f", "..%5c", "..\\", "%5c..%5c", "....//", "%00", "..;", "%20", "C:", "file:",
    "//host/share", "\\\\host\\share", "%5c%5chost%5cshare", "%2f%2fetc", "/etc/passwd", "etc", "passwd", "static", "static-secret", "statics", "karat.db",
    "karat.db-wal", "karat.js", "app.py", "secret.txt", "runs", "r-0001", "cases", "1", "run.json", "%uff0e%uff0e", "．．", "%e2%80%ae", "proc", "self", "environ",
)  # fmt: skip
BEGINNINGS = (
    "/static/",
    "/static",
    "/runs/",
    "/runs/r-0001/",
    "/runs/r-0001/cases/",
    "/export/",
    "/export/r-0001/",
    "/api/",
    "/api/runs/",
    "/",
)


def test_no_route_takes_a_path() -> None:
    """A parameter of a route is a number, a run's name, or one of a few words; never a path."""
    found = {
        part
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for part in re.findall(r"{([^}]+)}", route.path)
    }
    assert found and not [part for part in found if ":path" in part or "path" in part]


@settings(max_examples=300, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(BEGINNINGS),
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=5),
    st.sampled_from(("/", "%2f", "\\", "%5c", "")),
)
def _tried(start: str, steps: list[str], between: str) -> None:
    address = start + between.join(steps)
    answer = CLIENT[0].get(address, follow_redirects=False)
    assert answer.status_code in (200, 303, 307, 400, 404, 405, 422), (address, answer.status_code)
    for word in (SECRET, "root:x:0", "SQLite format 3", "def create_app", "Traceback"):
        assert word not in answer.text, (address, word)


CLIENT: list[TestClient] = []


def test_no_address_reaches_a_file(tmp_path: Path) -> None:
    for name in ("secret.txt", "static-secret/secret.txt", "statics/secret.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(SECRET)
    with TestClient(
        create_app(build(tmp_path)), base_url="http://127.0.0.1:8765", raise_server_exceptions=False
    ) as client:
        CLIENT[:] = [client]
        _tried()
        assert client.get("/static/karat.js").status_code == 200
    CLIENT.clear()
