"""From an expression to the rankers it stands for: one for each combination of its settings, in the order written.

``k=10|60`` is two settings. ``w=grid(0.1)`` is every vector of multiples of 0.1 that sum to 1: 11 for two models, 66
for three, the most for the first model first.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from itertools import combinations, product
from math import comb

from karat.core.problems import UserError, count_of, did_you_mean
from karat.search.rankers.parse import EXAMPLES, Call, Node, Setting, mistake, parse
from karat.search.rankers.tree import Mmr, Named, Norm, Ranker, Rerank, Rrf, Wsum, gives_scores

MOST_SETTINGS = 2_000
"""Rankers that one expression may stand for: each is a pass over all values."""
NORMS: tuple[Norm, ...] = ("minmax", "zscore")
USUAL_K = Decimal(60)
USUAL_DEPTH = 50
USUAL_SHARE = Decimal("0.7")
MOST_DEPTH = 100_000


def rankers_of(text: str) -> list[Ranker]:
    """The rankers of an expression, each once. Raises :class:`UserError` with the column of a mistake."""
    return list(dict.fromkeys(_Expansion(text).of(parse(text), top=True)))


class _Expansion:
    """One expression; its text is in every message."""

    def __init__(self, text: str) -> None:
        self.text = text

    def of(self, node: Node, *, top: bool = False) -> list[Ranker]:
        if isinstance(node, Named):
            return [node]
        if node.kind == "mmr":
            if not top:
                raise self._wrong(node, "mmr cannot be a part of another ranker", "It is an order of its own.")
            return list(self._mmr(node))
        if node.kind == "rerank":
            return self._rerank(node)
        return self._fusion(node)

    def _fusion(self, call: Call) -> list[Ranker]:
        if len(call.parts) < 2:
            raise self._wrong(call, f"{call.kind} needs two or more models", f"For example {EXAMPLES[call.kind]}")
        options = [self.of(part) for part in call.parts]
        usual = [(Decimal(1),) * len(call.parts)]
        weights = self._weights(call.settings["w"], len(call.parts)) if "w" in call.settings else usual
        if call.kind == "rrf":
            ks = [self._number(call, "k", low=Decimal(0), value=one) for one in self._values(call, "k")] or [USUAL_K]
            self._few(call, *map(len, options), len(weights), len(ks))
            return [Rrf(parts, k, w) for parts in product(*options) for k in ks for w in weights]
        for part, option in zip(call.parts, options, strict=True):
            if not gives_scores(option[0]):
                kind = part.kind if isinstance(part, Call) else ""
                hint = "Use rrf, which needs only ranks."
                raise self._wrong(part, f"wsum needs scores, and {kind} gives only an order", hint)
        norms = [self._norm(one) for one in self._values(call, "norm")] or [NORMS[0]]
        self._few(call, *map(len, options), len(weights), len(norms))
        return [Wsum(parts, w, norm) for parts in product(*options) for norm in norms for w in weights]

    def _rerank(self, call: Call) -> list[Ranker]:
        if len(call.parts) != 2 or not isinstance(call.parts[1], Named):
            hint = f"For example {EXAMPLES['rerank']}"
            raise self._wrong(call, "rerank needs a ranker and the name of a reranker", hint)
        depths = [self._depth(call, one) for one in self._values(call, "depth")] or [USUAL_DEPTH]
        firsts = self.of(call.parts[0])
        self._few(call, len(firsts), len(depths))
        return [Rerank(first, call.parts[1], depth) for first in firsts for depth in depths]

    def _mmr(self, call: Call) -> Iterator[Ranker]:
        if len(call.parts) != 1 or not isinstance(call.parts[0], Named):
            raise self._wrong(call, "mmr needs the name of one model with vectors", f"For example {EXAMPLES['mmr']}")
        shares = [self._number(call, "lambda", value=one) for one in self._values(call, "lambda")] or [USUAL_SHARE]
        for share in shares:
            if not 0 <= share <= 1:
                column = call.settings["lambda"].values[0][1]
                raise mistake(self.text, column, f"lambda is {share}, and must be from 0 to 1")
            yield Mmr(call.parts[0], share)

    # -- settings -----------------------------------------------------------------------------------------------------

    def _values(self, call: Call, name: str) -> tuple[tuple[str, int], ...]:
        return call.settings[name].values if name in call.settings else ()

    def _number(self, call: Call, name: str, *, value: tuple[str, int], low: Decimal | None = None) -> Decimal:
        found = self._decimal(*value)
        if low is not None and found < low:
            raise mistake(self.text, value[1], f"{name} of {call.kind} is {value[0]}, and must be {low} or more")
        return found

    def _depth(self, call: Call, value: tuple[str, int]) -> int:
        found = self._decimal(*value)
        if found != found.to_integral_value() or not 1 <= found <= MOST_DEPTH:
            said = f"depth of {call.kind} is {value[0]}, and must be a whole number from 1 to {MOST_DEPTH:,}"
            raise mistake(self.text, value[1], said)
        return int(found)

    def _norm(self, value: tuple[str, int]) -> Norm:
        for norm in NORMS:
            if value[0] == norm:
                return norm
        raise mistake(self.text, value[1], f'there is no norm "{value[0]}"', did_you_mean(value[0], NORMS))

    def _decimal(self, written: str, column: int) -> Decimal:
        try:
            found = Decimal(written.strip())
            if not found.is_finite() or len(written) > 30 or not -1000 < found.adjusted() < 12:
                raise InvalidOperation
        except InvalidOperation:
            raise mistake(self.text, column, f'"{written}" is not a number') from None
        return found

    def _weights(self, setting: Setting, count: int) -> list[tuple[Decimal, ...]]:
        found: list[tuple[Decimal, ...]] = []
        for written, column in setting.values:
            if written.startswith("grid"):
                found += self._grid(written, column, count)
                continue
            weights = tuple(self._decimal(one, column) for one in written.split(","))
            if len(weights) != count:
                said = f"{count_of(len(weights), 'weight')} for {count_of(count, 'model')}"
                raise mistake(self.text, column, said, "Write one for each: w=0.3,0.7, or w=grid(0.1).")
            if min(weights) < 0 or not any(weights):
                raise mistake(self.text, column, "weights must be 0 or more, and one of them above 0")
            found.append(weights)
        return list(dict.fromkeys(found))

    def _grid(self, written: str, column: int, count: int) -> list[tuple[Decimal, ...]]:
        inside = written.removeprefix("grid").strip().removeprefix("(").removesuffix(")")
        step = self._decimal(inside, column)
        if not 0 < step <= 1 or 1 % step:
            said = f"a grid of {inside} does not reach 1 in whole steps"
            raise mistake(self.text, column, said, "For example grid(0.1), grid(0.05) or grid(0.25).")
        steps = int(1 / step)
        self._limit(column, comb(steps + count - 1, count - 1))
        return [tuple(share * step for share in shares) for shares in _shares(steps, count)]

    def _few(self, call: Call, *counts: int) -> None:
        number = 1
        for count in counts:
            number *= count
        self._limit(call.column, number)

    def _limit(self, column: int, number: int) -> None:
        if number > MOST_SETTINGS:
            hint = f"At most {MOST_SETTINGS:,}; use a wider grid or shorter lists."
            raise mistake(self.text, column, f"this stands for {number:,} rankers", hint)

    def _wrong(self, node: Node, message: str, hint: str = "") -> UserError:
        return mistake(self.text, node.column, message, hint)


def _shares(steps: int, count: int) -> list[tuple[int, ...]]:
    """Every way to deal out this many steps, the most for the first one first."""
    found = []
    for bars in combinations(range(steps + count - 1), count - 1):
        ends = (-1, *bars, steps + count - 1)
        found.append(tuple(ends[place + 1] - ends[place] - 1 for place in range(count)))
    return sorted(found, reverse=True)
