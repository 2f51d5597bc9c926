"""The files that cases need, on a worker that may be another machine.

The caller names each file with its size and, up to 16 MiB, its hash. A worker that does not have the file, or has
another one by that name, says so before it scores: a missing gold file would otherwise read as a wrong answer. What was
fetched from a URL is fetched by the worker itself, and its path there takes the place of the caller's.
"""

from __future__ import annotations

import hashlib
import socket
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.core.records import AnyCase, Prediction
from karat.core.remote.address import HIDDEN, address_of
from karat.core.remote.display_names import is_copy, with_urls
from karat.core.suite import Suite, SuiteOptions

Work = tuple[AnyCase, Mapping[int, Mapping[int, Prediction]]]
HASHED = 16 * 1024 * 1024


class NeededFile(msgspec.Struct, frozen=True):
    """A file as the caller has it."""

    path: str
    size: int = -1
    """-1 for a folder."""
    digest: str = ""
    url: str = ""
    """Where it was fetched from; empty for a file of the caller's own."""


def needed_files(suite: Suite, batch: Sequence[Work], options: SuiteOptions) -> tuple[NeededFile, ...]:
    """The files of these cases that the caller has, each once. What the caller does not have either is a matter of
    scoring."""
    found: dict[str, NeededFile] = {}
    for case, tries in batch:
        given = [prediction for turns in tries.values() for prediction in turns.values()]
        for path in suite.files(case, given, options):
            if path not in found and (needed := _needed(path)) is not None:
                found[path] = needed
    return tuple(found.values())


def with_files_here(
    suite: Suite, batch: Sequence[Work], options: SuiteOptions, files: Sequence[NeededFile]
) -> tuple[Sequence[Work], SuiteOptions]:
    """On the worker: the work with the paths that its files have here. UserError names a file that is not here, and
    this host."""
    moved = {one.path: here for one in files if (here := _here(one)) != one.path}
    if not moved:
        return batch, options
    cases = suite.decode_cases([_moved(msgspec.json.encode(case), moved) for case, _ in batch])
    tries = [
        {repeat: {turn: _answer(one, moved) for turn, one in turns.items()} for repeat, turns in found.items()}
        for _, found in batch
    ]
    used = msgspec.json.decode(_moved(msgspec.json.encode(options), moved), type=type(options))
    return list(zip(cases, tries, strict=True)), used


def _needed(path: str) -> NeededFile | None:
    try:
        about = Path(path).stat()
        if Path(path).is_dir():
            return NeededFile(path, url=_url(path))
        digest = _digest(path, about.st_mtime_ns, about.st_size) if about.st_size <= HASHED else ""
    except (OSError, ValueError):
        return None
    return NeededFile(path, about.st_size, digest, _url(path))


def _url(path: str) -> str:
    return with_urls(path) if is_copy(path) else ""


@lru_cache(maxsize=65_536)
def _digest(path: str, _changed: int, _size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _here(file: NeededFile) -> str:
    """The path of a file on this machine."""
    known = _needed(file.path)
    if known is not None and _same(known, file):
        return file.path
    if file.url:
        return _fetched(file)
    host = socket.gethostname()
    if known is None:
        beside = "" if Path(file.path).is_absolute() else f" (looked for in {Path.cwd()})"
        raise UserError(
            f"the worker on {host} does not have the file {file.path}, which a case needs{beside}",
            hint="Put it where every worker has it at the same absolute path, such as a shared folder, or give a URL.",
        )
    raise UserError(
        f"the worker on {host} has another file {file.path} than this machine",
        hint="Copy it to the worker again, or put it into a folder that all machines share.",
    )


def _same(one: NeededFile, other: NeededFile) -> bool:
    return one.size == other.size and (not one.digest or not other.digest or one.digest == other.digest)


@cache
def _fetched(file: NeededFile) -> str:
    """The worker's own copy of a remote file."""
    host = socket.gethostname()
    address = address_of(file.url)
    if HIDDEN in file.url or address is None:
        raise UserError(
            f"the worker on {host} cannot fetch {file.url}: the secret in its URL is not sent to workers",
            hint="Give the workers their own credentials for the store, and the URL without the secret.",
        )
    from karat.core.remote.fetch import fetched

    try:
        path = str(fetched(address))
    except UserError as error:
        raise UserError(f"on the worker {host}: {error.message}", hint=error.hint) from error
    known = _needed(path)
    if known is None or not _same(known, file):
        raise UserError(
            f"{file.url} has changed since the run read it: the worker on {host} gets another content",
            hint="Start the run again, or score it again with the new files.",
        )
    return path


def _moved(text: bytes, moved: Mapping[str, str]) -> bytes:
    """JSON with these strings replaced."""
    for old, new in moved.items():
        text = text.replace(msgspec.json.encode(old), msgspec.json.encode(new))
    return text


def _answer(prediction: Prediction, moved: Mapping[str, str]) -> Prediction:
    response = _moved(prediction.response, moved)
    return prediction if response == prediction.response else msgspec.structs.replace(prediction, response=response)
