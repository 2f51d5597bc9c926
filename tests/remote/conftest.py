"""A real S3 server and a real web server on loopback, started and stopped by the tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.remote.servers import Pages, Proxy, web_server

BUCKET = "data"


class Bucket:
    """One bucket of the S3 server, filled from the other side by its own client."""

    def __init__(self, client: Any, name: str, proxy: Proxy) -> None:
        self.client, self.name, self.proxy = client, name, proxy

    def put(self, key: str, data: bytes | str) -> str:
        self.client.put_object(Bucket=self.name, Key=key, Body=data.encode() if isinstance(data, str) else data)
        return f"s3://{self.name}/{key}"

    def put_folder(self, folder: Path, prefix: str) -> str:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                self.put(f"{prefix}/{file.relative_to(folder).as_posix()}", file.read_bytes())
        return f"s3://{self.name}/{prefix}"

    def get(self, key: str) -> bytes:
        data: bytes = self.client.get_object(Bucket=self.name, Key=key)["Body"].read()
        return data

    def gets(self) -> list[str]:
        """The objects that were read since the proxy was cleared, without listings and looks."""
        lines = [request.split(b" ")[1].decode() for request in self.proxy.requests if request.startswith(b"GET")]
        return [line for line in lines if "list-type" not in line and line.count("/") > 1]


@pytest.fixture(scope="session")
def s3_proxy() -> Iterator[Proxy]:
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    proxy = Proxy(host, port)
    yield proxy
    proxy.close()
    server.stop()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    folder = tmp_path / "work here"  # a space: paths are not words
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def bucket(s3_proxy: Proxy, here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    import boto3

    names = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{s3_proxy.port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "canary-secret-value",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    behind = f"http://{s3_proxy.behind[0]}:{s3_proxy.behind[1]}"
    client = boto3.client("s3", endpoint_url=behind)
    client.create_bucket(Bucket=BUCKET)
    s3_proxy.requests.clear()
    yield Bucket(client, BUCKET, s3_proxy)
    s3_proxy.before, s3_proxy.cut = lambda _: None, lambda _: False
    for one in client.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        client.delete_object(Bucket=BUCKET, Key=one["Key"])
    client.delete_bucket(Bucket=BUCKET)


@pytest.fixture
def web(here: Path) -> Iterator[Pages]:
    with web_server() as pages:
        yield pages
