"""Posting the comment: one per pull request, which the next run edits.

The comment begins with a marker that the reader does not see. It is looked for among the comments of the same author:
anybody can write a marker, and nobody else's comment is touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets

if TYPE_CHECKING:
    import httpx

PAGE = 100
MOST_PAGES = 50
TIMEOUT = 30.0
MAX_ERROR_BODY = 64 * 1024
Done = Literal["posted", "updated"]


class Place(Protocol):
    """Where a comment goes."""

    def comments(self) -> Iterator[tuple[str, str]]:
        """(address, text) of each comment of ours."""

    def post(self, text: str) -> None:
        """A new comment."""

    def edit(self, address: str, text: str) -> None:
        """Another text for a comment."""


def marker(name: str) -> str:
    """The first line of a comment. Two jobs on one pull request have comments of their own by their names."""
    if not name.replace("-", "").replace("_", "").isalnum() or "--" in name:
        raise UserError(f'"{name}" cannot name a comment', hint="Use letters, digits, - and _.")
    return f"<!-- karat: {name} -->"


def post_comment(place: Place, text: str, name: str) -> Done:
    """Edit our comment of this name, or post the first one."""
    line = marker(name)
    body = f"{line}\n{text}"
    for address, said in place.comments():
        if said.replace("\r\n", "\n").split("\n", 1)[0].strip() == line:
            place.edit(address, body)
            return "updated"
    place.post(body)
    return "posted"


def place_here(environment: Mapping[str, str] = os.environ) -> Place | None:
    """The pull request or merge request that this job is about; None where it is about none."""
    if environment.get("GITHUB_ACTIONS") == "true":
        number = _pull_number(environment.get("GITHUB_EVENT_PATH", ""))
        if number is None:
            return None
        api, repository = (_needed(environment, name) for name in ("GITHUB_API_URL", "GITHUB_REPOSITORY"))
        return GitHub(api, repository, number, _needed(environment, "GITHUB_TOKEN"))
    if environment.get("GITLAB_CI") == "true":
        iid = environment.get("CI_MERGE_REQUEST_IID", "")
        if not iid:
            return None
        api, project = (_needed(environment, name) for name in ("CI_API_V4_URL", "CI_PROJECT_ID"))
        return GitLab(api, project, iid, _needed(environment, "GITLAB_TOKEN"))
    hint = "It runs in GitHub Actions and in GitLab CI. To see the text: karat comment --out comment.md"
    raise UserError("there is no pull request to comment on", hint=hint)


def _needed(environment: Mapping[str, str], name: str) -> str:
    if value := environment.get(name, "").strip():
        return value
    hint = (
        "GITLAB_TOKEN: a project access token with the scope api, as a masked variable."
        if "LAB" in name
        else ("In the workflow: env: {GITHUB_TOKEN: ${{ github.token }}}" if name == "GITHUB_TOKEN" else "")
    )
    raise UserError(f"the environment variable {name} is not set", hint=hint)


def _pull_number(event: str) -> int | None:
    """The pull request of a workflow's event."""
    try:
        said: Json = msgspec.json.decode(Path(event).read_bytes()) if event else {}
    except (OSError, msgspec.DecodeError) as error:
        raise UserError(f"the event of the workflow cannot be read: {error}") from error
    request = said.get("pull_request") if isinstance(said, dict) else None
    number = request.get("number") if isinstance(request, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


class _Api:
    """Calls with a token. Error messages never contain it."""

    def __init__(self, api: str, headers: Mapping[str, str], token: str) -> None:
        self._api, self._headers, self._secrets = api.rstrip("/"), dict(headers), Secrets([token])

    def call(self, method: str, path: str, body: JsonObject | None = None) -> httpx.Response:
        import httpx

        url = path if path.startswith("http") else f"{self._api}{path}"
        try:
            return httpx.request(method, url, json=body, headers=self._headers, timeout=TIMEOUT, trust_env=True)
        except httpx.HTTPError as error:
            raise UserError(self._secrets.text(f"{method} {url} failed: {error}")) from error

    def json(self, method: str, path: str, body: JsonObject | None = None) -> Json:
        response = self.call(method, path, body)
        if response.status_code >= 300:
            said = self._secrets.beginning(response.content, MAX_ERROR_BODY)[:300]
            hint = "The token must be allowed to write comments." if response.status_code in (401, 403, 404) else ""
            raise UserError(f"{method} {path} answered {response.status_code}: {said}", hint=hint)
        return msgspec.json.decode(response.content) if response.content else None

    def pages(self, path: str) -> Iterator[JsonObject]:
        for page in range(1, MOST_PAGES + 1):
            found = self.json("GET", f"{path}?per_page={PAGE}&page={page}")
            if not isinstance(found, list):
                raise UserError(f"GET {path} did not answer with a list of comments")
            yield from (one for one in found if isinstance(one, dict))
            if len(found) < PAGE:
                return


class GitHub:
    """Comments of a pull request."""

    def __init__(self, api: str, repository: str, number: int, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        self._api = _Api(api, headers, token)
        self._repository, self._number = repository, number

    def comments(self) -> Iterator[tuple[str, str]]:
        """The token of a workflow cannot ask who it is: it writes as a bot, so only comments of bots count then."""
        me = self._api.call("GET", "/user")
        login = msgspec.json.decode(me.content).get("login") if me.status_code == 200 else None
        for one in self._api.pages(f"/repos/{self._repository}/issues/{self._number}/comments"):
            user = one.get("user") or {}
            ours = user.get("login") == login if login else user.get("type") == "Bot"
            if ours:
                yield f"/repos/{self._repository}/issues/comments/{int(one['id'])}", str(one.get("body") or "")

    def post(self, text: str) -> None:
        self._api.json("POST", f"/repos/{self._repository}/issues/{self._number}/comments", {"body": text})

    def edit(self, address: str, text: str) -> None:
        self._api.json("PATCH", address, {"body": text})


class GitLab:
    """Notes of a merge request."""

    def __init__(self, api: str, project: str, iid: str, token: str) -> None:
        self._api = _Api(api, {"PRIVATE-TOKEN": token}, token)
        self._notes = f"/projects/{project}/merge_requests/{iid}/notes"

    def comments(self) -> Iterator[tuple[str, str]]:
        me = self._api.json("GET", "/user")
        own = me.get("id") if isinstance(me, dict) else None
        for one in self._api.pages(self._notes):
            if own is not None and (one.get("author") or {}).get("id") == own:
                yield f"{self._notes}/{int(one['id'])}", str(one.get("body") or "")

    def post(self, text: str) -> None:
        self._api.json("POST", self._notes, {"body": text})

    def edit(self, address: str, text: str) -> None:
        self._api.json("PUT", address, {"body": text})
