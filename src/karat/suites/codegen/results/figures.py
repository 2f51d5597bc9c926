"""Named figures, as DABench expects them: each must be found in the result under its name, with the right value.

A figure is found in a mapping by its name, in a series or a frame of one row by its label, in a text as
``@name[value]``, and in what the code printed in that form; the result goes before what was printed, and the last
mention before earlier ones. A result that is one single value is the figure when only one is expected.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

import msgspec

from karat.sandbox import Plain, Series, Table
from karat.suites.codegen.results.tables import NoTableError, text_of
from karat.tables.options import CompareOptions
from karat.tables.values.cells import equal, folded, parse

WRITTEN = re.compile(r"@([\w .%/-]{1,200})\[([^\[\]]{0,2000}(?:\[[^\]]{0,2000}\][^\[\]]{0,2000})?)\]")
"""Its parts have a length at most: a text of nothing but beginnings would else be read to its end for each of them."""
MOST_MENTIONS = 10_000


class Figures(msgspec.Struct, frozen=True):
    """How many of the expected figures were found, and what was found instead of the others."""

    share: float
    wrong: dict[str, dict[str, str | None]]

    @property
    def all_right(self) -> bool:
        return not self.wrong


def figures_of(expected: Mapping[str, str], result: Plain, stdout: str, options: CompareOptions) -> Figures:
    """Hold what the code gave against the expected figures."""
    options = msgspec.structs.replace(options, case_or_space=True)
    found = {**_mentions(stdout), **_in(result)}
    if len(expected) == 1 and not found:
        found = {_plainly(next(iter(expected))): _single(result)}
    wrong: dict[str, dict[str, str | None]] = {}
    for name, value in expected.items():
        given = found.get(_plainly(name))
        if given is None or not _same(value, given, options):
            wrong[name] = {"expected": value, "found": given[:200] if given is not None else None}
    return Figures(1 - len(wrong) / len(expected) if expected else 0.0, wrong)


def _plainly(name: object) -> str:
    return folded(re.sub(r"[\s_-]+", " ", str(name)))


def _mentions(text: str) -> dict[str, str]:
    found = {}
    for count, match in enumerate(WRITTEN.finditer(text)):
        if count >= MOST_MENTIONS:
            break
        found[_plainly(match[1])] = match[2].strip()
    return found


def _in(value: Plain) -> dict[str, str]:
    if isinstance(value, str):
        return _mentions(value)
    if isinstance(value, list | tuple):
        return {name: text for item in value if isinstance(item, str | dict) for name, text in _in(item).items()}
    return {_plainly(name): text for name, text in _pairs(value) if text is not None}


def _pairs(value: Plain) -> Iterator[tuple[object, str | None]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name, _text(inner)
            if isinstance(inner, Mapping):
                yield from _pairs(inner)
    elif isinstance(value, Series):
        if len(value.index) == 1:
            yield from zip(value.index[0].values, map(_text, value.column.values), strict=True)
    elif isinstance(value, Table) and value.height == 1:
        for column in value.columns:
            yield column.name, _text(column.values[0])


def _single(value: Plain) -> str:
    while isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, Series) and len(value.column.values) == 1:
        value = value.column.values[0]
    if isinstance(value, Table) and (value.height, len(value.columns)) == (1, 1):
        value = value.columns[0].values[0]
    return (_text(value) or "") if not isinstance(value, list | tuple | Mapping | Table | Series) else ""


def _text(value: Plain) -> str | None:
    try:
        return text_of(value)
    except NoTableError:
        return None


def _same(expected: str, given: str, options: CompareOptions) -> bool:
    one, other = _bare(expected), _bare(given)
    if equal(parse(one, options), parse(other, options), options):
        return True
    wanted, had = _listed(one), _listed(other)
    if wanted is None or had is None or len(wanted) != len(had):
        return False
    return all(equal(parse(a, options), parse(b, options), options) for a, b in zip(wanted, had, strict=True))


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"" else text


def _listed(text: str) -> list[str] | None:
    """The items of a list that is written out: ``[1, 2]``, ``(1, 2)``, ``a, b``."""
    if len(text) > 10_000:
        return None
    try:
        value = ast.literal_eval(text)
        return [str(item) for item in value] if isinstance(value, list | tuple) else None
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return [folded(part) for part in text.strip("[]()").split(",")] if "," in text else None
