"""What an answer depends on, as one key: requests with the same key may share their answer, as far as Karat can know.

The key covers the settings of the system, the values of the environment variables that they name, the files in
``depends_on``, the messages exactly as they are sent (after the prompt was rendered), the case, the turn and the
repeat. Whatever of this changes, the key is another one and the system is asked again.

An ``openai`` system says in its settings which model answers. What is behind a URL, a command or a function cannot be
seen from here: such a system must say its ``version``, or name the files it ``depends_on``.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.json_types import Json
from karat.core.problems import UserError
from karat.core.system import Request, SystemConfig
from karat.systems.environment import expand

FORMAT = 1
"""Part of every key. Raise it when a type of system sends something else for the same settings and messages."""
NEUTRAL = frozenset(
    ("concurrency", "requests_per_minute", "timeout", "retries", "backoff", "prices", "version", "depends_on")
)
"""Settings that decide when a question is sent and what it costs, not what is answered; and the two that are resolved
below."""
SKIPPED = frozenset((".git", ".karat", "__pycache__"))
"""Folders that are no part of a program: what runs leave behind."""


def cannot_reuse(config: SystemConfig) -> str:
    """Why answers of this system must not be reused; empty when they may be."""
    if config.version.strip() or config.depends_on or plugins.load(plugins.SYSTEMS, config.type).settings_tell_all:
        return ""
    hidden = f"the program behind a system of type {config.type}"
    return f"Karat cannot see when {hidden} changes, so its answers are not reused"


def answer_keys(config: SystemConfig) -> Callable[[Request], str]:
    """The key of each request to a system with these settings. The settings and the files are read once, now."""
    encode = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode
    settings: Json = {name: value for name, value in msgspec.to_builtins(config).items() if name not in NEUTRAL}
    version, _ = expand(config.version, "the version of the system")
    files = [(index, _digest(Path(path))) for index, path in enumerate(config.depends_on)]
    fixed = hashlib.sha256(encode([FORMAT, _with_variables(settings), version, files]))

    def key(request: Request) -> str:
        digest = fixed.copy()
        again = [request.again] if request.again else []
        digest.update(encode([request.case_id, request.turn, request.repeat, request.messages, *again]))
        return digest.hexdigest()

    return key


def _with_variables(value: Json) -> Json:
    """Settings with the value of every environment variable that they name: another value is another setting."""
    if isinstance(value, str):
        try:
            return expand(value, "")[0]
        except UserError:  # not set: the system itself says so, or it is no variable but a part of a text
            return value
    if isinstance(value, dict):
        return {key: _with_variables(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_with_variables(part) for part in value]
    return value


def _digest(path: Path) -> str:
    """A hash of a file, or of all files below a folder with their names."""
    digest = hashlib.sha256()
    try:
        for name, file in _files(path):
            digest.update(f"{name}\0{file.stat().st_size}\0".encode(errors="surrogateescape"))
            with file.open("rb") as opened:
                while block := opened.read(1 << 20):
                    digest.update(block)
    except OSError as error:
        hint = "depends_on lists the files and folders that make up the system. Paths are relative to karat.yaml."
        raise UserError(f"depends_on: {path} cannot be read: {error.strerror or error}", hint=hint) from error
    return digest.hexdigest()


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    if not path.is_dir():
        yield "", path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_file():  # no sockets, no links that lead nowhere
                yield file.relative_to(path).as_posix(), file
