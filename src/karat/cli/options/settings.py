"""Values that are written as ``NAME=VALUE`` or between commas."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.problems import UserError


def bound_tables(written: Sequence[str]) -> dict[str, Path]:
    """``NAME=FILE`` of each ``--table``."""
    found: dict[str, Path] = {}
    for pair in written:
        name, equals, path = pair.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise UserError(
                f'--table "{pair}" is not NAME=FILE', hint="For example --table Ingredients=ingredients.csv"
            )
        found[name.strip()] = Path(path.strip())
    return found


def named_models(written: str) -> list[str]:
    """The models and rankers between commas, each once; a comma in parentheses belongs to a ranker."""
    from karat.search.rankers.parse import split_expressions

    names = split_expressions(written)
    if not names:
        raise UserError("--models is empty", hint="For example --models bm25,wordllama; karat models lists them.")
    return names


def column_maps(maps: Sequence[str]) -> dict[str, list[str]]:
    """``FIELD=COLUMN`` of each ``--map``: field → columns."""
    found: dict[str, list[str]] = {}
    for pair in maps:
        field, equals, column = pair.partition("=")
        if not equals or not field.strip() or not column.strip():
            raise UserError(f'--map "{pair}" is not FIELD=COLUMN', hint="For example --map question=Prompt")
        found.setdefault(field.strip(), []).append(column.strip())
    return found
