"""The servers of a chaos: PostgreSQL behind a proxy that cuts, S3 behind another, Dask, a small disk, a clock."""

from __future__ import annotations

import ctypes.util
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.remote.conftest import Bucket
from tests.remote.servers import Proxy
from tests.runs.executors.cluster import Cluster
from tests.store.conftest import PostgresServer, cut_power
from tests.store.cutting_proxy import CuttingProxy, cutting

DISK = 4 * 1024 * 1024
"""Bytes of the small disk."""


class World:
    """Everything that runs around the runs."""

    def __init__(self, folder: Path, server: Any, proxy: CuttingProxy, s3: Proxy, bucket: Bucket, workers: int) -> None:
        self.folder, self.proxy, self.s3, self.bucket = folder, proxy, s3, bucket
        self.postgres = PostgresServer(server.get_uri())
        self._server = server
        self.clock = folder / "clock"
        self.set_clock(0)
        self.disk = folder / "disk"
        self.disk.mkdir()
        self.mounted = _mount(self.disk)
        self.workers = workers
        self._clusters: list[Cluster] = []
        self.cluster = self.new_cluster()

    def new_cluster(self) -> Cluster:
        """A new scheduler with its workers; the old ones are gone."""
        for old in self._clusters:
            old.stop()
        place = self.folder / f"cluster-{len(self._clusters)}"
        place.mkdir()
        self.cluster = Cluster(place)
        self._clusters.append(self.cluster)
        self.cluster.add(self.workers)
        return self.cluster

    def database(self, name: str) -> tuple[str, str]:
        """The URLs of a new database: through the proxy, and past it."""
        self.postgres.sql(f"CREATE DATABASE {name} TEMPLATE template0")
        return f"postgresql://postgres@127.0.0.1:{self.proxy.port}/{name}", self.postgres.url(name)

    def restart_postgres(self) -> None:
        """As after a power cut."""
        cut_power(self._server)

    def set_clock(self, seconds: int) -> None:
        """Of the processes that run: wrong by this much from now on."""
        new = self.clock.with_suffix(".new")
        new.write_text(f"{seconds:+d}")
        new.replace(self.clock)

    def clock_environment(self) -> dict[str, str]:
        """For a process that is to have that clock: libfaketime where it is installed, else a shim in the process."""
        library = faketime()
        if library is None:
            return {"CHAOS_CLOCK": str(self.clock)}
        return {
            "LD_PRELOAD": library,
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_RESET": "1",
        }

    def fill_disk(self) -> None:
        """Not a byte is left on the small disk."""
        with (self.disk / "filler").open("ab", buffering=0) as filler:
            for size in (65_536, 512, 1):
                try:
                    while filler.tell() < 2 * DISK:
                        filler.write(b"\0" * size)
                except OSError:
                    continue

    def empty_disk(self) -> None:
        """Room again."""
        (self.disk / "filler").unlink(missing_ok=True)

    def close(self) -> None:
        for cluster in self._clusters:
            cluster.stop()
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.disk)], check=True)


def faketime() -> str | None:
    """The library that gives a process another clock, where there is one that works (Debian: libfaketime). With some
    versions every ``time.sleep`` of Python fails."""
    places = [os.environ.get("FAKETIME_LIBRARY", ""), ctypes.util.find_library("faketimeMT") or ""]
    places += map(str, Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return next((place for place in places if place and Path(place).is_file() and _sleeps(place)), None)


@cache
def _sleeps(library: str) -> bool:
    environment = {**os.environ, "LD_PRELOAD": library, "FAKETIME": "+1h", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    command = [sys.executable, "-c", "import time; time.sleep(0.01)"]
    return subprocess.run(command, env=environment, check=False, capture_output=True).returncode == 0


def _mount(folder: Path) -> bool:
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "karat-chaos", str(folder)]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


@contextmanager
def _s3() -> Iterator[tuple[Proxy, Bucket]]:
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    proxy = Proxy(host, port)
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{proxy.port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}")
    client.create_bucket(Bucket="chaos")
    try:
        yield proxy, Bucket(client, "chaos", proxy)
    finally:
        proxy.close()
        server.stop()


@contextmanager
def a_world(workers: int = 2) -> Iterator[World]:
    """All servers, started and stopped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server

    before = dict(os.environ)
    folder = Path(tempfile.mkdtemp(prefix="karat-chaos-"))
    server = get_server(folder / "pg", cleanup_mode="stop")
    try:
        with cutting(server.get_uri().partition("host=")[2]) as proxy, _s3() as (s3, bucket):
            world = World(folder, server, proxy, s3, bucket, workers)
            try:
                yield world
            finally:
                world.close()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
        os.environ.clear()
        os.environ.update(before)
