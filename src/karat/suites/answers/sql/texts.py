"""SQL in texts: fenced blocks, of which the last counts, or a text that is SQL as a whole."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.core.replies.fences import Block, in_languages, split

LANGUAGES = frozenset(
    {"sql", "sqlite", "sqlite3", "postgres", "postgresql", "psql", "mysql", "tsql", "plsql", "plpgsql"}
    | {"bigquery", "snowflake", "duckdb", "ansi-sql", "standardsql"}
)
_QUERY = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*\(*\s*"
    r"(?:select\b(?:.*?\bfrom\s+[\w\"`\[(]|\s+[\d'(-])"
    r"|with\s+(?:recursive\s+)?[\w\"`\[\]]+\s*(?:\([^)]*\)\s*)?as\s*(?:not\s+materialized\s*|materialized\s*)?\("
    r"|values\s*\()",
    re.IGNORECASE | re.DOTALL,
)


_PUBLIC_FENCE = re.compile(r"```sql\n(.*?)\n```", re.DOTALL)


def is_query(text: str) -> bool:
    """Whether a text begins as a query does: ``SELECT … FROM``, ``SELECT 1``, ``WITH x AS (``."""
    return _QUERY.match(text) is not None


def sql_blocks(blocks: Sequence[Block]) -> list[str]:
    """The blocks that hold SQL: by their language, or, where none says so, those without a language that begin as a
    query."""
    named = in_languages(blocks, LANGUAGES)
    found = named or [block for block in in_languages(blocks, {""}) if is_query(block.text)]
    return [block.text.strip() for block in found if block.text.strip()]


def sql_in(text: str) -> str:
    """The SQL in a text: its last SQL block, the inside of a text that is all one fence, or the text itself."""
    blocks, outside = split(text)
    found = sql_blocks(blocks)
    if found:
        return found[-1]
    return (blocks[0].text if len(blocks) == 1 and not outside.strip() else text).strip()


def first_sql_in(text: str) -> str:
    """The SQL that the public evaluator takes, where it is another one than ``sql_in`` gives; else empty.

    It takes the first block that is fenced exactly as it knows it (``sql`` in lower case, closed); without one, the
    first SQL block.
    """
    known = _PUBLIC_FENCE.search(text)
    found = [known[1].strip()] if known else sql_blocks(split(text)[0])
    return found[0] if found and found[0] != sql_in(text) else ""
