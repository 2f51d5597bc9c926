"""Secrets in plain text are found wherever they stand in settings; names, limits and what comes from the environment
are left alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from karat.cli import main
from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets
from karat.core.secrets.settings import is_secret_setting, plain_secrets
from karat.systems.command import CommandConfig
from karat.systems.http import HttpConfig, HttpSystem
from karat.systems.openai import OpenAIConfig, OpenAISystem
from karat.systems.redaction import environment_secrets, settings_with_secrets, shown_config

CANARY = "c4n4ry8f3a21"

REFUSED: list[dict[str, Any]] = [
    {"request": {"question": "{question}", "api_key": CANARY}},
    {"request": {"question": "{question}", "auth": {"token": CANARY}}},
    {"request": {"q": "{question}", "options": [{"x": 1}, {"clientSecret": CANARY}]}},
    {"request": '{"q": "{question}", "password": "' + CANARY + '"}'},
    {"request": {"q": "{question}", "authorization": f"Bearer {CANARY}"}},
    {"request": {"q": "{question}", "note": f"Bearer {CANARY}"}},
    {"headers": {"X-Custom": f"Bearer {CANARY}"}},
    {"headers": {"X-Api-Key": CANARY}},
    {"headers": {"Authorization": f"Basic {CANARY}"}},
    {"headers": {"X-My-Pwd": CANARY}},
    {"headers": {"Cookie": f"session={CANARY}"}},
    {"url": f"http://user:{CANARY}@host/ask"},
    {"url": f"http://{CANARY}:@host/ask"},
    {"url": "http://k3y8f3a21c4n4ry@host/ask"},
    {"url": "http://host/api?code=aB3dE5fG7hJ9kL1mN3pQ5rS7=="},
    {"url": f"http://host/ask?user=a&pass={CANARY}"},
    {"request": {"q": "{question}", "headers": [{"name": "Authorization", "value": CANARY}]}},
    {"request": {"q": "{question}", "env": [{"key": "API_KEY", "value": CANARY}]}},
    {"request": {"q": "{question}", "credentials": {"user": "me", "value": CANARY}}},
    {"request": {"q": "{question}", "to": f"Server=h;User Id=a;Password={CANARY};"}},
    {"request": {"q": "{question}", "passwort": CANARY, "x": 1}},
    {"request": {"q": "{question}", "contraseña": CANARY}},
    {"request": {"q": "{question}", "ａｐｉ＿ｋｅｙ": CANARY}},
    {"url": f"http://host/ask?api_key={CANARY}"},
    {"url": f"http://host/ask?x=1&access_token={CANARY}"},
    {"url": f"http://host/ask#token={CANARY}"},
    {"url": f"http://host/token/{CANARY}/ask"},
    {"url": f"http://host/v1/api_key={CANARY}/ask"},
    {"url": f"http://host/apikey/{CANARY}"},
    {"url": "http://hooks.example/services/T0/B0/aB3dE5fG7hJ9kL1mN3pQ5rS7"},
    {"url": "http://api.example/bot123456789:AAabcdefghijklmnopqrstuvwx/send"},
]
COMMANDS: list[Any] = [
    f"python bot.py --api-key {CANARY}",
    f"python bot.py --token={CANARY}",
    ["python", "bot.py", "--password", CANARY],
    ["python", "bot.py", f"--openai-api-key={CANARY}"],
    f"env API_KEY={CANARY} python bot.py",
    f"curl -H 'Authorization: {CANARY}' http://h/",
    f"curl -u me:{CANARY} http://h/",
    f"curl http://h/?token={CANARY}",
    "python bot.py sk-abcdefghij0123456789",
    ["mysql", "-u", "me", f"-p{CANARY}"],
    ["bot", "--pass", CANARY],
    f"PGPASSWORD={CANARY} psql",
    f"curl -uuser:{CANARY} http://h/",
    f"curl -b session={CANARY} http://h/",
    ["bot", f"/api-key:{CANARY}"],
    ["docker", "run", f"--env=API_TOKEN={CANARY}", "image"],
    ["bot", f"AccountName=a;AccountKey={CANARY}==;"],
    ["sh", "-c", f"export API_KEY={CANARY}; bot"],
]
FINE: list[dict[str, Any]] = [
    {"request": {"q": "{question}", "max_tokens": "100", "tokenizer": "o200k_base",
            "prompt_cache_key": "run-2024-11-15"}},
    {"request": {"key": "{question}", "token": "{case_id}", "author": "me", "primary_key": "id-2024-11-15-x"}},
    {"request": {"key": "topic", "value": "{question}"}},
    {"request": {"q": "{question}", "api_key": "${ASSISTANT_KEY}", "auth": "none"}},
    {"headers": {"Authorization": "Bearer ${ASSISTANT_KEY}", "X-Request-Id": "karat"}},
    {"url": "http://host/v1/deployments/gpt-4o-mini-2024-07-18/chat/completions"},
    {"url": "http://host/oauth/token/introspect"},
    {"url": "http://host/ask?key=${ASSISTANT_KEY}&page=2"},
    {"url": "http://host/items/0b9c2c4e-8d7f-4f38-9a55-6d2b9c1e7f00"},
    {"url": "http://${USER}:${PASSWORD}@host/x"},
    {"url": "http://deploy-user-2024@host/x"},
    {"request": {"q": "{question}", "headers": [{"name": "Authorization", "value": "Bearer ${ASSISTANT_KEY}"}]}},
    {"request": {"q": "{question}", "tools": [{"name": "get_token", "content": "{question}"}], "pass_at": 5}},
    {"request": {"q": "{question}", "to": "Server=h;User Id=a;Password=${PASSWORD};"}},
]  # fmt: skip


def http(**settings: Any) -> HttpConfig:
    return HttpConfig(**{"type": "http", "url": "http://host/ask", **settings})


@pytest.mark.parametrize("settings", REFUSED)
def test_secrets_in_http_settings_are_found_and_hidden(settings: dict[str, Any]) -> None:
    config = http(**settings)
    assert settings_with_secrets(config)
    assert CANARY not in str(shown_config(config))
    assert CANARY not in repr(config)


@pytest.mark.parametrize("command", COMMANDS)
def test_secrets_in_commands_are_found(command: Any) -> None:
    assert settings_with_secrets(CommandConfig(type="command", command=command))


@pytest.mark.parametrize(
    "extra", [{"api_key": CANARY}, '{"nested": {"token": "' + CANARY + '"}}', {"user": f"Bearer {CANARY}"}]
)
def test_secrets_in_extra_body_are_found(extra: Any) -> None:
    assert settings_with_secrets(OpenAIConfig(type="openai", base_url="http://h/v1", model="m", extra_body=extra))


@pytest.mark.parametrize("settings", FINE)
def test_what_is_no_secret_is_left_alone(settings: dict[str, Any]) -> None:
    assert settings_with_secrets(http(**settings)) == []


@pytest.mark.parametrize(
    "command",
    ["python bot.py --max-tokens 5", "sh -c 'bot --token \"$TOKEN\"'", "bot --token ${TOKEN}", "python -u bot.py"],
)
def test_commands_without_secrets(command: str) -> None:
    assert settings_with_secrets(CommandConfig(type="command", command=command)) == []


def test_names() -> None:
    secret = (
        "api_key",
        "apiKey",
        "X-API-KEY",
        "APIKEY",
        "token",
        "accessToken",
        "client_secret",
        "Authorization",
        "db_password",
        "pwd",
    )
    assert [name for name in secret if not is_secret_setting(name)] == []
    fine = (
        "max_tokens",
        "api_key_env",
        "api_key_header",
        "author",
        "keyboard",
        "sort_key",
        "token_count",
        "monkey",
        "secret_name",
    )
    assert [name for name in fine if is_secret_setting(name)] == []


def test_options_of_suites_are_searched_too() -> None:
    options = {"engines": {"pg": {"engine": "postgresql", "url": f"postgresql://u:{CANARY}@h/db"}}}
    assert list(plain_secrets(options)) == [("engines", "pg", "url")]


def test_what_is_sent_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSISTANT_KEY", CANARY)
    system = HttpSystem(http(request={"q": "{question}", "key": "${ASSISTANT_KEY}", "cost": "${question}"}))
    assert system._template == {"q": "{question}", "key": CANARY, "cost": "${question}"}
    assert CANARY not in system._transport.secrets.text(f"echo {CANARY}")
    settings: dict[str, Any] = {"base_url": "http://h/${ASSISTANT_KEY}", "extra_body": {"user": "${ASSISTANT_KEY}"}}
    opened = OpenAISystem(OpenAIConfig(type="openai", model="m", **settings))
    assert opened._fixed == {"user": CANARY}
    assert CANARY not in opened._transport.secrets.text(opened._transport.place)
    monkeypatch.delenv("ASSISTANT_KEY")
    with pytest.raises(UserError, match="ASSISTANT_KEY"):
        HttpSystem(http(request={"q": "{question}", "key": "${ASSISTANT_KEY}"}))


def test_the_project_file_is_told_by_line_without_the_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("karat.yaml").write_text(
        f"systems:\n  a:\n    type: http\n    url: http://h/\n    request:\n      q: '{{question}}'\n      token: "
        f"{CANARY}\n"
        f"  b: {{type: command, command: [bot, --password, {CANARY}]}}\n"
    )
    monkeypatch.setattr(sys, "argv", ["karat", "run"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    said = capsys.readouterr().err
    assert stopped.value.code == 2
    assert CANARY not in said
    assert "karat.yaml:7:14: request.token contains a secret in plain text" in said
    assert "write ${NAME} in its place" in said
    assert "karat.yaml:8" in said
    assert "the command inherits the environment" in said


def test_variables_that_hold_secrets_by_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {"DB_PASS": "a-pass-1", "MYSQL_PWD": "b-pwd-22", "GITHUB_PAT": "c-pat-33", "MY_JWT": "d-jwt-44"}
    held |= {"DATABASE_URL": "postgresql://app:e-dsn%2F55@db/x?y=1", "SENTRY_DSN": "https://f0123456789@host/1"}
    left = {"PWD": "/home/someone", "OLDPWD": "/home/other", "COMPASS": "northwest", "PATHS": "/usr/bin:/bin"}
    left |= {"HOME_URL": "https://example.org/a@b", "EMAIL": "mailto:someone@example.org"}
    found = environment_secrets({**held, **left})
    secrets = Secrets(found)
    for value in (*list(held.values())[:4], "e-dsn/55", "e-dsn%2F55", "f0123456789"):
        assert value not in secrets.text(f"it said {value} to us"), value
    assert not {*left.values()} & {*found} and "someone" not in found
