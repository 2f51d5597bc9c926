"""CSV files against gold CSV files: ``table_match`` and ``tables_match``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any  # Any: condition columns as a gold row has them: numbers, or lists of numbers

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import count_of
from karat.suites.answers.records import Verdict, right, wrong
from karat.suites.answers.strict.ties import match_with_ties
from karat.tables.explain.sample import TablePair, TableSample, sample_of
from karat.tables.files.other_forms import other_form
from karat.tables.files.reading import check_csv, header_of, read_csv
from karat.tables.matching import Match, match_tables
from karat.tables.options import CompareOptions
from karat.tables.outofcore.compare import is_huge, match_csv_files
from karat.tables.table import Limits, Table, TableError
from karat.tables.values.decimal_commas import with_points

_SHOWN = 20
_TABLES_KEPT = 4
"""Pairs of tables of which the first rows are kept for a person."""
_ROWS_KEPT, _COLUMNS_KEPT = 20, 12
_EXPLAINED = 3
"""Of several golds that do not match, this many are looked into, those with as many rows as the answer first."""


def table_match(
    result: str,
    gold: str | Sequence[str],
    condition_cols: Sequence[int] | Sequence[Sequence[int]] | None = None,
    ignore_order: bool | Sequence[bool] = False,
    *,
    ties: JsonMapping | None = None,
    options: CompareOptions | None = None,
) -> Verdict:
    """One CSV against one gold CSV or several, of which any may pass. Nested ``condition_cols`` belong to the gold in
    the same place; a flat list belongs to every gold. A gold that cannot be used counts only when no other can.
    """
    golds = [gold] if isinstance(gold, str) else list(gold)
    if not golds:
        return gold_error("gold does not name a file")
    options = options or CompareOptions()
    huge = is_huge(Path(result), *map(Path, golds)) and not ties
    try:
        pred = None if huge else read_csv(Path(result))
        if pred is None:
            header_of(Path(result), Limits())
    except TableError as error:
        unusable = [trouble for name in golds if (trouble := _trouble_of(Path(name)))]
        if len(unusable) == len(golds):
            return gold_error(*unusable)
        kind, problem = other_form(Path(result)) if error.kind in ("ragged", "columns", "unreadable") else ("", "")
        return wrong("unreadable_prediction", problem=problem or error.reason, kind=kind or error.kind)
    failed: list[_Try] = []
    problems: list[str] = []
    for index, name in enumerate(golds):
        one = _Try(Path(name), columns_for(condition_cols, index), order_ignored(ignore_order, index, len(golds)), ties)
        try:
            # Of several golds an explanation is only wanted when none passes.
            match = one.match(Path(result), pred, options, explained=len(golds) == 1)
        except TableError as error:
            problems.append(error.reason)
            continue
        if match.passed:
            return _said_which(from_match(match), one, pred, len(golds))
        failed.append(one)
    if not failed:
        return gold_error(*problems)
    kind, problem = other_form(Path(result))
    if kind:
        return wrong("unreadable_prediction", problem=problem, kind=kind)
    if pred is not None and options.no_header:
        headless = _without_header(Path(result), pred, failed, options)
        if headless is not None:
            return headless
    if pred is not None and options.separators:
        otherwise = _with_decimal_commas(Path(result), pred, failed, options)
        if otherwise is not None:
            return otherwise
    if pred is not None:
        failed.sort(key=lambda one: (one.known_settled, one.height != pred.height))
    verdicts = []
    for one in failed[:_EXPLAINED]:
        verdict = from_match(one.match(Path(result), pred, options, explained=True))
        verdicts.append(_said_which(verdict, one, pred, len(golds), problems))
    return best(verdicts)


def _trouble_of(gold: Path) -> str:
    """What can be seen to be wrong with a gold file without reading it; empty where nothing is."""
    try:
        check_csv(gold, Limits())
    except TableError as error:
        return error.reason
    return ""


def _without_header(result: Path, pred: Table, failed: Sequence[_Try], options: CompareOptions) -> Verdict | None:
    """The verdict on an answer whose first line is data: gold has one row more, and with that line as a row all rows
    agree."""
    for one in failed:
        if one.height == pred.height + 1:
            again = _Try(one.path, one.columns, one.ignore_order, one.ties)
            match = again.match(result, pred.without_header(), options, explained=False)
            if match.passed:
                named = msgspec.structs.replace(match, normalised=tuple(sorted({*match.normalised, "no_header"})))
                return _said_which(from_match(named), one, pred, len(failed))
    return None


def _with_decimal_commas(result: Path, pred: Table, failed: Sequence[_Try], options: CompareOptions) -> Verdict | None:
    """The verdict on an answer that is right where its commas are decimal commas: a person decides, as in a
    sentence."""
    fitting = [one for one in failed if one.height == pred.height]
    meant = with_points(pred) if fitting else None
    for one in fitting if meant is not None else ():
        again = _Try(one.path, one.columns, one.ignore_order, one.ties)
        match = again.match(result, meant, options, explained=False)
        if match.passed:
            evidence = {
                "problem": "the table is gold's where commas are decimal commas",
                "mapping": list(match.mapping),
            }
            verdict = Verdict("needs_review", "two_readings", evidence, (), match.cell_f1, match.row_share)
            return _said_which(verdict, one, pred, len(failed))
    return None


class _Try:
    """One gold file with its conditions."""

    def __init__(self, path: Path, columns: Sequence[int] | None, ignore_order: bool, ties: JsonMapping | None) -> None:
        self.path = path
        self.columns = columns
        self.ignore_order = ignore_order
        self.ties = ties
        self.height = -1
        self.gold: TableSample | None = None
        self.only: tuple[str, ...] = ()
        self._known: Match | None = None

    def match(self, result: Path, pred: Table | None, options: CompareOptions, *, explained: bool) -> Match:
        """Against the prediction, or against its file where that is too large to hold. Raises :class:`TableError`."""
        if self._known is None:
            self._known = self._match(result, pred, options, explained=explained)
        elif explained and pred is not None and not self._known.passed and not self._known.reason:
            self._known = self._match(result, pred, options, explained=True)
        return self._known

    @property
    def known_settled(self) -> bool:
        """Whether a rule settled it; what none could settle speaks more for the answer, and is explained first."""
        return self._known is None or self._known.settled

    def _match(self, result: Path, pred: Table | None, options: CompareOptions, *, explained: bool) -> Match:
        if pred is None:
            return match_csv_files(
                self.path, result, columns=self.columns, ignore_order=self.ignore_order, options=options
            )
        gold = read_csv(self.path)
        self.height = gold.height
        self.gold, self.only = sample(gold), names_of(gold, self.columns)
        if self.ties:
            return match_with_ties(
                gold, pred, self.ties, columns=self.columns, ignore_order=self.ignore_order, options=options
            )
        return match_tables(
            gold, pred, columns=self.columns, ignore_order=self.ignore_order, options=options, explained=explained
        )


def tables_match(
    result: Sequence[str],
    gold: Sequence[str],
    condition_cols: Sequence[Sequence[int]] | None = None,
    ignore_orders: Sequence[bool] | None = None,
    *,
    options: CompareOptions | None = None,
) -> Verdict:
    """As many CSVs as gold has, in gold's order or under gold's names; every one must pass."""
    if len(result) < len(gold):
        files = f"{count_of(len(result), 'file')} of {len(gold)}"
        return wrong("missing_prediction", problem=files, expected=[Path(name).name for name in gold][:_SHOWN])
    verdicts: dict[str, Verdict] = {}
    for index, (name, path) in enumerate(zip(gold, paired_by_name(result, gold), strict=True)):
        columns = columns_for(condition_cols, index) if condition_cols else None
        order = order_ignored(ignore_orders or False, index, len(gold))
        verdicts[Path(name).name] = table_match(path, name, columns, order, options=options)
    return all_of(verdicts)


def paired_by_name(result: Sequence[str], gold: Sequence[str]) -> list[str]:
    """The submitted file for each gold file: of the same name where every gold name is there, else in the same
    place."""
    by_name = {Path(path).name.lower(): path for path in result}
    names = [Path(name).name.lower() for name in gold]
    if all(name in by_name for name in names):
        return [by_name[name] for name in names]
    return list(result[: len(gold)])


def from_match(match: Match) -> Verdict:
    if match.passed:
        return right(normalised=match.normalised, mapping=list(match.mapping[:_SHOWN]), **match.evidence)
    if not match.settled:
        return Verdict("needs_review", match.reason, match.evidence, (), match.cell_f1, match.row_share)
    return Verdict("wrong", match.reason, match.evidence, (), match.cell_f1, match.row_share)


def gold_error(*problems: str) -> Verdict:
    return Verdict("gold_error", "gold_error", {"problem": "; ".join(problems)[:500]})


def best(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict that speaks most for the answer; of several wrong ones the nearest to right."""
    rank = {"right": 3, "needs_review": 2, "wrong": 1, "gold_error": 0}
    return max(verdicts, key=lambda verdict: (rank[verdict.state], verdict.cell_f1 or 0.0))


def all_of(verdicts: Mapping[str, Verdict]) -> Verdict:
    """One verdict over several tables that must all be right; the first that is not decides, unusable gold before
    all."""
    for state in ("gold_error", "wrong", "needs_review"):
        for name, verdict in verdicts.items():
            if verdict.state == state:
                shares = [each.cell_f1 for each in verdicts.values() if each.cell_f1 is not None]
                rows = [each.row_share for each in verdicts.values() if each.row_share is not None]
                return Verdict(
                    verdict.state,
                    verdict.reason,
                    {"table": name, **verdict.evidence},
                    (),
                    sum(shares) / len(shares) if shares else None,
                    sum(rows) / len(rows) if rows else None,
                    _all_tables(verdicts),
                )
    names = {name for verdict in verdicts.values() for name in verdict.normalised}
    whole = right(normalised=tuple(sorted(names)), tables=list(verdicts)[:_SHOWN])
    return msgspec.structs.replace(whole, tables=_all_tables(verdicts))


def _all_tables(verdicts: Mapping[str, Verdict]) -> tuple[TablePair, ...]:
    """The tables of all verdicts in gold's order, under their names."""
    pairs = ((name, pair) for name, verdict in verdicts.items() for pair in verdict.tables[:1])
    return tuple(msgspec.structs.replace(pair, table=name) for name, pair in islice(pairs, _TABLES_KEPT))


def sample(table: Table) -> TableSample:
    """The first rows, as many as are kept with a verdict."""
    return sample_of(table, _ROWS_KEPT, _COLUMNS_KEPT)


def names_of(gold: Table, columns: Sequence[int] | None) -> tuple[str, ...]:
    """The names of gold's columns that are compared; none where all are."""
    if not columns or {*range(gold.width)} <= set(columns):
        return ()
    return tuple(gold.names[place] for place in columns[:_SHOWN] if 0 <= place < gold.width)


def columns_for(condition_cols: Sequence[Any] | None, index: int) -> Sequence[int] | None:
    """The columns of gold number ``index``; None means all."""
    if not condition_cols:
        return None
    if any(isinstance(each, Sequence) for each in condition_cols):
        own = condition_cols[index] if index < len(condition_cols) else None
        return own if isinstance(own, Sequence) and own else None
    return condition_cols


def order_ignored(flag: bool | Sequence[bool], index: int, golds: int) -> bool:
    """The flag of gold number ``index``; a list that does not fit the golds says yes if any of it does."""
    if not isinstance(flag, Sequence):
        return bool(flag)
    return bool(flag[index]) if len(flag) == golds else any(flag)


def _said_which(verdict: Verdict, one: _Try, pred: Table | None, golds: int, problems: Sequence[str] = ()) -> Verdict:
    """The verdict with the gold file it comes from, the first rows of both tables, and the golds that could not be
    used. ``golds``: of how many it is one."""
    evidence = {**({"gold_file": one.path.name} if golds > 1 else {}), **verdict.evidence}
    if problems:
        evidence["unusable_gold"] = "; ".join(problems)[:500]
    tables: tuple[TablePair, ...] = ()
    if pred is not None and one.gold is not None:
        tables = (TablePair(one.gold, sample(pred), "", one.only, one.ignore_order, golds),)
    return msgspec.structs.replace(verdict, evidence=evidence, tables=tables)
