"""A mistake is shown with its line; the secrets in that line are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.problems import Problem, UserError, problem_text
from karat.core.secrets.quoting import hidden, hidden_line
from karat.runs.project_file.project import from_settings, load_project, options_from
from karat.systems.openai import OpenAIConfig

KEY = "sk-abcdefghijklmnop1234567890"
WORD = "hunter2hunter2"
HIDING = [
    (f"v1: {{type: openai, api_key: {KEY}}}", "v1: {type: openai, api_key: •••}"),
    (f'm: 5, headers: {{X-Api-Key: "{WORD}"}}', 'm: 5, headers: {X-Api-Key: "•••"}'),
    (f"headers: {{X-MyKey: '{WORD}', b: 1}}", "headers: {X-MyKey: '•••', b: 1}"),
    (f'{{"api_key": "{WORD}", "model": "x"}}', '{"api_key": "•••", "model": "x"}'),
    (f"password: {WORD}, with a comma", "password: •••"),
    (f"token: [{WORD}, {WORD}]", "token: [•••]"),
    (f'password: "{WORD}', 'password: "•••'),
    (f"OPENAI_API_KEY={WORD}", "OPENAI_API_KEY=•••"),
    (f"command: [ask, --token, {WORD}, -v]", "command: [ask, --token, •••, -v]"),
    (f"command: ask --api-key={WORD} -v", "command: ask --api-key=•••"),
    (f"command: curl -u bob:{WORD} x", "command: curl -u bob:••• x"),
    (f"url: http://bob:{WORD}@host/v1", "url: http://bob:•••@host/v1"),
    (f"url: http://host/v1?token={WORD}&n=1", "url: http://host/v1?token=•••&n=1"),
    (f"store: postgresql://bob:{WORD}/x@host/db", "store: postgresql://bob:•••@host/db"),
    (f"Authorization: Bearer {WORD}", "Authorization: •••"),
    (f"x: Bearer {WORD}", "x: Bearer •••"),
    (f"concurrency: {KEY}", "concurrency: •••"),
    ("x: aB3dE5fG7hI9kL1mN3pQ5r", "x: •••"),
    ("x: 0123456789abcdef0123456789abcdef", "x: •••"),
]
AS_IT_IS = [
    "v1: {type: openai, api_key_env: OPENAI_API_KEY, max_tokens: 500}",
    "headers: {Authorization: Bearer ${TOKEN}}",
    "api_key: ${KEY}",
    "- {key: country, value: FR}",
    "question: What is the growth of real GDP in France since 2019-01-01?",
    "url: http://localhost:8080/v1",
    "primary_key: country_code",
]


@pytest.mark.parametrize(("line", "shown"), HIDING)
def test_secret_is_hidden(line: str, shown: str) -> None:
    assert hidden(line) == shown


@pytest.mark.parametrize("line", AS_IT_IS)
def test_line_without_secret_stays(line: str) -> None:
    assert hidden(line) == line


def test_caret_stays_under_its_word() -> None:
    line = f"v1: {{api_key: {KEY}, max_tokns: 5}}"
    shown, start, width = hidden_line([line], 0, line.index("max_tokns"), 9)
    assert shown[start : start + width] == "max_tokns"
    shown, start, width = hidden_line([line], 0, line.index(KEY), len(KEY))
    assert shown[start : start + width] == "•••"


@pytest.mark.parametrize(
    "text",
    [
        f"    token:\n      {WORD}\n",
        f"    password: |\n      first\n      {WORD}\n",
        f'    password: "first\n      {WORD}"\n',
        f"    cookie:\n      - {WORD}\n",
    ],
)
def test_value_below_its_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "karat.yaml"
    file.write_text(text)
    for line in range(1, text.count("\n") + 1):
        assert WORD not in problem_text(Problem("wrong", file=str(file), line=line, column=7))


def test_long_line_is_hidden_before_it_is_cut(tmp_path: Path) -> None:
    file = tmp_path / "karat.yaml"
    file.write_text(f"v: {{x: '{'a ' * 60}', api_key: {'Zq' * 90}, typo: 1}}")
    assert "Zq" not in problem_text(Problem("wrong", file=str(file), line=1, column=320))


def test_sheet_keeps_its_words(tmp_path: Path) -> None:
    file = tmp_path / "a.sheet"
    file.write_text("token = UPPER(fruit)\n")
    assert "UPPER(fruit)" in problem_text(Problem("wrong", file=str(file), line=1, column=1))


PROJECTS = [
    f"systems:\n  v: {{type: openai, base_url: 'http://x', model: m, api_key: {KEY}}}\n",
    f"systems:\n  v: {{type: openai, base_url: 'http://x', model: m, max_tokns: 5, headers: {{X-Api-Key: {KEY}}}}}\n",
    f"systems:\n  v:\n    type: openai\n    base_url: 'http://x'\n    model: m\n    concurrency: {KEY}\n",
    f"systems:\n  v: {{type: openai, model: m, base_url: 'http://bob:{KEY}@x', tmieout: 5}}\n",
    f"systems:\n  v: {{type: openai, model: m, base_url: 'http://x', api_key: x,{KEY}}}\n",
    f"stor: postgresql://bob:{KEY}@host/db\n",
    f"systems: {{v: {{type: openai, api_key: {KEY}\n",
]


@pytest.mark.parametrize("text", PROJECTS)
def test_no_mistake_of_a_project_shows_the_key(tmp_path: Path, text: str) -> None:
    file = tmp_path / "karat.yaml"
    file.write_text(text)
    with pytest.raises(UserError) as caught:
        load_project(file)
    said = f"{caught.value} {caught.value.problems}"
    assert KEY not in said
    assert KEY[6:] not in said


def test_api_key_is_named_by_its_variable(tmp_path: Path) -> None:
    expected = '"api_key" is a secret: put it in an environment variable and name it with api_key_env'
    file = tmp_path / "karat.yaml"
    file.write_text(PROJECTS[0])
    with pytest.raises(UserError) as caught:
        load_project(file)
    assert [problem.message for problem in caught.value.problems] == [expected]
    with pytest.raises(UserError) as caught:
        from_settings(OpenAIConfig, [f"api_key={KEY}"], "--system-option")
    assert str(caught.value) == expected
    with pytest.raises(UserError) as caught:
        options_from(OpenAIConfig, {"type": "openai", "api_key": KEY})
    assert str(caught.value) == expected


def test_unknown_option_does_not_print_its_value() -> None:
    with pytest.raises(UserError) as caught:
        from_settings(OpenAIConfig, [f"hdrs={KEY}"], "--system-option")
    assert KEY not in str(caught.value)


def test_line_of_megabytes_is_shown_at_its_spot(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    before = '{"token": "x1"}, ' * 200_000
    file.write_text(f'{before}"api_key": "{WORD}", "typo": 1')
    column = len(before) + len(f'"api_key": "{WORD}", ') + 1
    _, line, caret = problem_text(Problem("wrong", file=str(file), line=1, column=column, width=6)).split("\n")
    assert WORD not in line
    assert line[caret.index("^") : caret.rindex("^") + 1] == '"typo"'
