"""What a snippet can reach: no service, by any kind of socket, even where only the namespaces protect; and tables that
are garbage harm nobody."""

from __future__ import annotations

import random
import secrets
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow
import pytest

from karat.sandbox import Sandbox
from karat.sandbox.layers import plan
from tests.sandbox.boxes import LIMITS, SECRET, Box
from tests.sandbox.conftest import Outside

CONNECT = """
import os, socket
places = [
    (socket.AF_INET, ("127.0.0.1", @VIEWER@)),        # the viewer
    (socket.AF_INET, ("127.0.0.1", @PORT@)),
    (socket.AF_INET, ("127.0.0.1", 5432)),            # PostgreSQL
    (socket.AF_INET, ("169.254.169.254", 80)),        # keys of a cloud's machine
    (socket.AF_INET6, ("::1", @VIEWER@)),
    (socket.AF_INET6, ("fd00:ec2::254", 80)),
    (socket.AF_UNIX, "@UNIX@"),
    (socket.AF_UNIX, "\\0@ABSTRACT@"),
    (socket.AF_UNIX, "/run/postgresql/.s.PGSQL.5432"),
    (socket.AF_UNIX, "/var/run/docker.sock"),
    (40, (2, 1024)),                                  # VSOCK: the host of a virtual machine
]
result = []
for family, place in places:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            with socket.socket(family, kind) as made:
                made.settimeout(0.5)
                made.connect(place)
                if kind == socket.SOCK_DGRAM:
                    made.send(b"x")
                result.append([family, str(place), kind])
        except (OSError, AttributeError, TypeError, ValueError):
            pass
result.append(sorted(name for name in os.environ if not name.startswith(("LC_", "PYTHON"))))
"""


@pytest.fixture
def listening() -> Iterator[tuple[str, list[socket.socket]]]:
    """The attack with real listeners: TCP as the viewer is, and a socket with an abstract name."""
    name = f"karat-test-{secrets.token_hex(8)}"
    with ExitStack() as stack:
        viewer = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind(f"\0{name}")
        abstract.listen()
        code = CONNECT.replace("@VIEWER@", str(viewer.getsockname()[1])).replace("@ABSTRACT@", name)
        yield code, [viewer, abstract]


def untouched(listeners: list[socket.socket]) -> bool:
    for listener in listeners:
        listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            listener.accept()
    return True


def test_no_service_can_be_reached(any_box: Box, outside: Outside, listening: tuple[str, list[socket.socket]]) -> None:
    code, listeners = listening
    seen = any_box.run(outside.fill(code))
    assert seen.status == "ok" and isinstance(seen.result, list), seen
    assert seen.result[:-1] == []
    assert SECRET not in str(seen.result) and "SANDBOX_TEST_SECRET" not in seen.result[-1]
    assert untouched(listeners)


def test_the_namespaces_alone_keep_it_from_every_service(
    outside: Outside, listening: tuple[str, list[socket.socket]]
) -> None:
    if not plan().bubblewrap:
        pytest.skip("bubblewrap does not work here")
    code, listeners = listening
    with Sandbox(limits=LIMITS, without=["landlock", "seccomp"]) as box:
        seen = box.run(outside.fill(code))
    assert seen.status == "ok" and isinstance(seen.result, list), seen
    # A datagram needs no listener: in a network of its own it goes nowhere.
    assert [reached for reached in seen.result[:-1] if reached[2] == socket.SOCK_STREAM] == [] and untouched(listeners)


def test_the_attack_works_where_nothing_protects(listening: tuple[str, list[socket.socket]]) -> None:
    """Else it would prove nothing. A network of its own the snippet has even here, so what it reaches is a socket in a
    folder."""
    folder = Path(tempfile.mkdtemp(prefix="karat-outside-"))
    folder.chmod(0o777)
    with socket.socket(socket.AF_UNIX) as local:
        local.bind(str(folder / "socket"))
        (folder / "socket").chmod(0o777)
        local.listen()
        code = listening[0].replace("@PORT@", "1").replace("@UNIX@", str(folder / "socket"))
        with Sandbox(limits=LIMITS, without=["bubblewrap", "landlock", "seccomp"], unsafe=True) as box:
            seen = box.run(code)
    shutil.rmtree(folder)
    assert isinstance(seen.result, list)
    assert str(folder / "socket") in {place for _, place, kind in seen.result[:-1] if kind == socket.SOCK_STREAM}


def arrow(rows: int = 50) -> bytes:
    table = pyarrow.table(
        {"a": list(range(rows)), "b": [f"x{n}" for n in range(rows)], "c": [[n, None] for n in range(rows)]}
    )
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def test_damaged_arrow_bytes_are_an_error_or_a_valid_table_and_the_next_run_is_as_ever() -> None:
    good, draw = arrow(), random.Random(15)
    code = "import pyarrow as pa\npa.Table.from_pandas(df).validate(full=True)\nresult = len(df.to_csv())"
    with Sandbox(limits=LIMITS) as box:
        assert box.run(code, {"t": good}).status == "ok"
        outcomes = set[str]()
        for _ in range(40):
            data = bytearray(good)
            for _ in range(draw.randint(1, 6)):
                data[draw.randrange(len(data))] = draw.choice((0, 1, 127, 128, 255, draw.randrange(256)))
            if draw.random() < 0.2:
                del data[draw.randrange(len(data)) :]
            try:
                outcomes.add(box.run(code, {"t": bytes(data)}).status)
            except Exception as error:
                assert type(error).__name__ == "UserError", error
                outcomes.add("refused by the host")
        assert outcomes - {"ok"}, "no mutation did anything"
        assert box.run(code, {"t": good}).status == "ok"
