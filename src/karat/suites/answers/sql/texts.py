"""SQL in texts: fenced blocks, of which the last counts, or a text that is SQL as a whole.

A block beside the query, of comments or of a statement that makes an index, is no answer where another block is; words
after a query are not part of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.core.replies.fences import Block, in_languages, split

LANGUAGES = frozenset(
    {"sql", "sqlite", "sqlite3", "postgres", "postgresql", "psql", "mysql", "tsql", "plsql", "plpgsql"}
    | {"bigquery", "snowflake", "duckdb", "ansi-sql", "standardsql", "googlesql", "mssql", "t-sql", "pl-sql", "oracle"}
    | {"mariadb", "sparksql", "spark-sql", "hive", "hiveql", "presto", "trino", "redshift", "clickhouse", "databricks"}
)
UNNAMED = frozenset({"", "text", "txt", "plaintext", "plain", "code", "query"})
"""What a fence says that does not say which language is in it."""
_QUERY = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*\(*\s*"
    r"(?:select\b(?!\s+(?:the|every|each|those|your)\s+[a-z])(?:.*?\bfrom\s+[\w\"`\[(]|\s+[\d'(-])"
    r"|with\s+(?:recursive\s+)?[\w\"`\[\]]+\s*(?:\([^)]*\)\s*)?as\s*(?:not\s+materialized\s*|materialized\s*)?\("
    r"|values\s*\()",
    re.IGNORECASE | re.DOTALL,
)

_NAME = r"[\w\"`\[\].$]+"
_STATEMENT = re.compile(
    r"\s*+(?:(?:--[^\n]*+(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*+\*/)\s*+)*+"
    rf"(?:(?:drop|truncate)\s+(?:table|view|index|trigger|schema|database)\s+(?:if\s+exists\s+)?{_NAME}"
    rf"(?:\s+(?:cascade|restrict))?\s*(?:;|\Z)|truncate\s+{_NAME}\s*(?:;|\Z)"
    rf"|delete\s+from\s+{_NAME}\s*(?:;|\Z|where\b|using\b)"
    rf"|(?:insert|replace)\s+(?:or\s+\w+\s+)?into\s+{_NAME}\s*(?:\(|values\b|select\b|default\b)"
    rf"|update\s+(?:or\s+\w+\s+)?{_NAME}\s+set\s+{_NAME}\s*="
    r"|create\s+(?:or\s+replace\s+)?(?:(?:temp|temporary|unique|materialized|virtual)\s+)*"
    rf"(?:table|view|index|trigger|schema|database)\s+(?:if\s+not\s+exists\s+)?{_NAME}\s*(?:\(|as\b|on\b|;|\Z)"
    rf"|alter\s+table\s+{_NAME}\s+(?:add|drop|rename|alter|modify)\b"
    r"|attach\s+(?:database\s+)?'|pragma\s+\w+\s*(?:=|\(|;|\Z))",
    re.IGNORECASE,
)
"""A statement that is no query: what makes, changes or deletes something."""
_BESIDE = re.compile(
    r"\s*+(?:(?:--[^\n]*+(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*+\*/)\s*+)*+"
    r"(?:\Z|(?:create|alter|drop|analyze|vacuum|pragma|explain|set|grant|insert|update|delete|use|begin|commit)\b)",
    re.IGNORECASE | re.DOTALL,
)
_WORDS = re.compile(
    r"(?:\n[^\S\n]*\n\s*|;[^\S\n]*\n\s*)"
    r"(?!(?:select|from|where|group|order|having|limit|offset|union|intersect|except|join|left|right|inner|outer|full|cross"
    r"|with|and|or|on|case|when|then|else|end|window|values|fetch|qualify)\b)"
    r"[A-Z][A-Za-z'\u2019]*,?(?: [A-Za-z'\u2019`-]+){3}",
    re.IGNORECASE,
)
_PUBLIC_FENCE = re.compile(r"```sql\n(.*?)\n```", re.DOTALL)


def is_query(text: str) -> bool:
    """Whether a text begins as a query does: ``SELECT … FROM``, ``SELECT 1``, ``WITH x AS (``."""
    return _QUERY.match(text) is not None


def is_statement(text: str) -> bool:
    """Whether a text begins as a statement does that changes something: ``DROP TABLE t``, ``DELETE FROM t WHERE``. A
    sentence that begins with the same word goes on otherwise."""
    return _STATEMENT.match(text) is not None


def sql_blocks(blocks: Sequence[Block]) -> list[str]:
    """The blocks that hold SQL: by their language, or, where none says so, those without a language that begin as a
    query."""
    named = in_languages(blocks, LANGUAGES)
    found = named or [block for block in in_languages(blocks, UNNAMED) if is_query(block.text)]
    return [block.text.strip() for block in found if block.text.strip()]


def answering(blocks: Sequence[str]) -> str:
    """The block of several that is the answer: the last one that is no statement beside it, else the last."""
    return next((block for block in reversed(blocks) if not _BESIDE.match(block)), blocks[-1])


def without_words(query: str) -> str:
    """A query without the sentences after it."""
    found = _WORDS.search(query)
    return query if found is None else query[: found.start()].strip()


def sql_in(text: str) -> str:
    """The SQL in a text: its last SQL block, the inside of a text that is all one fence, or the text itself."""
    blocks, outside = split(text)
    found = sql_blocks(blocks)
    if found:
        return answering(found)
    return (blocks[0].text if len(blocks) == 1 and not outside.strip() else text).strip()


def first_sql_in(text: str) -> str:
    """The SQL that the public evaluator takes, where it is another one than ``sql_in`` gives; else empty.

    It takes the first block that is fenced exactly as it knows it (``sql`` in lower case, closed); without one, the
    first SQL block.
    """
    known = _PUBLIC_FENCE.search(text)
    found = [known[1].strip()] if known else sql_blocks(split(text)[0])
    return found[0] if found and found[0] != sql_in(text) else ""
