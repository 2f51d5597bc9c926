"""What a worker must have in common with the caller, so that both give the same scores: Python, Karat's own code, the
packages that scoring uses, plug-ins, and the limits set by environment variables."""

from __future__ import annotations

import hashlib
import platform
import socket
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

import msgspec

from karat.core.files.limits import LIMITS
from karat.core.installed.extras import EXTRAS
from karat.core.plugins import GROUPS, package_of
from karat.core.problems import UserError, count_of

BASE = ("karat", "msgspec", "numpy", "pyyaml", "rapidfuzz", "lark")
NOT_SCORING = (
    "postgres",
    "plot",
    "serve",
    "remote",
    "dask",
    "arrow",
    "pandas",
    "polars",
    "gpu",
    "fast",
    "bigquery",
    "snowflake",
)
"""The extras whose packages take no part in scoring, or do so through another extra."""


class Passport(msgspec.Struct, frozen=True):
    """What one process runs with."""

    host: str
    facts: dict[str, str]


@cache
def passport() -> Passport:
    """Of this process."""
    packages = dict.fromkeys(
        [
            *BASE,
            *(
                package
                for name, extra in EXTRAS.items()
                if name not in NOT_SCORING
                for package in extra.packages.values()
            ),
        ]
    )
    facts = {"Python": ".".join(platform.python_version_tuple()[:2]), "the code of karat": _code()}
    facts |= {name: _version(name.partition("[")[0]) for name in packages}
    facts |= {name: _version(name) for name in _plugins()}
    return Passport(socket.gethostname(), facts | {limit.variable: str(limit.value) for limit in LIMITS})


def differences(here: Passport, there: Passport) -> list[str]:
    """What a worker has otherwise, as a person reads it. What the caller does not have either does not matter."""
    said = []
    for name, mine in here.facts.items():
        theirs = there.facts.get(name, "")
        if mine and mine != theirs:
            what = name if name == "the code of karat" else f"{name} {theirs}" if theirs else f"no {name}"
            said.append("other code of the same version of karat" if what == name else f"{what} instead of {mine}")
    if here.facts.get("karat") != there.facts.get("karat"):  # other code is what another version means
        said = [text for text in said if not text.startswith("other code")]
    return said


def refuse_different(found: Iterable[tuple[str, list[str]]], where: str) -> None:
    """UserError that names every worker with what it has otherwise; ``found`` are (worker, differences)."""
    wrong = [f"{worker}: {', '.join(said)}" for worker, said in found if said]
    if wrong:
        shown = "; ".join(wrong[:5]) + (f"; and {len(wrong) - 5} more" if len(wrong) > 5 else "")
        raise UserError(
            f"{count_of(len(wrong), 'worker')} of {where} would not score as this machine does: {shown}",
            hint="Install the same versions on every worker, for example from one lock file or one container image.",
        )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _plugins() -> list[str]:
    found = {package_of(point) for group in GROUPS for point in entry_points(group=group)}
    return sorted(found - {"karat", "(unknown)"})


def _code() -> str:
    """A hash over the files of the package: two checkouts may have the same version and other code."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]
