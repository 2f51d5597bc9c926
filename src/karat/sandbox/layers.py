"""Which sandbox layers this machine has, which of them a sandbox will use, and when they are too few."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.problems import UserError
from karat.sandbox.isolation import bubblewrap, cgroups
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
    """Every layer of the sandbox, outermost first: whether this machine has it, and what to install or allow if not.

    >>> from karat import sandbox
    >>> missing = [f"{layer.name}: {layer.install}" for layer in sandbox.layers() if not layer.on]
    """
    if sys.platform != "linux":
        return (Layer("sandbox", False, f"not on {sys.platform}", _NEEDS_LINUX),)
    return plan().layers


_NEEDS_LINUX = "use Linux (a container or a virtual machine is enough)"


def plan(without: Collection[Name] = (), *, unsafe: bool = True) -> Plan:
    """All that is available, less what is to be left out. Too little is a UserError unless ``unsafe``."""
    if sys.platform != "linux":
        raise UserError(f"the sandbox does not work on {sys.platform}", hint=f"To run generated code, {_NEEDS_LINUX}.")
    from karat.sandbox.isolation import identity  # it, and the kernel's doors below, cannot even be imported elsewhere
    from karat.sandbox.server.isolation import landlock

    filtered = _left_out(_seccomp()) if "seccomp" in without else _seccomp()
    found = [_user(), _bubblewrap(), _landlock(filtered.on), filtered, *_cgroups()]
    found = [_left_out(layer) if layer.name in without else layer for layer in found]
    on = {layer.name for layer in found if layer.on}
    own = _namespaces("bubblewrap" in on)
    found.insert(2, _left_out(own) if own.name in without else own)
    fixed = [
        Layer("warm server", True, "forks for each snippet, with limits on memory, time, files and threads"),
        Layer(
            "clock and caps",
            True,
            "the caller keeps its own clock; output and answers are limited and checked, never unpickled",
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
    """An unprivileged user, and something that keeps files and the network out: bubblewrap, or Landlock with
    seccomp."""
    if "user" in on and (made.bubblewrap or (made.landlock and made.seccomp)):
        return
    off = [
        layer for layer in made.layers if not layer.on and layer.name in ("user", "bubblewrap", "landlock", "seccomp")
    ]
    words = "; ".join(f"{layer.name}: {layer.detail}" for layer in off)
    todo = "; or ".join(layer.install for layer in off if layer.install)
    raise UserError(
        f"this machine has too few sandbox layers to run generated code ({words})",
        hint=f"To fix it: {todo}. `karat doctor` shows all layers. --option unsafe=yes runs the code anyway, at your "
        "own risk.",
    )


def _left_out(layer: Layer) -> Layer:
    return Layer(layer.name, False, "switched off on request", layer.install or "do not switch it off")


def _may(name: str) -> bool:
    """Whether this process has the capability."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("CapEff:"):
            return bool(int(line.split()[1], 16) >> _CAPABILITIES[name] & 1)
    return False


def _user() -> Layer:
    from karat.sandbox.isolation import identity

    if os.geteuid() != 0:
        if os.getuid() != os.geteuid():
            return Layer(
                "user",
                False,
                "started with another user's permissions (set-user-id)",
                "start karat without set-user-id",
            )
        return Layer("user", True, f"runs as an ordinary user (uid {os.getuid()})")
    todo = "start karat as an ordinary user"
    if not (_may("setuid") and _may("setgid")):
        return Layer("user", False, "running as root without permission to switch to another user", todo)
    if not identity.unused_number():
        return Layer("user", False, "running as root, and no unused user id is available", todo)
    return Layer("user", True, "running as root: each sandbox server runs under its own unprivileged user")


def _bubblewrap() -> Layer:
    trouble = bubblewrap.trouble(os.geteuid())
    if trouble:
        return Layer("bubblewrap", False, trouble, bubblewrap.INSTALL)
    return Layer(
        "bubblewrap", True, "no network, no access to other processes, a read-only system that contains only Python"
    )


def _namespaces(with_bubblewrap: bool) -> Layer:
    if with_bubblewrap:
        return Layer("namespaces", True, "created by bubblewrap")
    if os.geteuid() == 0 and _may("sys_admin"):
        return Layer(
            "namespaces", True, "created by the server itself, as root: network, processes, mounts, shared memory"
        )
    return Layer("namespaces", False, "shared with the rest of the machine", bubblewrap.INSTALL)


def _landlock(filtered: bool) -> Layer:
    """Before version 3 anyone who may write to a file can truncate it, so the filter of system calls must be on too."""
    from karat.sandbox.server.isolation import landlock

    version = landlock.version()
    if not version:
        return Layer(
            "landlock",
            False,
            "not supported by the kernel, or switched off",
            "use Linux 5.13 or newer with Landlock enabled",
        )
    detail = f"version {version}: a snippet can read only Python's files and its own folder"
    if version < landlock.KNOWS_TRUNCATE and not filtered:
        why = (
            f"version {version} cannot prevent files from being truncated, and there is no seccomp filter to prevent it"
        )
        return Layer("landlock", False, why, "use Linux 6.2 or newer, or a machine with seccomp")
    if version < landlock.KNOWS_TRUNCATE:
        detail += "; it cannot prevent files from being truncated (Linux 6.2 can), so the seccomp filter does"
    return Layer("landlock", True, detail)


def _seccomp() -> Layer:
    from karat.sandbox.server.isolation import seccomp

    if not seccomp.machine():
        return Layer(
            "seccomp",
            False,
            "no list of allowed system calls for this machine; code could also hide CPU time and memory in its own "
            "subprocesses",
            "use an x86_64 or aarch64 machine",
        )
    if not Path("/proc/sys/kernel/seccomp/actions_avail").exists():
        return Layer("seccomp", False, "not supported by the kernel", "use a kernel with seccomp filters")
    return Layer("seccomp", True, f"allows only listed system calls ({seccomp.machine()})")


def _cgroups() -> tuple[Layer, Layer]:
    places = cgroups.parents()
    todo = "run karat in a delegated cgroup (systemd-run --user --scope -p Delegate=yes)"

    def layer(controller: str, otherwise: str) -> Layer:
        name = f"{controller} cgroup"
        return (
            Layer(name, True, "a hard limit for each server")
            if controller in places
            else Layer(name, False, otherwise, todo)
        )

    return layer("memory", "memory is limited by rlimits only"), layer("pids", "processes are limited by rlimits only")
