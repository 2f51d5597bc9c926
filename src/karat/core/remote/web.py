"""Single files of web servers. Written with httpx, which every install has: no extra is needed for them."""

from __future__ import annotations

import mimetypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx

from karat.core.files.limits import FILE_MB, MIB
from karat.core.remote.address import Address
from karat.core.remote.failures import Status
from karat.core.remote.fetch_limits import Room
from karat.core.secrets.http_logs import mask_logs
from karat.core.secrets.masking import Secrets

TIMEOUT = httpx.Timeout(60, connect=10)
REDIRECTS = 5


def download(address: Address, version: str, out: IO[bytes], room: Room) -> str | None:
    """The file, and what the server calls this version of it (may be empty); None where it is still ``version``."""
    headers = {"Accept-Encoding": "identity"}
    if version:
        headers["If-None-Match" if version[:1] in '"W' else "If-Modified-Since"] = version
    out.seek(0)
    out.truncate()
    with _client(address) as client, client.stream("GET", address.url, headers=headers) as answer:
        if answer.status_code == 304 and version:
            return None
        if answer.status_code != 200:
            raise Status(answer.status_code)
        length = answer.headers.get("Content-Length", "")
        if length.isdigit():
            if int(length) > FILE_MB.value * MIB:
                raise room.refuse_file()
            room.expect(int(length))
        size = 0
        for data in answer.iter_bytes(MIB):
            size += len(data)
            if size > FILE_MB.value * MIB:
                raise room.refuse_file()
            room.take(len(data))
            out.write(data)
        return str(answer.headers.get("ETag") or answer.headers.get("Last-Modified") or "")


def content(address: Address) -> bytes | None:
    """A file as a whole; None where there is none."""
    with _client(address) as client:
        answer = client.get(address.url)
    if answer.status_code in (404, 410):
        return None
    if answer.status_code != 200:
        raise Status(answer.status_code)
    return answer.content


def upload(address: Address, file: Path) -> None:
    """One PUT of the whole file."""
    kind = mimetypes.guess_type(address.name)[0] or "application/octet-stream"
    headers = {"Content-Type": kind, "Content-Length": str(file.stat().st_size)}
    with _client(address) as client, file.open("rb") as source:
        answer = client.put(address.url, content=source, headers=headers)
    if not 200 <= answer.status_code < 300:
        raise Status(answer.status_code)


@contextmanager
def _client(address: Address) -> Iterator[httpx.Client]:
    secrets = Secrets(address.hidden_parts)
    mask_logs(secrets)  # as long as this is held
    hooks = {"request": [_no_downgrade()]}
    with httpx.Client(follow_redirects=True, max_redirects=REDIRECTS, timeout=TIMEOUT, event_hooks=hooks) as client:
        yield client
    del secrets


def _no_downgrade() -> Callable[[httpx.Request], None]:
    """A check for each request of a client: what was asked for over https is not fetched over http."""
    seen: list[str] = []

    def check(request: httpx.Request) -> None:
        if "https" in seen and request.url.scheme != "https":
            raise httpx.TooManyRedirects("redirected from https:// to http://", request=request)
        seen.append(request.url.scheme)

    return check
