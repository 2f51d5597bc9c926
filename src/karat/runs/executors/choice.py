"""Which engine scores: what the caller named, a pool of processes for a heavy suite, else this process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl

from karat.core.problems import UserError, did_you_mean, nearest
from karat.core.suite import Suite

Kind = Literal["in-process", "processes", "dask-local", "dask"]
FORMS = {
    "in-process": "in-process",
    "processes": "processes:4",
    "dask-local": "dask-local:4",
    "dask": "dask://HOST:8786",
    "tls": "tls://HOST:8786",
    "tcp": "tcp://HOST:8786",
}
"""What an executor is called, and how it is written."""
TIMEOUT = 600.0
"""Seconds after which a worker that has not finished its batch is given up."""
MOST_WORKERS = 1_024
_COUNTED = re.compile(r"(processes|dask-local)(?::(.*))?", re.ASCII)
_HOST = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})", re.ASCII)


@dataclass(frozen=True)
class Choice:
    """An executor as it was written down."""

    kind: Kind
    count: int | None = None
    address: str = ""
    """Where the scheduler is, as Dask writes it: ``tcp://HOST:PORT`` or ``tls://HOST:PORT``."""
    timeout: float = TIMEOUT


def parse_executor(text: str) -> Choice:
    """An executor from its text. UserError says what is wrong with it and what it may be."""
    name, _, settings = text.strip().partition("?")
    timeout = _timeout(text, settings)
    if name == "in-process":
        return Choice("in-process", timeout=timeout)
    if counted := _COUNTED.fullmatch(name):
        kind: Kind = "processes" if counted[1] == "processes" else "dask-local"
        return Choice(kind, _count(text, kind, counted[2]), timeout=timeout)
    scheme, slashes, place = name.partition("://")
    if slashes and scheme in ("dask", "tcp", "tls"):
        place = place.rstrip("/")
        found = _HOST.fullmatch(place)
        if not found or not 0 < int(found[1]) < 65_536:
            shown = _without_password(place)
            hint = f'For example "{FORMS[scheme]}". A Dask scheduler prints its address when it starts.'
            raise UserError(f'the executor "{scheme}://{shown}" does not name a host and a port', hint=hint)
        return Choice("dask", address=f"{'tls' if scheme == 'tls' else 'tcp'}://{place}", timeout=timeout)
    word = re.split(r"[:/]", name, maxsplit=1)[0]
    close = nearest(word, FORMS)
    hint = f'Did you mean "{FORMS[close[0]]}"?' if close else f"Available: {', '.join(FORMS.values())}."
    raise UserError(f'unknown executor "{_without_password(name)}"', hint=hint)


def _count(text: str, kind: Kind, given: str | None) -> int | None:
    if given is None:
        return None
    if not (given.isascii() and given.isdigit() and len(given) < 6 and 1 <= int(given) <= MOST_WORKERS):
        said = f'the executor "{text}" must name a whole number of processes, 1 to {MOST_WORKERS:,}'
        raise UserError(said, hint=f'For example "{FORMS[kind]}".')
    return int(given)


def _timeout(text: str, settings: str) -> float:
    timeout = TIMEOUT
    for key, value in parse_qsl(settings, keep_blank_values=True):
        if key != "timeout":
            said = f'unknown setting "{key}" of the executor "{_without_password(text.partition("?")[0])}"'
            raise UserError(said, hint=did_you_mean(key, ["timeout"]))
        try:
            timeout = float(value)
        except ValueError:
            timeout = 0.0
        if not 0 < timeout <= 1e6:
            raise UserError(f'the timeout of an executor is a number of seconds above 0, not "{value}"')
    return timeout


def _without_password(place: str) -> str:
    """The address as it may be shown: without anything before an @."""
    head, at, rest = place.rpartition("@")
    return f"…@{rest}" if at and head else place


def check_choice(executor: Executor | str | None, workers: int | None) -> None:
    """UserError where an executor or a number of workers cannot be used; nothing is started."""
    if workers is not None and workers < 1:
        raise UserError("workers must be at least 1")
    if executor is not None and executor != "" and workers is not None:
        raise UserError(
            "workers and executor cannot be combined", hint='Give the number with the executor: "processes:4".'
        )
    if isinstance(executor, str) and executor:
        parse_executor(executor)


def settled(
    workers: int | None, executor: str | None, file_workers: int | None, file_executor: str
) -> tuple[int | None, str | None]:
    """(workers, executor): what the command line says, else what the project file says."""
    check_choice(executor, workers)
    if workers is not None or executor:
        return workers, executor
    return (None, file_executor) if file_executor else (file_workers, None)


@contextmanager
def scoring_executor(
    suite: Suite, workers: int | None, executor: Executor | str | None = None
) -> Iterator[Executor | None]:
    """Where scoring runs: on what was given or named; on processes when asked for, or when the suite is heavy; else
    right here (None)."""
    check_choice(executor, workers)
    if isinstance(executor, Executor):
        yield executor
        return
    choice = parse_executor(executor) if executor else Choice("processes", workers)
    if not executor and (workers == 1 or (workers is None and not suite.cpu_heavy)):
        choice = Choice("in-process")
    if choice.kind == "processes" and not sys.executable:  # a program that has Python inside may not say where one is
        choice = Choice("in-process")
    if choice.kind == "in-process":
        yield None
    elif choice.kind == "processes":
        from karat.runs.executors.processes import Processes

        with Processes(choice.count, choice.timeout) as pool:
            yield pool
    else:
        from karat.runs.executors.dask_cluster import open_dask

        with open_dask(choice.address, choice.count, choice.timeout) as cluster:
            yield cluster
