"""The far end of FarBox: a sandbox of an ordinary user, one JSON line in, one out."""

from __future__ import annotations

import sys

import msgspec

from karat.sandbox import Sandbox
from tests.sandbox.boxes import LIMITS, Asked


def main() -> None:
    with Sandbox(limits=LIMITS, without=sys.argv[1:]) as sandbox:  # type: ignore[arg-type]  # names of layers
        for line in sys.stdin.buffer:
            request = msgspec.json.decode(line, type=Asked | str)
            if isinstance(request, str):
                answer: object = sandbox.server_pids()
            else:
                answer = sandbox.run(request.code, request.tables, limits=request.limits)
            sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
            sys.stdout.buffer.flush()


main()
