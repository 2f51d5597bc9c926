"""What a question asks for, item by item."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from karat.suites.codegen.analysis.records import Filter, Link

Ordered: TypeAlias = bool | tuple[str, ...]
"""Whether the order of rows counts; names of columns: it does, and these are sorted by, one within the other."""


class Asked(msgspec.Struct, frozen=True):
    """What a question asks for, item by item."""

    columns: tuple[str, ...] = ()
    """Columns of the schema that it mentions."""
    top: tuple[int | None, ...] = ()
    """``top 5``, ``largest 3``: how many, None when it does not say."""
    bottom: tuple[int | None, ...] = ()
    filtering: bool = False
    """Whether it asks for some of the rows only."""
    statistics: tuple[str, ...] = ()
    """``mean``, ``sum``, ``max``, ``min``, ``count``, ``median``, ``std``, ``var``, ``groupby``."""
    conditions: tuple[Filter, ...] = ()
    group_keys: tuple[str, ...] = ()
    grouping: bool = False
    """Whether it asks for groups, also where no column of the schema is named for them."""
    ordering: tuple[str, ...] = ()
    """The words that ask for an order, and ``ascending`` or ``descending`` where that is said."""
    order_keys: tuple[str, ...] = ()
    """The columns that rows are sorted by, one within the other."""
    reference_orders: bool = False
    """Whether answers are SQL and the reference is a query with ORDER BY: the order of its rows is then asked for."""
    keeps_order: bool = False
    """Whether rows are to stay in the order they are in."""
    joining: bool = False
    links: tuple[Link, ...] = ()
    """How conditions are joined: by ``and`` or by ``or``."""
    whole_table: bool = False
    """Whether it speaks of columns in general, so that one more column would make a difference."""
    precision: tuple[str, ...] = ()
    """The words that ask for a precision of numbers: ``rounded``, ``2 decimals``, ``to the nearest cent``."""
    distinct: bool = False
    """Whether it asks for different things: ``distinct``, ``different``, ``unique``."""
    says_ties: bool = False
    """Whether it says what equal values have: ``the same score shares a rank``."""
    open_limits: bool = False
    """Whether it names limits in words that do not say whether the limit itself is in: ``between``, ``since``,
    ``until``."""
    mentioned: tuple[str, ...] = ()
    """Values of text columns that it names."""
    drawing: bool = False
    """Whether it asks for a picture."""
    by_position: bool = False
    """Whether the order of the given rows may matter: ``first``, ``previous``, ``running total``."""
    vocabulary: str = ""
    """The words that it was read by: ``en``, ``de``, ``fr``, ``es``, or a file."""

    @property
    def ordered(self) -> Ordered:
        """Whether the order of the result's rows counts, and the columns of it where they are named."""
        if not (self.ordering or self.keeps_order or self.reference_orders):
            return False
        return self.order_keys or True
