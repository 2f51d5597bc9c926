"""``table_match`` and ``tables_match``: is every gold column that counts somewhere among the columns of the answer?

- Gold columns are picked by position (:mod:`.conditions`); headers do not matter, more columns are free, one column may
  serve several gold columns.
- ``ignore_order`` (a non-empty list counts as true) sorts each column by itself, so that scrambled rows pass.
- Cells: see :mod:`.cells`. ``nulls="zero"`` takes every null for 0 first, as the lite and snow suites do.
- Several golds: tried in turn, any may pass. A gold that cannot be compared (a column out of range) ends the match with
  0; golds before it have had their turn.
- A gold of which only the Git LFS pointer is there passes nothing: a submission from the same clone would equal it.
- Types are inferred from whole columns in ``table_match``, and piece by piece (pandas' way with long files) in
  ``tables_match`` and in the flat family.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any  # Any: parameters that the public evaluator takes in many forms

import msgspec

from karat.core.files.kinds import LFS
from karat.core.problems import count_of
from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.spider2.columns import Nulls
from karat.suites.answers.spider2.conditions import Family, chosen_columns, condition_of, flags, paired
from karat.suites.answers.spider2.csv_files import CsvFile
from karat.suites.answers.spider2.failures import UnreadableGold, UnreadablePrediction, never_raising
from karat.suites.answers.spider2.frames import unmatched, verdict_on_columns
from karat.suites.answers.spider2.texts import match_texts


@never_raising
def table_match(
    result: str,
    gold: str | Sequence[str],
    condition_cols: Sequence[Any] | None = (),
    ignore_order: Any = False,
    *,
    nulls: Nulls = "equal",
    family: Family = "contract",
) -> Verdict:
    """The verdict on a CSV file. Parameters as in the contract, with paths that can be opened."""
    whole = family != "flat"
    found = CsvFile(str(result), UnreadablePrediction, whole=whole)

    def compared(path: str, condition: Any) -> Verdict:
        file = CsvFile(path, UnreadableGold, whole=whole)
        return _compare(file, found, condition, bool(ignore_order), nulls, family)

    if isinstance(gold, str):
        return compared(gold, condition_cols)
    verdict = wrong("gold_error", error="there is no gold file")
    for index, path in enumerate(gold):
        latest = compared(str(path), condition_of(condition_cols, index, len(gold), family))
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
    """The verdict on several CSV files: gold and answer pair by place, every pair must match, and there must be as many
    of each."""
    if len(result) < len(gold):
        error = f"{count_of(len(result), 'file')} for {count_of(len(gold), 'gold table')}"
        return wrong("missing_prediction", table=Path(gold[len(result)]).name, error=error)
    if len(result) > len(gold):
        error = f"{count_of(len(result), 'file')} for {count_of(len(gold), 'gold table')}: there must be as many"
        return wrong("shape_differs", error=error)
    orders, conditions = flags(ignore_orders, len(gold)), paired(condition_cols, len(gold))
    for path, other, condition, ignore_order in zip(gold, result, conditions, orders, strict=True):
        found = CsvFile(str(other), UnreadablePrediction)
        verdict = _compare(CsvFile(str(path), UnreadableGold), found, condition, ignore_order, nulls, "contract")
        if not verdict:
            return msgspec.structs.replace(verdict, evidence={"table": Path(path).name, **verdict.evidence})
    return right()


def _compare(
    gold: CsvFile, found: CsvFile, condition: Any, ignore_order: bool, nulls: Nulls, family: Family
) -> Verdict:
    """Texts settle most columns, and the lines of large files all of them; those they do not settle go to pandas."""
    if gold.is_pointer:
        return wrong("gold_error", error=f"{Path(gold.path).name} is {LFS.noun}. {LFS.hint}")
    same = found.width_of_same(gold, ignore_order=ignore_order)
    if same is not None:
        chosen_columns(condition, same, family)
        return right()
    wanted, given = gold.texts, None
    if wanted is not None:
        given = wanted if found.data == gold.data else found.texts
    if wanted is None or given is None:
        chosen = chosen_columns(condition, len(gold.frame.columns), family)
        left = chosen
    else:
        chosen = chosen_columns(condition, len(wanted.columns), family)
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
