"""Where runs are stored: the URL of a store, and the one without a project file. Apart from the project file, so that a
command that is given a store loads nothing that reads one."""

from __future__ import annotations

import re
from pathlib import Path

_SLIP = re.compile(r"(?i)(?:postgres|sqlite)[\w+]*:(?!//)")
DEFAULT_STORE = "sqlite:///.karat/karat.db"
STORE_RETRY = 60.0
"""Seconds that a lost connection is tried again."""


def store_url(store: str, root: Path) -> str:
    """A store's URL with its SQLite path made absolute, relative to the project; a bare path is a SQLite file."""
    if _SLIP.match(store):
        return store  # refused when it is opened: no file is made by the name of a URL with its password
    if "://" not in store:
        return f"sqlite:///{root / store}"
    scheme, _, rest = store.partition(":///")
    if scheme == "sqlite" and rest and rest != ":memory:" and not Path(rest).is_absolute():
        return f"sqlite:///{root / rest}"
    return store
