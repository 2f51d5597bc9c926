"""From settings to an open engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from karat.core.plugins import load
from karat.core.problems import UserError, did_you_mean
from karat.engines.protocol import Engine, EngineConfig, EngineType
from karat.engines.secrets import shown_settings


def read_settings(settings: Mapping[str, object], place: str = "the engine") -> tuple[EngineType, EngineConfig]:
    """The kind of engine and its settings, checked. Values may be texts, as they come from YAML."""
    name = settings.get("engine")
    if not isinstance(name, str) or not name:
        raise UserError(f'{place} has no "engine"', hint="Set one, for example engine: sqlite.")
    kind: EngineType = load("karat.engines", name, EngineType)
    known = {field.encode_name for field in msgspec.structs.fields(kind.config)}
    for key in settings:
        if key not in known:
            raise UserError(f'{place} ({name}) has no setting "{key}"', hint=did_you_mean(key, known))
    try:
        return kind, msgspec.convert(dict(settings), kind.config, strict=False)
    except msgspec.ValidationError as error:
        shown = ", ".join(f"{key}: {value}" for key, value in shown_settings(settings).items())
        raise UserError(f"{place} cannot be read: {error}", hint=f"It is {shown}.") from None


def describe_engine(name: str) -> str:
    """What an engine says of itself. UserError when it cannot be loaded."""
    return str(load("karat.engines", name, EngineType).summary)


def open_engine(settings: Mapping[str, object], folder: Path | None = None, place: str = "the engine") -> Engine:
    """Open an engine. Relative paths and credential files are looked for in ``folder``, by default the working folder.

    >>> import sqlite3, karat
    >>> with sqlite3.connect("ships.sqlite") as database:
    ...     _ = database.execute("CREATE TABLE ship AS SELECT 'Aurora' AS name, 120 AS seats")
    >>> engine = karat.engines.open_engine({"engine": "sqlite", "path": "ships.sqlite"})
    >>> list(engine.run("SELECT name, seats FROM ship", timeout=5, row_limit=10).rows())
    [('Aurora', '120')]
    >>> engine.close()
    """
    kind, config = read_settings(settings, place)
    return kind.open(config, folder or Path.cwd())
