"""Who starts a run: the name in ``KARAT_WHO``, else ``ci`` on a build machine, else the name of this user."""

from __future__ import annotations

import getpass
import os

WHO = "KARAT_WHO"


def started_by() -> str:
    """The name; empty where there is none."""
    named = os.environ.get(WHO)
    if named is not None:
        return named.strip()
    if os.environ.get("CI", "").lower() in ("1", "true"):
        return "ci"
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name, as in some containers
        return ""
