"""Under which names the viewer may be asked. A name that is not on the list may be a foreign page's, pointed at this
machine."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def host_list(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    """The exact ``Host`` headers that are answered: the address, its loopback names, and those that were named."""
    names = {_bracketed(host), *LOOPBACK} if is_loopback(host) or is_any(host) else {_bracketed(host)}
    if is_any(host):
        names |= _own_names()
    with_port = {f"{name.lower()}:{port}" for name in names}
    bare = {name.lower() for name in names} if port == 80 else set()
    return frozenset(with_port | bare | {name.lower() for name in more})


def is_any(host: str) -> bool:
    """Whether the address means every address of the machine."""
    return host in ("0.0.0.0", "::", "[::]")  # noqa: S104 (compared, not bound)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _own_names() -> set[str]:
    name = socket.gethostname()
    try:
        found = {str(item[4][0]) for item in socket.getaddrinfo(name, None)}
    except OSError:
        found = set()
    return {name, *(_bracketed(address) for address in found)}
