"""The GitHub Action and the GitLab template: their steps run with bash in a clean folder, against a comment API on
loopback that behaves like the real ones."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.warm import warm_folder

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "token-of-the-test-0123456789"

ASSISTANT = """
def ask(request):
    with open("calls.txt", "a") as file:
        file.write(request["id"] + "\\n")
    return {"answer": "ANSWER"}
"""
PROJECT = """
systems:
  mine: {type: function, function: "assistant:ask", depends_on: [assistant.py]}
suites:
  - {suite: answers, cases: gold.jsonl, system: mine}
gates:
  - {metric: answers.strict, at_least: 0.5}
  - no_new_failures: {}
"""


class Comments:
    """The comments of one pull request, as GitHub and GitLab serve them."""

    def __init__(self) -> None:
        stranger = {"login": "mallory", "type": "User"}
        text = "<!-- karat: report -->\nnot the job's own"
        self.rows: list[dict[str, Any]] = [
            {"id": 1, "body": text, "user": stranger, "author": {"id": 99}},
            *({"id": n, "body": "words", "user": stranger, "author": {"id": 99}} for n in range(2, 140)),
        ]
        self.methods: list[str] = []
        self.may_write = True
        self.url = ""


@contextmanager
def serving(comments: Comments) -> Iterator[Comments]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/user":  # GitLab knows who asks; the token of a GitHub workflow may not ask
                gitlab = "PRIVATE-TOKEN" in self.headers
                return self.answer(200 if gitlab else 403, {"id": 7} if gitlab else {"message": "forbidden"})
            page = int(re.findall(r"[?&]page=(\d+)", self.path)[0])
            return self.answer(200, comments.rows[(page - 1) * 100 : page * 100])

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
            comments.methods.append(self.command)
            if not comments.may_write:
                return self.answer(403, {"message": f"may not, with {self.headers.get('Authorization')}"})
            found = re.search(r"/(?:comments|notes)/(\d+)$", self.path)
            if found:
                next(row for row in comments.rows if row["id"] == int(found[1]))["body"] = body
            else:
                bot = {"login": "github-actions[bot]", "type": "Bot"}
                comments.rows.append({"id": 1000, "body": body, "user": bot, "author": {"id": 7}})
            return self.answer(200, {})

        do_PATCH = do_PUT = do_POST

        def answer(self, status: int, value: Any) -> None:
            token = self.headers.get("Authorization", self.headers.get("PRIVATE-TOKEN", ""))
            assert TOKEN in token
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    comments.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield comments
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def comments() -> Iterator[Comments]:
    with serving(Comments()) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "checkout"
    folder.mkdir()
    rows = [("ships", 37), ("seats", 40), ("crew", 37)]
    lines = [
        {"instance_id": name, "question": f"{name}?", "evaluation": {"func": "number_match", "parameters": {"gold": n}}}
        for name, n in rows
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "karat.yaml").write_text(PROJECT)
    answering(folder, "There are 37.")
    return folder


def answering(project: Path, answer: str) -> None:
    (project / "assistant.py").write_text(ASSISTANT.replace("ANSWER", answer))


def calls(project: Path) -> int:
    file = project / "calls.txt"
    count = len(file.read_text().split()) if file.exists() else 0
    file.unlink(missing_ok=True)
    return count


def bash(script: str, project: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """One step in a clean environment: an empty home, no variables but those of the job."""
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    path = os.pathsep.join((warm_folder(), str(Path(sys.executable).parent), "/usr/bin", "/bin"))
    environment = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **variables}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )


class Workflow:
    """A job of GitHub Actions that uses the action: enough of its expressions to run every step with a script."""

    def __init__(self, project: Path, comments: Comments, *, pull_request: bool) -> None:
        event = {"pull_request": {"number": 5}} if pull_request else {}
        (project.parent / "event.json").write_text(json.dumps(event))
        self.project, self.pull_request = project, pull_request
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        inputs = {name: str(given["default"]) for name, given in self.action["inputs"].items()}
        self.values = {f"inputs.{name}": value for name, value in inputs.items()}
        self.values |= {"inputs.install": "", "github.token": TOKEN, "inputs.token": TOKEN}
        self.values |= {"github.server_url": "https://git.example.org", "github.repository": "me/mine"}
        self.values |= {"github.run_id": "11", "github.run_attempt": "1", "github.event_name": "push"}
        self.values |= {"github.event.repository.default_branch": "main", "github.ref_name": "main"}
        if pull_request:
            self.values |= {"github.event_name": "pull_request", "github.ref_name": "5/merge"}
        self.variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": comments.url,
            "GITHUB_REPOSITORY": "me/mine",
            "GITHUB_EVENT_PATH": str(project.parent / "event.json"),
            "GITHUB_STEP_SUMMARY": str(project.parent / "summary.md"),
        }

    def evaluate(self, expression: str) -> str | bool:
        """``a == 'b' && 'c' || 'd'`` by its values, as the runner evaluates it."""
        if " || " in expression:
            parts = [self.evaluate(part) for part in expression.split(" || ")]
            return next((part for part in parts if part), parts[-1])
        if " && " in expression:
            parts = [self.evaluate(part) for part in expression.split(" && ")]
            return next((part for part in parts if not part), parts[-1])
        for sign in ("==", "!="):
            if f" {sign} " in expression:
                left, right = (self.evaluate(part) for part in expression.split(f" {sign} "))
                return (left == right) == (sign == "==")
        word = expression.strip()
        return word[1:-1] if word.startswith("'") else True if word == "always()" else self.values[word]

    def filled(self, text: str) -> str:
        return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(self.evaluate(found[1].strip())), text)

    def run(self) -> dict[str, subprocess.CompletedProcess[str]]:
        """Step → how it ended. After a failure, only steps that always run are run."""
        done: dict[str, subprocess.CompletedProcess[str]] = {}
        failed = False
        for step in self.action["runs"]["steps"]:
            wanted = self.evaluate(step["if"]) if "if" in step else True
            for value in (step.get("with") or {}).values():
                self.filled(str(value))  # every expression has a value
            if "run" not in step or not wanted or (failed and "always()" not in step.get("if", "")):
                continue
            given = {name: self.filled(str(value)) for name, value in (step.get("env") or {}).items()}
            done[step["name"]] = bash(self.filled(step["run"]), self.project, {**self.variables, **given})
            failed = failed or done[step["name"]].returncode != 0
        return done


def test_the_action_measures_compares_comments_and_asks_only_what_changed(project: Path, comments: Comments) -> None:
    main = Workflow(project, comments, pull_request=False).run()
    assert [step.returncode for step in main.values()] == [0, 0, 0], main
    assert "Gates" not in main and calls(project) == 3
    assert "nothing is posted" in main["Comment"].stdout and not comments.methods

    # a pull request that changes nothing costs nothing, and says so
    same = Workflow(project, comments, pull_request=True).run()
    assert {name: step.returncode for name, step in same.items()} == dict.fromkeys(same, 0), same
    assert calls(project) == 0 and comments.methods == ["POST"]
    body = comments.rows[-1]["body"]
    assert body.startswith("<!-- karat: report -->\n### karat gate: 2 gates passed")
    assert "Reused: 3 of 3 answers from answers.cache" in body
    assert "(https://git.example.org/me/mine/actions/runs/11)" in body
    for name in ("report.html", "report.xlsx", "result.json", "gates.xml"):
        assert (project / "karat-report" / name).stat().st_size
    assert "2 gates passed" in (project.parent / "summary.md").read_text()

    # one that breaks a case is asked, its own comment is edited, and the gates fail the job
    answering(project, "There are 40.")
    worse = Workflow(project, comments, pull_request=True).run()
    assert calls(project) == 3 and comments.methods == ["POST", "PATCH"]
    assert worse["Comment"].returncode == 0 and worse["Gates"].returncode == 1
    assert "::error title=karat gate" in worse["Gates"].stdout
    assert "2 of 2 gates failed" in comments.rows[-1]["body"]
    assert comments.rows[0]["body"].endswith("not the job's own")  # a stranger's marker is left alone

    # a fork may not comment: the gates decide all the same, and no token is printed
    comments.may_write = False
    fork = Workflow(project, comments, pull_request=True).run()
    assert "::warning" in fork["Comment"].stdout and fork["Gates"].returncode == 1
    assert all(TOKEN not in step.stdout + step.stderr for step in fork.values())


def test_the_gitlab_template_does_the_same(project: Path, comments: Comments) -> None:
    job = yaml.safe_load((ROOT / "templates" / "karat.gitlab-ci.yml").read_text())[".karat"]
    script = "\n".join([*job["before_script"], *job["script"]])
    variables = {**job["variables"], "KARAT_INSTALL": "", "GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main"}
    variables |= {"CI_API_V4_URL": comments.url, "CI_PROJECT_ID": "3", "GITLAB_TOKEN": TOKEN}
    variables |= {"CI_JOB_URL": "https://git.example.org/me/mine/-/jobs/9"}
    main = bash(script, project, {**variables, "CI_COMMIT_BRANCH": "main"})
    assert main.returncode == 0, main.stderr
    assert calls(project) == 3 and not comments.methods
    merge = {**variables, "CI_MERGE_REQUEST_IID": "5"}
    for methods in (["POST"], ["POST", "PUT"]):
        done = bash(script, project, merge)
        assert done.returncode == 0, done.stderr
        assert calls(project) == 0 and comments.methods == methods
    assert (project / "karat-report" / "gates.xml").exists()
    answering(project, "There are 40.")
    assert bash(script, project, merge).returncode == 1


def of_the_cache(pattern: str, job: Path, checkout: Path) -> None:
    """What the cache of a CI carries from one job to a fresh checkout: the folders that its pattern matches."""
    for kept in job.glob(pattern):
        shutil.copytree(kept, checkout / kept.relative_to(job))


def test_the_cache_carries_the_baseline_of_a_project_that_is_not_at_the_root(project: Path) -> None:
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    patterns = {step["with"]["path"] for step in steps if "cache" in step.get("uses", "")}
    job = yaml.safe_load((ROOT / "templates" / "karat.gitlab-ci.yml").read_text())[".karat"]
    assert patterns == set(job["cache"]["paths"]) and len(patterns) == 1
    first, second = project.parent / "first", project.parent / "second"
    for checkout in (first, second):
        shutil.copytree(project, checkout / "evals")
    variables = {**job["variables"], "KARAT_CONFIG": "evals/karat.yaml", "CI_DEFAULT_BRANCH": "main"}
    script = "\n".join(line for line in job["script"] if not line.startswith("karat comment"))
    assert bash(script, first, {**variables, "CI_COMMIT_BRANCH": "main"}).returncode == 0
    of_the_cache(patterns.pop(), first, second)
    merge = bash(script, second, variables)
    assert merge.returncode == 0 and "no new failures against r-0001" in merge.stdout, merge.stdout + merge.stderr
    assert (calls(first), calls(second)) == (3, 0)


def test_a_comment_outside_of_a_job_can_only_be_written_to_a_file(project: Path) -> None:
    (project / "karat.yaml").write_text(PROJECT.partition("gates:")[0])
    none = bash("karat comment --out comment.md", project, {})
    assert none.returncode == 2 and "there is no store" in none.stderr
    bash("karat run", project, {})
    nowhere = bash("karat comment", project, {})
    assert nowhere.returncode == 2 and "no pull request to comment on" in nowhere.stderr
    assert bash("karat comment --out comment.md", project, {}).returncode == 0
    text = (project / "comment.md").read_text()
    assert "No comparison: there is no other run of answers named" in text and "| strict | 0.667 |" in text
    wrong = bash("karat comment --out c.md --link 'javascript:alert(1)'", project, {})
    assert wrong.returncode == 2 and "not a link" in wrong.stderr
