"""``table_match`` and ``tables_match``: is every gold column that counts somewhere among the columns of the answer?

- Gold columns are picked by position; headers do not matter, more columns are free, one column may serve several gold columns.
- ``ignore_order`` (a non-empty list counts as true) sorts each column by itself, so that scrambled rows pass.
- Cells: see :mod:`.cells`. ``nulls="zero"`` takes every null for 0 first, as the lite and snow suites do.
- Several golds: tried in turn, any may pass. Nested ``condition_cols`` belong to the golds one by one; a flat list goes to every gold
  where ``flat`` (lite, snow). No conditions at all (``None``, ``[]``, ``[[]]``) mean all columns of every gold.
- A gold that cannot be compared (a column out of range) ends the match with 0; golds before it have had their turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.columns import Nulls
from karat.suites.answers.spider2.csv_files import CsvFile
from karat.suites.answers.spider2.failures import UnreadableGold, UnreadablePrediction, never_raising
from karat.suites.answers.spider2.frames import chosen_columns, unmatched, verdict_on_columns
from karat.suites.answers.spider2.texts import match_texts


@never_raising
def table_match(
    result: str,
    gold: str | Sequence[str],
    condition_cols: Sequence[Any] | None = None,
    ignore_order: Any = False,
    *,
    nulls: Nulls = "equal",
    flat: bool = False,
) -> Verdict:
    """The verdict on a CSV file. Parameters as in the contract, with paths that can be opened."""
    found = CsvFile(str(result), UnreadablePrediction)
    if isinstance(gold, str):
        chosen = None if says_nothing(condition_cols) else condition_cols
        return _compare(CsvFile(gold, UnreadableGold), found, chosen, bool(ignore_order), nulls)
    verdict = wrong("gold_error", error="there is no gold file")
    for index, path in enumerate(gold):
        chosen = _flat(condition_cols) if flat else None
        chosen = conditions_of(condition_cols, index) if chosen is None else chosen
        latest = _compare(CsvFile(str(path), UnreadableGold), found, chosen, bool(ignore_order), nulls)
        if latest:
            return latest
        verdict = latest if index == 0 else _closer(verdict, latest)
    return verdict


@never_raising
def tables_match(
    result: Sequence[str],
    gold: Sequence[str],
    condition_cols: Sequence[Any] | None = None,
    ignore_orders: Sequence[Any] | None = None,
    *,
    nulls: Nulls = "equal",
) -> Verdict:
    """The verdict on several CSV files: gold and answer pair by place, every pair must match, more files are free."""
    for index, path in enumerate(gold):
        name = Path(path).name
        if index >= len(result):
            return wrong("missing_prediction", table=name, error=f"{len(result)} files for {len(gold)} gold tables")
        ignore_order = bool(ignore_orders[index]) if ignore_orders else False
        chosen = conditions_of(condition_cols, index)
        found = CsvFile(str(result[index]), UnreadablePrediction)
        verdict = _compare(CsvFile(str(path), UnreadableGold), found, chosen, ignore_order, nulls)
        if not verdict:
            return msgspec.structs.replace(verdict, evidence={"table": name, **verdict.evidence})
    return right()


def conditions_of(condition_cols: Sequence[Any] | None, index: int) -> Any:
    """The columns that count in gold ``index`` of several. Raises IndexError when there are conditions for fewer golds."""
    if condition_cols is None or says_nothing(condition_cols):
        return []
    if index >= len(condition_cols):
        raise IndexError(f"condition_cols has {len(condition_cols)} lists, and none for gold {index + 1}")
    own = condition_cols[index]
    if not isinstance(own, (list, tuple, type(None))):
        raise TypeError("several golds need a list of condition_cols each")
    return own


def says_nothing(condition_cols: Sequence[Any] | None) -> bool:
    """Whether no column is named for any gold."""
    return not condition_cols or list(condition_cols) in ([[]], [None])


def _flat(condition_cols: Sequence[Any] | None) -> Sequence[Any] | None:
    """A list of column numbers; None when it is nested, or says nothing."""
    if condition_cols is None or says_nothing(condition_cols) or isinstance(condition_cols[0], (list, tuple)):
        return None
    return condition_cols


def _compare(gold: CsvFile, found: CsvFile, condition: Any, ignore_order: bool, nulls: Nulls) -> Verdict:
    """Texts settle most columns; those they do not settle go to pandas."""
    wanted, given = gold.texts, None
    if wanted is not None:
        given = wanted if found.data == gold.data else found.texts
    if wanted is None or given is None:
        chosen = chosen_columns(condition, len(gold.frame.columns))
        left = chosen
    else:
        chosen = chosen_columns(condition, len(wanted.columns))
        names, width = wanted.header, len(given.columns)
        left = [position for position in chosen if not match_texts(wanted, given, position, ignore_order=ignore_order)]
        if not left or wanted.rows != given.rows:
            return verdict_on_columns(left, chosen, names, (wanted.rows, given.rows), width)
    columns = found.columns(nulls)
    missing = unmatched(gold.frame, columns, chosen, left, ignore_order=ignore_order, nulls=nulls)
    names = [str(name) for name in gold.frame.columns]
    return verdict_on_columns(missing, chosen, names, (len(gold.frame), columns.rows), len(columns))


def _closer(one: Verdict, other: Verdict) -> Verdict:
    """Of two failing verdicts the one with more columns matched: that gold was probably meant."""
    return max(one, other, key=lambda verdict: verdict.evidence.get("matched_columns", -1))
