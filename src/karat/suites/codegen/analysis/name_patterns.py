"""Column names by a pattern of the code: ``pl.col("^a.*$")``, ``cs.matches("^a")``, DuckDB's ``COLUMNS('a.*')``.

A pattern that generated code brings along may be built to run for ever in Python's ``re``. DuckDB's regular expressions
take time that grows with the text alone, and their syntax is that of polars in everything that names of columns need.
"""

from __future__ import annotations

from collections.abc import Sequence

LONGEST = 500
"""Characters of a pattern that is looked at."""
_CHARACTERS = 200
"""Characters of a name that are looked at."""


def matching(pattern: str, names: Sequence[str]) -> list[str]:
    """The names in which the pattern is found; all of them when it cannot be read."""
    if len(pattern) > LONGEST:
        return list(names)
    try:
        import duckdb
    except ModuleNotFoundError:
        return list(names)
    try:
        with duckdb.connect(config={"threads": 1}) as engine:
            found = engine.execute(
                "SELECT unnest($1::VARCHAR[]), regexp_matches(unnest($1::VARCHAR[]), $2)",
                [[name[:_CHARACTERS] for name in names], pattern],
            ).fetchall()
    except duckdb.Error:
        return list(names)
    return [name for name, (_, fits) in zip(names, found, strict=True) if fits]
