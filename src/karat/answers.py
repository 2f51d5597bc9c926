"""The matching functions of the suite ``answers``, with the names and parameters of Spider2's evaluator. As a program,
``python -m karat.answers --result_dir DIR --gold_dir DIR``, it takes the arguments of Spider2's ``evaluate.py``.

    from karat.answers import table_match

    verdict = table_match("result.csv", "gold.csv", condition_cols=[0, 1], ignore_order=True)
    verdict.score, verdict.reason, verdict.evidence

>>> from karat.answers import number_match
>>> number_match("It has 120 seats.", 120).score
1

Every function takes the parameters of Spider2's evaluator with the same defaults, and ``profile="spider2"`` (the
default) or ``"strict"``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import ModuleType
from typing import Literal

from karat.core.json_types import JsonObject
from karat.suites.answers.records import Verdict

Profile = Literal["spider2", "strict"]
Nulls = Literal["equal", "zero"]
File = str | os.PathLike[str]

__all__ = ["Verdict", "duckdb_match", "number_match", "string_match", "table_match", "tables_match"]


def _profile(name: Profile) -> ModuleType:
    from importlib import import_module

    if name not in ("spider2", "strict"):
        raise ValueError(f"profile must be spider2 or strict, not {name!r}")
    return import_module(f"karat.suites.answers.{name}")


def _name(file: File) -> str:
    return os.fspath(file)


def _names(files: File | Sequence[File]) -> str | list[str]:
    return os.fspath(files) if isinstance(files, str | os.PathLike) else [os.fspath(file) for file in files]


def _more(profile: Profile, nulls: Nulls) -> JsonObject:
    return {"nulls": nulls} if profile == "spider2" else {}


def string_match(
    pred: str,
    gold: str | Sequence[str],
    conj: str = "or",
    exclude: Sequence[str] | None = (),
    *,
    profile: Profile = "spider2",
) -> Verdict:
    """Whether the text of an answer contains the gold texts and none of the excluded ones. ``conj``: ``or`` (one is
    enough) or ``and``.

    >>> import karat
    >>> karat.answers.string_match("The ferry is the Aurora.", ["Aurora"], profile="strict").score
    1
    """
    excluded = (
        exclude if profile == "spider2" else exclude or ()
    )  # null fails every answer there, and excludes nothing here
    found: Verdict = _profile(profile).string_match(pred, gold, conj=conj, exclude=excluded)
    return found


def number_match(
    pred: str,
    gold: object,
    percentage: bool = False,
    precision: int | None = None,
    conj: str = "or",
    *,
    profile: Profile = "spider2",
) -> Verdict:
    """Whether the text of an answer contains the gold numbers. ``precision``: decimals; 4 by default in ``spider2``.

    >>> import karat
    >>> karat.answers.number_match("It has 120 seats.", 120).score
    1
    """
    decimals = 4 if precision is None and profile == "spider2" else precision
    found: Verdict = _profile(profile).number_match(pred, gold, percentage=percentage, precision=decimals, conj=conj)
    return found


def table_match(
    result: File,
    gold: File | Sequence[File],
    condition_cols: Sequence[object] | None = (),
    ignore_order: bool = False,
    *,
    profile: Profile = "spider2",
    nulls: Nulls = "equal",
) -> Verdict:
    """Whether a CSV file matches a gold file, or any of several.

    >>> from pathlib import Path
    >>> import karat
    >>> gold, given = Path("gold.csv"), Path("given.csv")
    >>> _ = gold.write_text("ship,seats\\nAurora,120\\nBorealis,80\\n")
    >>> _ = given.write_text("ship,seats\\nBorealis,80\\nAurora,120\\n")
    >>> karat.answers.table_match(given, gold, ignore_order=True, profile="strict").score
    1
    """
    more = _more(profile, nulls)
    found: Verdict = _profile(profile).table_match(_name(result), _names(gold), condition_cols, ignore_order, **more)
    return found


def tables_match(
    result: Sequence[File],
    gold: Sequence[File],
    condition_cols: Sequence[object] | None = None,
    ignore_orders: Sequence[bool] | None = None,
    *,
    profile: Profile = "spider2",
    nulls: Nulls = "equal",
) -> Verdict:
    """Whether each of several CSV files matches its gold file.

    >>> from pathlib import Path
    >>> import karat
    >>> Path("gold.csv").write_text("seats\\n120\\n")
    10
    >>> karat.answers.tables_match(["gold.csv"], ["gold.csv"]).score
    1
    """
    found: Verdict = _profile(profile).tables_match(
        _names(result), _names(gold), condition_cols, ignore_orders, **_more(profile, nulls)
    )
    return found


def duckdb_match(
    result: File,
    gold: File,
    condition_tabs: Sequence[str] | None = None,
    condition_cols: Sequence[object] | None = None,
    ignore_orders: Sequence[bool] | None = None,
    *,
    profile: Profile = "spider2",
    nulls: Nulls = "equal",
) -> Verdict:
    """Whether the tables of a DuckDB file match those of a gold file.

    >>> import duckdb, karat
    >>> with duckdb.connect("gold.duckdb") as database:
    ...     _ = database.execute("CREATE TABLE ship AS SELECT 'Aurora' AS name, 120 AS seats")
    >>> karat.answers.duckdb_match("gold.duckdb", "gold.duckdb", condition_tabs=["ship"]).score
    1
    """
    found: Verdict = _profile(profile).duckdb_match(
        _name(result), _name(gold), condition_tabs, condition_cols, ignore_orders, **_more(profile, nulls)
    )
    return found


if __name__ == "__main__":
    import sys

    from karat.__main__ import main

    sys.argv.insert(1, "answers")
    main()
