from __future__ import annotations

import pytest

from karat.core.secrets.masking import Secrets, plain
from karat.core.system import SystemConfig
from karat.systems.redaction import environment_secrets, shown_config, shown_url, url_secrets
from karat.systems.transport import error_text, kind_of_status, retry_after


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        (" 0.5 ", 0.5),
        ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:02:00 GMT", 20.0),  # now is 100 seconds after the epoch
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("", None),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(text: str, seconds: float | None) -> None:
    assert retry_after({"Retry-After": text}, now=100.0) == seconds


def test_no_retry_after() -> None:
    assert retry_after({}) is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, ("rate_limited", True)),
        (408, ("server_error", True)),
        (500, ("server_error", True)),
        (503, ("server_error", True)),
        (400, ("client_error", False)),
        (401, ("client_error", False)),
        (404, ("client_error", False)),
        (304, ("client_error", False)),
    ],
)
def test_kinds_of_status(status: int, kind: tuple[str, bool]) -> None:
    assert kind_of_status(status) == kind


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"error": {"message": "no quota", "code": "x"}}', "no quota"),
        (b'{"error": "plain"}', "plain"),
        (b'{"detail": "FastAPI says so"}', "FastAPI says so"),
        (b'{"message": "m"}', "m"),
        (b'{"other": 1}', ""),
        (b"[1]", ""),
        (b"<html>", ""),
    ],
)
def test_what_a_body_says_went_wrong(body: bytes, text: str) -> None:
    assert error_text(body) == text


def test_secrets_are_replaced_in_every_form() -> None:
    secrets = Secrets(["pa/ss word-1", "pa/ss word-1-and-more", "abc"])
    assert secrets.text("x pa/ss word-1 y pa%2Fss%20word-1 z pa/ss word-1-and-more abc") == "x *** y *** z *** abc"
    assert secrets.body(b"x pa/ss word-1 y") == b"x *** y"
    assert "pa" not in repr(secrets)
    assert not Secrets()


def test_a_stand_in_for_a_key_does_not_change_answers() -> None:
    secrets = Secrets(["EMPTY"])
    assert secrets.body(b'{"cell": "EMPTY"}') == b'{"cell": "EMPTY"}'
    assert secrets.text("key EMPTY") == "key ***"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("at https://user:pass@host/path", "at https://***@host/path"),
        ("at https://user:p@ss@host/path", "at https://***@host/path"),
        ("postgresql+psycopg://u:p@db/x", "postgresql+psycopg://***@db/x"),
        ("GET /x?a=1&api_key=abc&b=2", "GET /x?a=1&api_key=***&b=2"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer ***"),
        ("write to ada@example.org", "write to ada@example.org"),
        ("https://host/@scope/name", "https://host/@scope/name"),
        ("at mysql://u:p/a?s@s@db/x", "at mysql://***@db/x"),
    ],
)
def test_what_looks_like_a_secret(text: str, shown: str) -> None:
    assert plain(text) == shown


def test_a_url_as_it_may_be_shown() -> None:
    assert shown_url("https://u:p@host:8443/a/b?key=1#f") == "https://host:8443/a/b"
    assert url_secrets("https://host/x") == []
    assert url_secrets("https://u:p@host/x") == ["u:p", "p", "dTpw"]  # base64 of u:p, as in a Basic header
    assert url_secrets("https://token@host/x") == ["token", "token", "dG9rZW46"]


def test_a_cut_leaves_no_part_of_a_secret() -> None:
    key, said = "sk-canary-0123456789", "asked https://user:canary-word@host/x with Bearer canary.abc-def "
    secrets = Secrets([key, "canary with blanks"])
    body = f"{said}and {key} or canary with blanks\n".encode()
    assert secrets.beginning(body, len(body)) == "asked https://***@host/x with Bearer *** and *** or ***\n"
    for cut in range(len(body)):
        assert "canary" not in secrets.beginning(body, cut) and "01234" not in secrets.beginning(body, cut)
        assert secrets.ending(body[cut:] + b"all of it") == ("all of it" if cut < len(body) else "")
    assert secrets.ending(b"3456789 is wrong") == "" and secrets.ending(b"x" * 9000) == "x" * (9000 - 8192)


def test_secrets_of_the_environment_by_their_names() -> None:
    names = ["DIAL_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "AUTHORIZATION", "GIT_AUTHOR_NAME", "HOME", "SHORT_KEY"]
    values = {name: f"value-of-{name}" for name in names} | {"SHORT_KEY": "abc"}
    assert environment_secrets(values) == [
        "value-of-DIAL_API_KEY",
        "value-of-GITHUB_TOKEN",
        "value-of-DB_PASSWORD",
        "value-of-AUTHORIZATION",
    ]


def test_a_configuration_as_it_may_be_shown() -> None:
    class Config(SystemConfig, frozen=True, kw_only=True):
        url: str
        headers: dict[str, str]

    shown = shown_config(Config(type="x", url="http://u:p@h/", headers={"Api-Key": "abc", "Accept": "text/csv"}))
    assert shown["url"] == "http://***@h/"
    assert shown["headers"] == {"Api-Key": "***", "Accept": "text/csv"}
    assert shown["concurrency"] == 8
