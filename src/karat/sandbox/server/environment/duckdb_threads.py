"""One thread for DuckDB, as for the other libraries: what code measures must not depend on the processors of a machine.

DuckDB has no setting for this outside of its connections. So a connection gets one thread unless the code asks for
more, and code that uses the module's own connection finds one that was made this way.
"""

from __future__ import annotations

import re
import sys
from typing import Any  # Any: DuckDB's module, which is not imported here

SETTINGS = {"threads": 1}
_USES_DEFAULT = re.compile(r"\bduckdb\.(?!connect\b)\w+\s*\(|\bfrom\s+duckdb\s+import\b")


def limit(module: Any) -> None:
    """Make one thread the usual in this process and its children."""
    connect = module.connect

    def connect_with_one_thread(
        database: Any = ":memory:", read_only: bool = False, config: Any = None, **more: Any
    ) -> Any:
        if str(database) == ":default:":
            return connect(database, read_only, **more)
        return connect(database, read_only, {**SETTINGS, **(config or {})}, **more)

    module.connect = connect_with_one_thread


def before(code: str) -> None:
    """Give the module its own connection if the code is going to use it."""
    module: Any = sys.modules.get("duckdb")
    if module is None or not _USES_DEFAULT.search(code) or not hasattr(module, "set_default_connection"):
        return
    if not getattr(module, "_one_thread", False):
        module.set_default_connection(module.connect())
        module._one_thread = True
