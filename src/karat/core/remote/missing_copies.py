"""Copies that a stored run needs and that are no longer here: they are fetched again, and are the same where the remote
files still are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from karat.core.json_types import JsonMapping
from karat.core.remote.address import is_url
from karat.core.remote.display_names import KEY, MARK
from karat.core.remote.paths import local_path

_COPY = re.compile(rb'"(/[^"]*' + re.escape(MARK.encode()) + rb"[0-9a-f]{%d})" % KEY)


def fetch_again(held: Iterable[bytes], config: JsonMapping) -> None:
    """Fetch what a run was made from, where ``held``, its stored cases or answers, names copies that were deleted."""
    mark = MARK.encode()
    trees = {tree for item in held if mark in item for tree in _COPY.findall(item)}
    if all(Path(tree.decode(errors="replace")).is_dir() for tree in trees):
        return
    for source in (config.get("cases_path"), config.get("system", {}).get("predictions")):
        if isinstance(source, str) and is_url(source):
            local_path(source)
