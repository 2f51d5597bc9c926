"""Which walls this machine has, which of them a sandbox will use, and when they are too few."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.problems import UserError
from karat.sandbox import bubblewrap, cgroups
from karat.sandbox.records import Layer

Name = Literal["user", "bubblewrap", "namespaces", "landlock", "seccomp", "memory cgroup", "pids cgroup"]
_CAPABILITIES = {"setgid": 6, "setuid": 7, "sys_admin": 21}


class Plan(msgspec.Struct, frozen=True):
    """What a server is started with."""

    become: int
    """The user to become; 0: stay who we are."""
    bubblewrap: bool
    namespaces: bool
    landlock: int
    """The kernel's version of it; 0: not used."""
    seccomp: bool
    memory_cgroup: bool
    pids_cgroup: bool
    layers: tuple[Layer, ...]

    @property
    def own_user(self) -> bool:
        """Whether nobody else's processes count against the limit of this server."""
        return bool(self.become) or self.bubblewrap


def layers() -> tuple[Layer, ...]:
    """Every wall, outermost first, whether it stands here, and what to install or allow where it does not."""
    if sys.platform != "linux":
        return (Layer("sandbox", False, f"not on {sys.platform}", _NEEDS_LINUX),)
    return plan().layers


_NEEDS_LINUX = "run it on Linux (a container or a virtual machine will do)"


def plan(without: Collection[Name] = (), *, unsafe: bool = True) -> Plan:
    """All that is available, less what is to be left out. Too little is a UserError unless ``unsafe``."""
    if sys.platform != "linux":
        raise UserError(f"the sandbox does not work on {sys.platform}", hint=f"To run generated code, {_NEEDS_LINUX}.")
    from karat.sandbox import identity  # it, and the kernel's doors below, cannot even be imported elsewhere
    from karat.sandbox.server import landlock

    filtered = _left_out(_seccomp()) if "seccomp" in without else _seccomp()
    found = [_user(), _bubblewrap(), _landlock(filtered.on), filtered, *_cgroups()]
    found = [_left_out(layer) if layer.name in without else layer for layer in found]
    on = {layer.name for layer in found if layer.on}
    own = _namespaces("bubblewrap" in on)
    found.insert(2, _left_out(own) if own.name in without else own)
    fixed = [
        Layer("warm server", True, "one fork for each snippet, with limits on memory, time, files and threads"),
        Layer(
            "clock and caps", True, "the caller's own clock; output and answers are cut and checked, never unpickled"
        ),
    ]
    made = Plan(
        become=identity.unused_number() if os.geteuid() == 0 and "user" in on else 0,
        bubblewrap="bubblewrap" in on,
        namespaces="bubblewrap" not in on and found[2].on,
        landlock=landlock.version() if "landlock" in on else 0,
        seccomp="seccomp" in on,
        memory_cgroup="memory cgroup" in on,
        pids_cgroup="pids cgroup" in on,
        layers=(*found, *fixed),
    )
    if not unsafe:
        _refuse_too_little(made, on)
    return made


def _refuse_too_little(made: Plan, on: set[str]) -> None:
    """An unprivileged user, and something that keeps files and the network out: bubblewrap, or Landlock with seccomp."""
    if "user" in on and (made.bubblewrap or (made.landlock and made.seccomp)):
        return
    off = [
        layer for layer in made.layers if not layer.on and layer.name in ("user", "bubblewrap", "landlock", "seccomp")
    ]
    words = "; ".join(f"{layer.name}: {layer.detail}" for layer in off)
    todo = "; or ".join(layer.install for layer in off if layer.install)
    raise UserError(
        f"this machine has too few walls to run generated code behind ({words})",
        hint=f"To mend it: {todo}. `karat doctor` shows all layers. --unsafe runs the code anyway, at your own risk.",
    )


def _left_out(layer: Layer) -> Layer:
    return Layer(layer.name, False, "left out on request", layer.install or "do not leave it out")


def _may(name: str) -> bool:
    """Whether this process has the capability."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _CAPABILITIES[name] & 1)
    return False


def _user() -> Layer:
    from karat.sandbox import identity

    if os.geteuid() != 0:
        if os.getuid() != os.geteuid():
            return Layer("user", False, "started with the rights of another user", "start karat without set-user-id")
        return Layer("user", True, f"an ordinary user (number {os.getuid()})")
    todo = "start karat as an ordinary user"
    if not (_may("setuid") and _may("setgid")):
        return Layer("user", False, "root that may not become another user", todo)
    if not identity.unused_number():
        return Layer("user", False, "root, and no other user number exists here", todo)
    return Layer("user", True, "root: every server becomes a user that nobody else is")


def _bubblewrap() -> Layer:
    trouble = bubblewrap.trouble(os.geteuid())
    if trouble:
        return Layer("bubblewrap", False, trouble, bubblewrap.INSTALL)
    return Layer("bubblewrap", True, "no network, no other processes, a read-only system with nothing but Python in it")


def _namespaces(with_bubblewrap: bool) -> Layer:
    if with_bubblewrap:
        return Layer("namespaces", True, "made by bubblewrap")
    if os.geteuid() == 0 and _may("sys_admin"):
        return Layer(
            "namespaces", True, "made by the server itself, as root: network, processes, mounts, shared memory"
        )
    return Layer("namespaces", False, "shared with the rest of the machine", bubblewrap.INSTALL)


def _landlock(filtered: bool) -> Layer:
    """Before version 3 it lets anyone who may write to a file empty it; then the filter of system calls has to stand beside it."""
    from karat.sandbox.server import landlock

    version = landlock.version()
    if not version:
        return Layer(
            "landlock", False, "the kernel has none, or it is switched off", "use Linux 5.13 or newer with Landlock on"
        )
    detail = f"version {version}: a snippet reads Python's files and its own folder, no others"
    if version < landlock.KNOWS_TRUNCATE and not filtered:
        why = f"version {version} cannot keep files from being emptied, and no list of system calls does it instead"
        return Layer("landlock", False, why, "use Linux 6.2 or newer, or a machine with a list of system calls")
    if version < landlock.KNOWS_TRUNCATE:
        detail += "; it cannot keep files from being emptied (Linux 6.2 can), so the list of system calls does"
    return Layer("landlock", True, detail)


def _seccomp() -> Layer:
    from karat.sandbox.server import seccomp

    if not seccomp.machine():
        return Layer(
            "seccomp",
            False,
            "no list of system calls for this machine; code could also hide processor time and memory in processes of its own",
            "use an x86_64 or aarch64 machine",
        )
    if not Path("/proc/sys/kernel/seccomp/actions_avail").exists():
        return Layer("seccomp", False, "the kernel has none", "use a kernel with seccomp filters")
    return Layer("seccomp", True, f"a list of allowed system calls for {seccomp.machine()}")


def _cgroups() -> tuple[Layer, Layer]:
    places = cgroups.parents()
    todo = "run karat in a cgroup of its own that it may change (systemd-run --user --scope -p Delegate=yes)"

    def layer(controller: str, otherwise: str) -> Layer:
        name = f"{controller} cgroup"
        return (
            Layer(name, True, "a hard limit for each server")
            if controller in places
            else Layer(name, False, otherwise, todo)
        )

    return layer("memory", "rlimits alone limit memory"), layer("pids", "rlimits alone limit processes")
