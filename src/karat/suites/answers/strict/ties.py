"""Top N with ties at the cut: gold says ``ties: {by: [column, …], at: N}``, and any legal choice among the tied rows
passes.

Gold lists more rows than N: all that are tied at the cut. The rows before the tie must be there, the rest of the N rows
may be any of the tied ones. Where gold lists only N rows, the other tied rows are not known: an answer with other rows
of the same rank is then left to a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any  # Any: a check of pairs of columns, of which only the truth of its result is used

from karat.core.json_types import JsonMapping
from karat.tables.explain.labels import LABELS_SWAPPED, label_evidence
from karat.tables.matching import Match, chosen, match_tables
from karat.tables.options import CompareOptions
from karat.tables.small.bipartite import Unsettled
from karat.tables.small.compare import read_cells
from karat.tables.small.mapping import by_header, find_mapping, preferred
from karat.tables.small.rows import row_pairing
from karat.tables.table import LARGE, Table, TableError
from karat.tables.values.cells import Cell, as_gold, equal, folded

_TRIES = 5_000


def match_with_ties(
    gold: Table,
    pred: Table,
    ties: JsonMapping,
    *,
    columns: Sequence[int] | None,
    ignore_order: bool,
    options: CompareOptions,
) -> Match:
    """Compares with any legal choice. Raises :class:`TableError` when gold does not fit what it says about ties."""
    by, at = _by(gold, ties), _at(gold, ties)
    first = gold.head(at)
    plain = match_tables(first, pred, columns=columns, ignore_order=ignore_order, options=options)
    if plain.passed or plain.reason == LABELS_SWAPPED or pred.height != at or max(gold.height, pred.height) >= LARGE:
        return plain
    ranks = [read_cells(gold.texts(index), options) for index in by]
    tied = [all(equal(rank[row], rank[at - 1], options) for rank in ranks) for row in range(gold.height)]
    above = [row for row in range(at) if not tied[row]]
    search = _Search(chosen(gold, columns), pred, options)
    ranked = [list(columns or range(gold.width)).index(index) for index in by if not columns or index in columns]
    in_order = ranked if not ignore_order else []
    evidence = {"ties_at": at, "tied_rows": sum(tied)}
    mapping = search.legal(above, [row for row in range(gold.height) if tied[row] or row in above], in_order)
    if mapping is not None:
        swapped = search.swapped(mapping)
        if swapped:
            return Match(False, False, tuple(mapping), (), LABELS_SWAPPED, {**evidence, "labels": swapped})
        return Match(True, mapping=tuple(mapping), normalised=("ties",), evidence=evidence)
    if gold.height == at and ranked and search.same_rank(above, ranked) is not None:
        return Match(
            False,
            False,
            plain.mapping,
            (),
            plain.reason,
            {**evidence, **plain.evidence},
            plain.cell_f1,
            plain.row_share,
        )
    return plain


def _by(gold: Table, ties: JsonMapping) -> list[int]:
    if not isinstance(ties, Mapping):
        raise TableError(f"ties is {ties!r}, and should name columns (by) and a row (at)", "columns")
    given = ties.get("by")
    names = [folded(name) for name in gold.names]
    found = []
    for each in given if isinstance(given, list) else [given]:
        if isinstance(each, int) and 0 <= each < gold.width:
            found.append(each)
        elif isinstance(each, str) and folded(each) in names:
            found.append(names.index(folded(each)))
        else:
            raise TableError(f"ties.by names {each!r}, which is not a column of gold", "columns")
    return found


def _at(gold: Table, ties: JsonMapping) -> int:
    at = ties.get("at")
    if not isinstance(at, int) or isinstance(at, bool) or not 1 <= at <= gold.height:
        raise TableError(f"ties.at is {at!r}, and should be a row of gold, 1 to {gold.height}", "columns")
    return at


class _Search:
    """Looks for a mapping of columns under which the prediction's rows are a legal choice of gold's."""

    def __init__(self, gold: Table, pred: Table, options: CompareOptions) -> None:
        self.options = options
        self.gold = [as_gold(read_cells(gold.texts(index), options)) for index in range(gold.width)]
        self.pred = [read_cells(pred.texts(index), options) for index in range(pred.width)]
        self.names = gold.names, pred.names

    def legal(self, above: Sequence[int], allowed: Sequence[int], in_order: Sequence[int]) -> list[int] | None:
        """Every prediction row is an allowed gold row, and every row above the tie is there. Two pairings that cover
        the one side each can always be joined into one that covers both.
        """

        def check(pairs: Sequence[tuple[int, int]]) -> bool:
            inside = [(self.pred[p], _rows(self.gold[g], allowed)) for g, p in pairs]
            covers = [(_rows(self.gold[g], above), self.pred[p]) for g, p in pairs]
            if row_pairing(inside, self.options, contained=True) is None:
                return False
            if above and row_pairing(covers, self.options, contained=True) is None:
                return False
            return all(
                all(equal(a, b, self.options) for a, b in zip(self.gold[g], self.pred[p], strict=False))
                for g, p in pairs
                if g in in_order
            )

        return self._mapping(check)

    def same_rank(self, above: Sequence[int], ranked: Sequence[int]) -> list[int] | None:
        """Every row above the tie is there, and the ranks of all rows are those of gold."""

        def check(pairs: Sequence[tuple[int, int]]) -> bool:
            covers = [(_rows(self.gold[g], above), self.pred[p]) for g, p in pairs]
            ranks = [(self.gold[g], self.pred[p]) for g, p in pairs if g in ranked]
            if ranks and row_pairing(ranks, self.options) is None:
                return False
            return not above or row_pairing(covers, self.options, contained=True) is not None

        return self._mapping(check)

    def swapped(self, mapping: Sequence[int]) -> list[dict[str, str]]:
        """The headers that are on the cells of another gold column, or else those that gold's cells are under though
        another has the name, where the rows are a legal choice under this mapping."""
        header = by_header(*self.names)
        if header is None or header == list(mapping):
            return []
        moved = [(g, p) for g, p in enumerate(header) if mapping[g] != p]
        swapped = [(g, list(mapping).index(p)) for g, p in moved if p in mapping]
        if swapped:
            return label_evidence(swapped, self.names[0])
        return label_evidence([(g, mapping[g]) for g, _ in moved], *self.names)

    def _mapping(self, check: Any) -> list[int] | None:
        every = [list(range(len(self.pred))) for _ in self.gold]
        possible = [[p for p in options if check([(g, p)])] for g, options in enumerate(every)]
        try:
            return find_mapping(
                preferred(possible, *self.names), check, tries=_TRIES, twins=list(range(len(self.pred)))
            )
        except Unsettled:
            return None


def _rows(column: Sequence[Cell], rows: Sequence[int]) -> list[Cell]:
    return [column[row] for row in rows]
