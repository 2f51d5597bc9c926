"""What goes wrong. Each fault does its harm at once, and may leave something to be put right after some seconds."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import get_args

from psycopg import Error

from tests.proofs.chaos.lines import Line
from tests.proofs.chaos.world import World
from tests.store.cutting_proxy import Cut

Undo = Callable[[], object]
Fault = Callable[[World, Sequence[Line], random.Random], "tuple[float, Undo] | None"]
JUMPS = (-86_400, -3_600, -30, 30, 3_600, 86_400 * 400)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _runner(lines: Sequence[Line], rng: random.Random) -> int | None:
    live = [process.pid for line in lines for process in line.live()]
    return rng.choice(live) if live else None


def kill_runner(_world: World, lines: Sequence[Line], rng: random.Random) -> None:
    """A process that runs is gone."""
    if pid := _runner(lines, rng):
        _signal(pid, signal.SIGKILL)


def interrupt_runner(_world: World, lines: Sequence[Line], rng: random.Random) -> None:
    """Somebody presses Ctrl-C."""
    begun = [process.pid for line in lines for process in line.begun()]
    if begun:
        _signal(rng.choice(begun), signal.SIGINT)


def stop_runner(_world: World, lines: Sequence[Line], rng: random.Random) -> tuple[float, Undo] | None:
    """A process sleeps for longer than its lease, and wakes up."""
    pid = _runner(lines, rng)
    if pid is None:
        return None
    _signal(pid, signal.SIGSTOP)
    return 6.0, lambda: _signal(pid, signal.SIGCONT)


def second_runner(_world: World, lines: Sequence[Line], rng: random.Random) -> None:
    """Another process wants to work on the same run; in SQLite it must be refused, unless the first is thought dead."""
    busy = [line for line in lines if line.live() and line.runs()]
    if busy:
        rng.choice(busy).start(again=True)


def kill_worker(world: World, _lines: Sequence[Line], rng: random.Random) -> tuple[float, Undo] | None:
    """A worker is gone; another comes later."""
    if not world.cluster.workers:
        return None
    world.cluster.kill(rng.choice(world.cluster.workers))
    return 1.0, lambda: world.cluster.fill(world.workers)


def hang_worker(world: World, _lines: Sequence[Line], rng: random.Random) -> tuple[float, Undo] | None:
    """A worker does not respond for a while."""
    if not world.cluster.workers:
        return None
    pid = rng.choice(world.cluster.workers).pid
    _signal(pid, signal.SIGSTOP)
    return 3.0, lambda: _signal(pid, signal.SIGCONT)


def kill_scheduler(world: World, _lines: Sequence[Line], _rng: random.Random) -> None:
    """The whole cluster is gone; runs go on with another one."""
    world.cluster.scheduler.kill()
    world.new_cluster()


def cut_connections(world: World, _lines: Sequence[Line], rng: random.Random) -> None:
    """The next commits and inserts lose their connection to the database."""
    world.proxy.cuts += rng.choices(get_args(Cut), k=rng.randint(1, 4))


def refuse_connections(world: World, _lines: Sequence[Line], rng: random.Random) -> tuple[float, Undo]:
    """Nobody can connect to the database for a while; sometimes longer than runs wait for it."""
    world.proxy.refusing = True
    world.proxy.cuts += ["before", "after"]
    return rng.choice((1.0, 9.0)), lambda: setattr(world.proxy, "refusing", False)


def restart_database(world: World, _lines: Sequence[Line], _rng: random.Random) -> None:
    """The power of the server fails for a moment."""
    world.restart_postgres()


def cut_s3(world: World, _lines: Sequence[Line], rng: random.Random) -> tuple[float, Undo]:
    """Some answers of the S3 server break off."""
    chance = random.Random(rng.random())
    world.s3.cut = lambda _: chance.random() < 0.5
    return 2.0, lambda: setattr(world.s3, "cut", lambda _: False)


def fill_disk(world: World, _lines: Sequence[Line], rng: random.Random) -> tuple[float, Undo]:
    """The disk of the SQLite store is full for a while; sometimes longer than runs wait for it."""
    world.fill_disk()
    return rng.choice((1.0, 8.0)), world.empty_disk


def clock_jumps(world: World, _lines: Sequence[Line], rng: random.Random) -> None:
    """The clock of the machine that runs is wrong from now on."""
    world.set_clock(rng.choice((0, *JUMPS)))


def server_clock_jumps(world: World, lines: Sequence[Line], rng: random.Random) -> None:
    """The clock of the database server jumps: every lease is older, or from the future."""
    seconds = rng.choice(JUMPS)
    for database in {line.past.partition("@/")[2].partition("?")[0] for line in lines if line.shared}:
        with suppress(Error):
            world.postgres.sql(f"UPDATE leases SET renewed = renewed - {seconds}", database)


QUICK: tuple[Fault, ...] = (
    kill_runner,
    interrupt_runner,
    stop_runner,
    second_runner,
    kill_worker,
    hang_worker,
    cut_connections,
    refuse_connections,
    cut_s3,
    fill_disk,
    clock_jumps,
    server_clock_jumps,
)
ALL: tuple[Fault, ...] = (*QUICK, kill_scheduler, restart_database)
