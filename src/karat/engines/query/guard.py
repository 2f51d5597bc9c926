"""A submitted query is read before it runs: one SELECT, nothing that writes, no files, no network.

This is the first of two protections; the second is that connections are opened read-only. What sqlglot takes for a
comment is left out of what is run, so that no engine can read more in it (MySQL runs what is in ``/*! … */``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.engines.protocol import EngineError
from karat.engines.query.refused_functions import REFUSED, VOLATILE, VOLATILE_CALLED

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

MOST_CHARACTERS = 1_000_000

_BEGINNINGS = {"SELECT", "WITH", "VALUES", "FROM", "L_PAREN", "TABLE"}
_VERBS = frozenset(
    (
        "ATTACH",
        "CHECKPOINT",
        "DETACH",
        "DO",
        "EXPORT",
        "IMPORT",
        "INSTALL",
        "LISTEN",
        "LOAD",
        "NOTIFY",
        "PUT",
        "REINDEX",
    )
)
"""Statements that are plain words to some dialects of sqlglot."""
# fmt: off
_WRITING = (
    "Alter", "AlterColumn", "Analyze", "Attach", "Cache", "Clone", "Command", "Commit", "Copy", "Create",
    "Delete", "Describe", "Detach", "Drop", "Execute", "Export", "Fetch", "Get", "Grant", "Insert", "Install",
    "Into", "Kill", "LoadData", "Lock", "Merge", "Pragma", "Put", "Refresh", "Revoke", "Rollback", "Set",
    "Show", "Summarize", "Transaction", "TruncateTable", "Uncache", "Update", "Use",
)
# fmt: on
"""Names of sqlglot's nodes that are statements of their own, or make a SELECT write or lock."""
_FILE_NAME = re.compile(
    r"(?i)[/\\*?]|://|\.(?:csv|tsv|txt|parquet|json|jsonl|ndjson|xlsx?|arrow|feather|avro|db|duckdb|ddb"
    r"|sqlite3?|gz|zst|bz2|xz|zip)$"
)


_OWN_VIEW = re.compile(r"(?i)(?:duckdb|pragma|pg)_")
"""How the names of DuckDB's own views begin; most are functions of the same name too."""

_BEGINS = re.compile(r"(?:[\s(]|--[^\n]*(?:\n|$)|/\*.*?\*/)*+(\w+|[^\s\w])?", re.DOTALL)
"""Blanks, comments and brackets, then the first word."""


def check(sql: str, dialect: str) -> str:
    """The query as it may be run. Raises EngineError: ``refused``, or ``sql_error`` when it cannot be read.

    >>> import karat
    >>> try:
    ...     karat.check_query("DROP TABLE ships", "sqlite")
    ... except karat.EngineError as error:
    ...     print(error.kind)
    refused
    """
    tokens = _tokens(sql, dialect)
    # A word that is nothing to sqlglot ("SELEC") goes on to the parser, which says what is wrong with it.
    if tokens[0].token_type.name not in {*_BEGINNINGS, "VAR"} or tokens[0].text.upper() in _VERBS:
        raise _not_a_select(tokens)
    if any(token.token_type.name == "SEMICOLON" for token in tokens):
        raise _refused("it has several statements: only one is allowed")
    _check_names(tokens, dialect)
    text = _without_comments(sql, tokens, dialect)
    tree = _parsed(text, dialect)
    if not _is_select(tree):
        raise _not_a_select(tokens)
    _check_tree(tree, dialect)
    return text


def reading(sql: str) -> str:
    """The query as it is, where it begins as one that reads. Only for a connection that refuses writes itself."""
    if len(sql) > MOST_CHARACTERS:
        raise _refused(f"it has {len(sql):,} characters: at most {MOST_CHARACTERS:,} are allowed")
    begins = _BEGINS.match(sql)
    word = (begins[1] or "").upper() if begins else ""
    if not word:
        raise EngineError("sql_error", "there is no SQL")
    if word not in ("SELECT", "WITH", "VALUES"):
        raise _refused(f"it begins with {word[:30]}: only SELECT is allowed")
    return sql


def volatile(sql: str, dialect: str) -> bool:
    """Whether the query may give another table the next time, so that its result must not be kept."""
    tokens = _tokens(sql, dialect)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        name = token.text.lower()
        called = following is not None and following.token_type.name == "L_PAREN"
        if VOLATILE.fullmatch(name) or (called and VOLATILE_CALLED.fullmatch(name)):
            return True
    return False


def _tokens(sql: str, dialect: str) -> list[Token]:
    """The query's tokens, without semicolons at its end."""
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.errors import SqlglotError

    if len(sql) > MOST_CHARACTERS:
        raise _refused(f"it has {len(sql):,} characters: at most {MOST_CHARACTERS:,} are allowed")
    if "\x00" in sql:
        raise _refused("it contains a NUL character")
    try:
        tokens = list(Dialect.get_or_raise(dialect).tokenize(sql))
    except SqlglotError as error:
        raise EngineError("sql_error", _said(error)) from None
    while tokens and tokens[-1].token_type.name == "SEMICOLON":
        tokens.pop()
    if not tokens:
        raise EngineError("sql_error", "there is no SQL")
    return tokens


def _check_names(tokens: Sequence[Token], dialect: str) -> None:
    """Functions by their names, wherever they are; INTO, which in a SELECT always writes; stages of Snowflake."""
    pattern = REFUSED[dialect]
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.token_type.name == "INTO":
            raise _refused("SELECT … INTO writes")
        if token.token_type.name == "STRING":
            continue
        name = token.text.lower()
        if following is not None and following.token_type.name == "L_PAREN" and pattern.fullmatch(name):
            raise _refused(f"the function {name} reads or changes what is outside the query's tables")
        if dialect == "snowflake" and name.startswith("@"):
            raise _refused("it reads files from a stage")


def _without_comments(sql: str, tokens: Sequence[Token], dialect: str) -> str:
    """The tokens as they are in the text, with what lies between them, except comments and hints."""
    parts: list[str] = []
    end = tokens[0].start
    for token in tokens:
        if token.token_type.name == "HINT":  # MySQL: SET_VAR and MAX_EXECUTION_TIME would undo the session's settings
            continue
        between = sql[end : token.start]
        if between.strip():
            _check_comment(between, dialect)
            between = "\n"
        parts.append(between + sql[token.start : token.end + 1])
        end = token.end + 1
    _check_comment(sql[: tokens[0].start], dialect)
    _check_comment(sql[end:], dialect)
    return "".join(parts)


def _check_comment(text: str, dialect: str) -> None:
    if dialect == "mysql" and re.search(r"/\*M?!", text):
        raise _refused("it contains a comment that MySQL would run (/*! … */)")


def _parsed(sql: str, dialect: str) -> exp.Expr:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(sql, dialect=dialect)
    except SqlglotError as error:
        raise EngineError("sql_error", _said(error)) from None
    except RecursionError:
        raise EngineError("sql_error", "it is nested too deeply to be read") from None
    if len(statements) != 1 or statements[0] is None:
        raise _refused("it has several statements: only one is allowed")
    return statements[0]


def _is_select(tree: exp.Expr) -> bool:
    from sqlglot import exp

    while isinstance(tree, exp.Subquery | exp.Paren):
        tree = tree.this
    return isinstance(tree, exp.Select | exp.SetOperation | exp.Values)


def _check_tree(tree: exp.Expr, dialect: str) -> None:
    from sqlglot import exp

    writing = tuple(found for name in _WRITING if (found := getattr(exp, name, None)) is not None)
    for node in tree.walk():
        if isinstance(node, writing) and not (isinstance(node, exp.Fetch) and isinstance(node.parent, exp.Query)):
            raise _refused(f"it contains {node.key.upper()}: only reading is allowed")
        if isinstance(node, exp.Table):
            _check_table(node, dialect)


def _check_table(table: exp.Table, dialect: str) -> None:
    if dialect == "duckdb" and _FILE_NAME.search(table.name):
        raise _refused("it reads a file or an address as a table")
    if dialect == "duckdb" and _OWN_VIEW.match(table.name) and REFUSED[dialect].fullmatch(table.name.lower()):
        raise _refused(f"the view {table.name} shows what is outside the query's tables")
    if dialect == "snowflake" and table.name.startswith("@"):
        raise _refused("it reads files from a stage")


def _not_a_select(tokens: Sequence[Token]) -> EngineError:
    return _refused(f"it begins with {tokens[0].text.upper()[:30]}: only SELECT is allowed")


def _refused(why: str) -> EngineError:
    return EngineError("refused", f"the query was not run: {why}")


def _said(error: Exception) -> str:
    """What sqlglot says, with its place, without the colours for a terminal."""
    details = getattr(error, "errors", None)
    if details:
        first = details[0]
        near = (first.get("highlight") or "")[:60]
        place = f"line {first.get('line')}, column {first.get('col')}"
        return f"{str(first.get('description')).rstrip('.')} at {place}" + (f', near "{near}"' if near else "")
    return re.sub(r"\x1b\[\d*m", "", str(error)).splitlines()[0][:300]
