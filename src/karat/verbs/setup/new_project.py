"""The files of a new project beside those of the example: karat.yaml for a live system, an assistant to start from, CI,
and what editors need."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.files.project_folder import FILE
from karat.core.suite import Suite
from karat.verbs.setup.schema import FOLDER, NOTE, PROJECT, note_for, write_schemas

Kind = Literal["recorded", "function", "command", "openai", "http"]
CI = Literal["none", "github", "gitlab"]
KINDS: dict[Kind, str] = {
    "recorded": "recorded answers of the example; nothing is called",
    "function": "a Python function in assistant.py",
    "command": "a command that reads a question as JSON and writes the answer (assistant.py)",
    "openai": "an OpenAI-compatible or DIAL endpoint",
    "http": "any other JSON endpoint",
}
CIS: dict[CI, str] = {"none": "no CI", "github": "a GitHub Actions workflow", "gitlab": "a GitLab pipeline"}
ASSISTANT = "assistant.py"
assert set(get_args(Kind)) == set(KINDS)  # noqa: S101 (a mistake in this file)


def system_lines(kind: Kind, suite: str, base_url: str, model: str) -> list[str]:
    """The system of karat.yaml, with comments that teach."""
    quoted = json.dumps  # JSON strings are YAML strings, whatever an address or a name holds
    if kind == "openai":
        return [
            "    type: openai",
            f"    base_url: {quoted(base_url)}",
            f"    model: {quoted(model)}",
            "    # api_key_env: OPENAI_API_KEY   # the variable that holds the key; the key itself never belongs here",
            f"    prompt: default     # how the question is put; karat init --suite {suite} --show-prompt prints it.",
            "                        # Leave it out for an assistant that has a prompt of its own.",
        ]
    if kind == "http":
        return [
            "    type: http",
            f"    url: {quoted(base_url)}",
            '    request: {question: "{question}", history: "{messages}"}   # what is sent',
            "    # response_path: data.answer     # the part of the response that is the answer; left out: all of it",
            '    # headers: {X-Api-Key: "${ASSISTANT_KEY}"}   # values of environment variables',
        ]
    if kind == "command":
        return [
            "    type: command",
            f"    command: python {ASSISTANT}    # gets a question as JSON on standard input, writes its answer",
        ]
    return [
        "    type: function",
        f"    function: {ASSISTANT.removesuffix('.py')}:ask   # the function ask in {ASSISTANT}",
    ]


def live_project(
    name: str, suite: str, cases: str, options: dict[str, object], system: Sequence[str], gates: Sequence[str]
) -> str:
    """A karat.yaml that asks a live system."""
    lines = [
        "# A Karat project. Paths are relative to this file. Unknown keys are reported with the nearest known one.",
        "",
        f"name: {json.dumps(name)}     # shown on every report",
        "",
        "# The systems under test. Any of them can be asked: karat run --system NAME.",
        "systems:",
        "  assistant:",
        *system,
        "    # concurrency: 8       # calls at the same time",
        "    # timeout: 120         # seconds for one attempt",
        "",
        "# What is measured: a suite, its cases, and the system that is asked.",
        "suites:",
        f"  - suite: {suite}",
        f"    cases: {json.dumps(cases)}",
        "    system: assistant",
        *([f"    options: {json.dumps(options)}"] if options else []),
        "",
        "# What must hold. If a gate fails, the exit code is 1. Turn on the one below when you have a first result.",
        *(gates or ["# gates: []"]),
    ]
    return "\n".join(lines) + "\n"


def assistant_file(suite: Suite) -> str:
    """An assistant that runs at once and answers nothing yet."""
    answer = suite.placeholder_answer or "I do not know."
    return f'''"""The assistant that is measured. Replace the body of ask() with a call to yours.

As a function:  Karat imports this file and calls ask(request) for every question.
As a command:   Karat starts python {ASSISTANT}, writes the request to its standard input and reads the answer.
"""

import json
import sys


def ask(request):
    """request has "id", "turn", "repeat", "messages" and "question". Returns a text, or anything that JSON can say."""
    question = request["question"]  # noqa: F841
    # This answer has the right form and says nothing. karat check --response FILE shows how an answer is read.
    return {answer!r}


if __name__ == "__main__":
    json.dump(ask(json.load(sys.stdin)), sys.stdout)
'''


def ci_files(ci: CI, extras: Sequence[str]) -> dict[str, str]:
    """Path → content of what runs Karat in CI."""
    package = f"./karat[{','.join(extras)}]" if extras else "./karat"
    if ci == "github":
        return {".github/workflows/karat.yml": _GITHUB.replace("PACKAGE", package)}
    return {".gitlab-ci.yml": _GITLAB.replace("PACKAGE", package)} if ci == "gitlab" else {}


_GITHUB = """# Runs the cases on every push and pull request. A broken gate fails the job.
name: karat
on: [push, pull_request]
jobs:
  karat:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - uses: actions/checkout@v4             # until Karat is on a package index: your copy of its repository
        with: {repository: my-team/karat, path: karat}
      # - run: sudo apt-get update && sudo apt-get install --yes bubblewrap   # where the assistant writes code
      - run: pip install "PACKAGE"
      - run: karat check                      # mistakes in the case files, before anything is called
      # 1: a gate is broken, 3: calls failed; karat gate decides, and says why
      - run: karat run --html report.html || case $? in 1|3) ;; *) exit 2 ;; esac
      - run: karat gate --github              # exit code 1 if a gate is broken; fills the job summary
      - uses: actions/upload-artifact@v4
        if: always()
        with: {name: karat-report, path: report.html}
"""
_GITLAB = """# Runs the cases in every pipeline. A broken gate fails the job.
karat:
  image: python:3.12
  variables: {GIT_SUBMODULE_STRATEGY: recursive}
  script:
    - pip install "PACKAGE"        # until Karat is on a package index: your copy of its repository, such as a submodule
    - karat check                             # mistakes in the case files, before anything is called
    # 1: a gate is broken, 3: calls failed; karat gate decides, and says why
    - karat run --html report.html || case $? in 1|3) ;; *) exit 2 ;; esac
    - karat gate --junit gates.xml            # exit code 1 if a gate is broken
  artifacts:
    when: always
    paths: [report.html]
    reports: {junit: gates.xml}
"""


def add_schemas(folder: Path, suite: str, files: Sequence[Path]) -> None:
    """Write the schemas into the project, and name them in the first line of its YAML files."""
    write_schemas(folder / FOLDER)
    ignore = folder / FOLDER.parent / ".gitignore"
    if not ignore.exists():
        write_bytes(ignore, b"*\n")
    for file in files:
        if file.suffix not in (".yaml", ".yml") or file.name == ".gitlab-ci.yml" or ".github" in file.parts:
            continue  # the files of a CI are no cases
        text = file.read_bytes()
        if not text.startswith(NOTE.encode()):
            name = PROJECT if file.name == FILE else f"{suite}.cases"
            write_bytes(file, note_for(name, file, folder).encode() + b"\n" + text)


def options_to_keep(options: msgspec.Struct) -> dict[str, object]:
    """The options of an example that are not the defaults. The day of a recording means nothing for live answers."""
    usual = msgspec.to_builtins(type(options)())
    return {k: v for k, v in msgspec.to_builtins(options).items() if v != usual[k] and k != "today"}
