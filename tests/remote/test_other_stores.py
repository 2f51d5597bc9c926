"""Google Cloud Storage through its emulator, and Azure through Azurite where that is installed (it is a Node program,
so the lock file has it not)."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.core.files.atomic import write_bytes
from karat.core.problems import UserError
from karat.core.remote import failures
from karat.core.remote.paths import local_path


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "PAUSES", (0.01, 0.01))


@pytest.fixture
def google(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    import fsspec
    from gcp_storage_emulator.server import create_server

    port = free_port()
    server = create_server("127.0.0.1", port, in_memory=True, default_bucket="data")
    server.start()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://127.0.0.1:{port}")
    fsspec.get_filesystem_class("gs").clear_instance_cache()
    try:
        yield "gs://data"
    finally:
        server.stop()
        fsspec.get_filesystem_class("gs").clear_instance_cache()


@pytest.fixture
def azure(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    import fsspec

    program = os.environ.get("AZURITE_BLOB") or shutil.which("azurite-blob")
    if not program:
        pytest.skip("Azurite is not installed: npm install azurite, and set AZURITE_BLOB to its azurite-blob")
    port = free_port()
    words = [program, "--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", str(tmp_path / "blobs")]
    server = subprocess.Popen([*words, "--silent", "--skipApiVersionCheck"], stdout=subprocess.DEVNULL)
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="  # everybody's
    account = f"AccountName=devstoreaccount1;AccountKey={key};BlobEndpoint=http://127.0.0.1:{port}/devstoreaccount1;"
    monkeypatch.setenv("AZURE_STORAGE_CONNECTION_STRING", f"DefaultEndpointsProtocol=http;{account}")
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        fsspec.get_filesystem_class("az").clear_instance_cache()
        fsspec.filesystem("az").mkdir("data")
        yield "az://data"
    finally:
        server.kill()
        server.wait()
        fsspec.get_filesystem_class("az").clear_instance_cache()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@pytest.mark.parametrize("store", ["google", "azure"])
def test_files_are_written_read_seen_to_change_and_missed(store: str, request: pytest.FixtureRequest) -> None:
    root: str = request.getfixturevalue(store)
    for name in ("a.yaml", "deep/b.yaml"):
        write_bytes(Path(f"{root}/cases/{name}"), name.encode())
    folder = local_path(f"{root}/cases")
    assert {file.relative_to(folder).as_posix() for file in folder.rglob("*.yaml")} == {"a.yaml", "deep/b.yaml"}
    assert local_path(f"{root}/cases/a.yaml").read_text() == "a.yaml"
    write_bytes(Path(f"{root}/cases/a.yaml"), b"A.yaml")
    assert (local_path(f"{root}/cases") / "a.yaml").read_text() == "A.yaml"
    with pytest.raises(UserError, match="there is nothing there") as missing:
        local_path(f"{root}/cases/c.yaml")
    assert f"{root}/cases/c.yaml" in str(missing.value)
    with pytest.raises(UserError):
        local_path(f"{root.partition('://')[0]}://nowhere/cases/c.yaml")


def test_without_credentials_it_says_what_to_set(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    for name in [name for name in os.environ if name.startswith("AZURE_")]:
        monkeypatch.delenv(name)
    fsspec.get_filesystem_class("az").clear_instance_cache()
    with pytest.raises(UserError, match="no valid credentials") as missing:
        local_path("az://data/cases")
    assert "AZURE_STORAGE_CONNECTION_STRING" in missing.value.hint
