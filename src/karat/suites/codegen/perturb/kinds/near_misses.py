"""Copies with values that code easily takes for others: a similar name, another case, an equal number, a shorter one.

Each is made only where it says something about the task, so that two right solutions agree on it:

- ``similar``: more rows whose text is like one that the reference names, or has a part that is: another last letter,
  another first one, one letter more; of texts that are counted, another first letter
- ``letter_case``: texts in upper or lower case, where the reference compares without regard to case
- ``ties``: numbers that repeat in a column where none does: all of them where the reference does not use the column;
  else not the largest and smallest (three of each, fewer in a small table), and not where the question asks for an
  order or a top, or the reference counts different values and the question does not
- ``digits``: some whole numbers a tenth as large, where all have as many digits; not for years, nor where the reference
  takes numbers apart or makes texts of them
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Mapping

from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.random_values import alike, closed, decimals, longer, new_value
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.records import Columns

ENDS = 3
"""The largest and smallest numbers, this many of each, that get no tie."""
MOST_ENDS, MOST_TEXTS = 6, 3
SHORTEST = 3
"""A shorter text is only looked for as a whole cell."""
FEWEST = 4
"""Numbers between them that must be there."""
YEARS = range(1900, 2101)
_WORD = re.compile(r"\w+")
_FOLDING = frozenset({"lower", "upper", "casefold", "title", "capitalize", "swapcase"})
_COMPARING = frozenset({"groupby", "isin", "contains", "startswith", "endswith", "match", "fullmatch", "eq", "ne"})
_FOLDED_IN_SQL = re.compile(r"\b(lower|upper|ilike)\b", re.IGNORECASE)


def similar(change: Change) -> Columns:
    """More rows, with a twin in the place of a text that the reference names: as large and as small in their numbers as
    any, so that a maximum shows them too."""
    profile = change.profile
    twins = {name: found for name in profile.columns if (found := _twins(change, name))}
    if profile.grid is not None:
        twins = {name: found for name, found in twins.items() if name in profile.grid}
    if not twins:
        return dict(change.columns)
    if profile.is_parent and profile.grid is None:
        return _in_place(change, twins)
    if profile.grid is not None:
        return _one_more_member(change, *next(iter(twins.items())))
    wanted = [
        (name, value, row)
        for name, found in twins.items()
        for value in _cells_like(change, name, found)
        for row in _sources(change, name)
    ]
    made = change.take([*change.rows, *(row for *_, row in wanted)])
    if change.seed:
        made = change.anew(made, range(change.height + len(wanted) // 2, change.height + len(wanted)))
    for at, (name, value, _) in enumerate(wanted):
        values = list(made[name])
        if not profile.columns[name].key or value not in values:
            values[change.height + at] = value
        made[name] = values
    _outdo(change, made, len(_ends(change)))
    return with_new_members(change, made) if change.hints.counts_different else made


def _in_place(change: Change, twins: Mapping[str, list[tuple[str, str]]]) -> Columns:
    """The same rows, some with a twin: none can be added that no other table points to."""
    made = {name: list(values) for name, values in change.columns.items()}
    for name, found in twins.items():
        named = {text for text, _ in found}
        about_it = [row for row in change.rows if change.columns[name][row] in named]
        rows = change.pick.sample(change.rows, change.height // 2)
        rows = [row for row in rows if row not in about_it[: max(1, len(about_it) // 2)]]
        cells = _cells_like(change, name, found)
        for place, row in enumerate(rows):
            value = cells[place % len(cells)]
            if not change.profile.columns[name].key or value not in made[name]:
                made[name][row] = value
    return made


def _sources(change: Change, name: str) -> list[int]:
    """The rows that are added once more: the largest and smallest, some others, and some that meet what the reference
    asks of the other columns."""
    few = max(2, change.height // 8)
    about_it = change.rows_named(besides=name)
    return [
        *_ends(change),
        *(change.pick.choice(change.rows) for _ in range(few)),
        *(change.pick.choice(about_it) for _ in range(few if about_it else 0)),
    ]


def _cells_like(change: Change, name: str, twins: list[tuple[str, str]]) -> list[str]:
    """A cell with each twin, and other cells with each text that is only a part of cells."""
    found = [_put(change, change.pick.choice(_cells_with(change, name, text)), text, twin) for text, twin in twins]
    known = set(change.columns[name])
    for text in dict.fromkeys(text for text, _ in twins):
        cells = _cells_with(change, name, text)
        found += [cell for cell in other_cells_with(text, cells, change) if cell not in known]
        others = [cell for cell in known if isinstance(cell, str) and cell not in cells]
        if text in change.hints.same_texts and text not in known:
            found += _elsewhere(text, others, change)
        if text in change.hints.beginnings:
            found += _further_on(text, others, change)
        if text in change.hints.endings:
            found += _before_the_end(text, others, change)
    return found


def _before_the_end(text: str, cells: list[str], change: Change) -> list[str]:
    """A text that others end with, in place of a letter or of a word before the last one: ``SX-105-M`` for codes that
    end with ``S``."""
    for cell in change.pick.sample(sorted(cells), len(cells)):
        for part in list(_WORD.finditer(cell))[:-1]:
            if len(part.group()) > len(text) and part.group().isalpha() and text.isalpha():
                return [cell[: part.start()] + text + cell[part.start() + len(text) :]]
    return []


def _further_on(text: str, cells: list[str], change: Change) -> list[str]:
    """A text that others begin with, after the first of several words: ``Over The Hill`` for titles with ``The``."""
    several = sorted(cell for cell in cells if " " in cell.strip())
    if not several or not any(sign.isalpha() for sign in text):
        return []
    first, _, rest = change.pick.choice(several).partition(" ")
    return [f"{first} {text.strip()} {rest}"]


def _elsewhere(text: str, cells: list[str], change: Change) -> list[str]:
    """A cell that begins another part with a text that is only taken out of one place of a cell: ``0131-555-0205`` for
    the area 020."""
    places = [
        (cell, part)
        for cell in sorted(cells)
        for part in list(_WORD.finditer(cell))[1:]
        if len(part.group()) > len(text) and part.group().isdigit() == text.isdigit()
    ]
    if not places:
        return []
    cell, part = change.pick.choice(places)
    return [cell[: part.start()] + text + cell[part.start() + len(text) :]]


def other_cells_with(text: str, cells: list[str], change: Change) -> list[str]:
    """New cells that hold a text: another word beside it, and the text in the middle where it is found in several
    places."""
    if text in cells:
        return []
    cell = change.pick.choice(cells)
    found = _found_in(change, cell, text)
    if found is None:
        return []
    made = []
    others = [word for word in _WORD.finditer(cell) if word.end() <= found.start() or word.start() >= found.end()]
    if others:
        word = change.pick.choice(others)
        made.append(cell[: word.start()] + alike(word.group(), change.pick) + cell[word.end() :])
    parts = [(one.split(text)[0].strip(), one.split(text)[-1].strip()) for one in cells if text in one and " " in one]
    starts, ends = any(not before for before, _ in parts), any(not after for _, after in parts)
    if starts and ends:  # found in several places: it may be anywhere
        before, after = (change.pick.choice([one for pair in parts for one in pair if one]) for _ in range(2))
        made.append(f"{before} {text} {after}")
    return made


def _outdo(change: Change, made: Columns, ends: int) -> None:
    """Numbers that never repeat are a little larger or smaller in the added rows, instead of any within the range."""
    for name, about in change.profile.columns.items():
        if not about.different or about.kind not in ("whole", "number") or not change.profile.free(name):
            continue
        known = [value for value in change.columns[name] if value is not None]
        step = max((max(known) - min(known)) / 100, 1 if about.kind == "whole" else 0)
        values = list(made[name])
        for at in range(change.height, len(values)):
            if ends and values[at] is not None:
                values[at] = type(values[at])(round(max(known) + (at - change.height + 1) * step, decimals(max(known))))
        made[name] = values


def with_new_members(change: Change, made: Columns) -> Columns:
    """Where different ones are counted, every other added row has one of its own: all others may be there anyway."""
    for block in change.categories():
        if len(block) > 1 or set(change.columns[block[0]]) & change.hints.named:
            continue
        name, about = block[0], change.profile.columns[block[0]]
        known = [value for value in change.columns[name] if value is not None]
        taken, values = set(known), list(made[name])
        for row in range(change.height, len(values), 2):
            values[row] = new_value(change.pick.choice(known), about, taken, known, change.pick)
            taken.add(values[row])
        made[name] = values
    return made


def _one_more_member(change: Change, name: str, twins: list[tuple[str, str]]) -> Columns:
    """In a table where every pair of a key is there once, the twin gets rows of its own beside those of its like."""
    text, twin = twins[change.seed % len(twins)]
    again = [row for row in change.rows if change.columns[name][row] == text]
    if not again:
        return dict(change.columns)
    made = change.anew(change.take([*change.rows, *again]), range(change.height, change.height + len(again)))
    made[name] = [*made[name][: change.height], *(twin for _ in again)]
    return made


def _ends(change: Change) -> list[int]:
    """The rows with the largest and smallest number of each column."""
    found: dict[int, None] = {}
    for name, about in change.profile.columns.items():
        known = [row for row in change.rows if change.columns[name][row] is not None]
        if about.kind in ("whole", "number") and not about.key and known:
            found[max(known, key=change.columns[name].__getitem__)] = None
            found[min(known, key=change.columns[name].__getitem__)] = None
    return list(found)[:MOST_ENDS]


def _twins(change: Change, name: str) -> list[tuple[str, str]]:
    """(a text that the reference names or counts, its twin) for one column of texts, where it may have more members."""
    about, block, grid = change.profile.columns[name], change.profile.block(name), change.profile.grid or ()
    known = {value for value in change.columns[name] if isinstance(value, str)}
    if about.kind != "text" or about.parent is not None or not known or (len(block) > 1 and set(block) != set(grid)):
        return []
    if closed(known) or change.all_named(known) or len(known) == 2:
        return []  # the two of a flag are all there are
    texts = sorted(value for value in change.hints.named if isinstance(value, str) and _cells_with(change, name, value))
    if not texts and name in change.hints.missing.counted:
        texts = sorted(known)[:1]
    return [(text, twin) for text in texts[:MOST_TEXTS] for twin in _twins_of(text, known, change)]


def _cells_with(change: Change, name: str, text: str) -> list[str]:
    """Cells of a column that are a text, or hold it, where it is long enough to be found in others on purpose."""
    cells = [value for value in change.columns[name] if isinstance(value, str)]
    whole = [cell for cell in cells if cell == text]
    if whole or len(text) < SHORTEST or text in change.columns:
        return whole
    return [cell for cell in cells if _found_in(change, cell, text) is not None]


def _found_in(change: Change, cell: str, text: str) -> re.Match[str] | None:
    return re.search(re.escape(text), cell, re.IGNORECASE if change.hints.folds_case else 0)


def _put(change: Change, cell: str, text: str, twin: str) -> str:
    found = _found_in(change, cell, text)
    return twin if found is None else cell[: found.start()] + twin + cell[found.end() :]


def _twins_of(text: str, known: set[str], change: Change) -> list[str]:
    """The same but for its last letter, its first one, and with one more where whole cells are compared."""
    taken = known | {value for value in change.hints.named if isinstance(value, str)}
    letters = [place for place, sign in enumerate(text) if sign.isalnum()]
    if not letters:
        return []
    found = [_with_other(text, place, taken, change) for place in dict.fromkeys((letters[-1], letters[0]))]
    if letters[-1] < len(text) - 1 and text not in known:  # "The " with a letter in place of the blank
        found.append(text[: letters[-1] + 1] + change.pick.choice(string.ascii_lowercase))
    if text in change.hints.equal_texts and text in known:
        found.append(longer(text))
    return [twin for twin in dict.fromkeys(found) if twin and twin not in taken]


def _with_other(text: str, place: int, taken: set[str], change: Change) -> str:
    """With another character of the same kind in this place; empty when none is free."""
    sign = text[place]
    signs = string.digits if sign.isdigit() else string.ascii_lowercase if sign.islower() else string.ascii_uppercase
    free = [made for one in signs if one != sign and (made := text[:place] + one + text[place + 1 :]) not in taken]
    return change.pick.choice(free) if free else ""


def letter_case(change: Change) -> Columns:
    made = dict(change.columns)
    if not change.hints.folds_case:
        return made
    for name, about in change.profile.columns.items():
        if about.kind == "text" and change.profile.free(name):
            made[name] = [
                change.pick.choice((value, value.upper(), value.lower(), value.swapcase(), _mixed(value)))
                if isinstance(value, str)
                else value
                for value in change.columns[name]
            ]
    return made


def _mixed(text: str) -> str:
    """Every other letter in the other case."""
    return "".join(sign.upper() if place % 2 else sign.lower() for place, sign in enumerate(text))


def blanks(change: Change) -> Columns:
    made = dict(change.columns)
    for name, about in change.profile.columns.items():
        if change.hints.strips and about.kind == "text" and change.profile.free(name):
            made[name] = [
                change.pick.choice((value, f" {value}", f"{value} ", f"  {value} "))
                if isinstance(value, str)
                else value
                for value in change.columns[name]
            ]
    return made


def ties(change: Change) -> Columns:
    made = dict(change.columns)
    missing = change.hints.missing
    for name, about in change.profile.columns.items():
        values = change.columns[name]
        unused = missing.readable and name not in missing.used
        if not about.different or not (unused or change.hints.ties_free):
            continue
        known = sorted({value for value in values if value is not None})
        ends = 0 if unused or change.hints.says_ties else min(ENDS, len(known) // 4)
        middle = known[ends : len(known) - ends]
        if about.kind not in ("whole", "number") or not change.profile.free(name) or len(middle) < FEWEST:
            continue
        again = middle[: len(middle) // 2]
        made[name] = [change.pick.choice(again) if value in middle else value for value in values]
    return made


def digits(change: Change) -> Columns:
    made = dict(change.columns)
    if not change.hints.whole_values:
        return made
    for name, about in change.profile.columns.items():
        known = [value for value in change.columns[name] if value is not None]
        lengths = {len(str(abs(int(value)))) for value in known} if about.kind == "whole" else set()
        if len(lengths) != 1 or min(lengths) < 2 or not change.profile.free(name):
            continue
        if all(value in YEARS for value in known) or len(set(known)) < len(known) // 2:
            continue
        made[name] = [
            type(value)(value // 10) if value is not None and change.pick.random() < 1 / 3 else value
            for value in change.columns[name]
        ]
    return made


# -- what the reference says about them --------------------------------------------------------------------------------


def folds_case(tree: ast.AST) -> bool:
    """Whether texts are compared or grouped without regard to case."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and _folded(node):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _COMPARING and _folded(node):
                return True
            if any(word.arg == "case" and _is_false(word.value) for word in node.keywords):
                return True
    return False


def folds_case_in_sql(query: str) -> bool:
    """Whether a query does: by ``lower``, ``upper`` or ``ILIKE``."""
    return _FOLDED_IN_SQL.search(query) is not None


def asked_for_at(tree: ast.AST, *methods: str) -> list[str]:
    """The texts that cells are asked to begin or to end with, by the names of these methods."""
    return [
        argument.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in methods
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    ]


def _is_false(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _folded(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Attribute) and part.attr in _FOLDING for part in ast.walk(node))


def ties_free(asked: Asked, *, counts_different: bool) -> bool:
    """Whether a tie makes no difference to what is asked, or the question says what ties have."""
    if asked.says_ties:
        return True
    ranked = asked.ordered or bool(asked.top or asked.bottom) or asked.by_position
    return not ranked and (asked.distinct or not counts_different)


def whole_values(tree: ast.AST) -> bool:
    """Whether numbers are used as they are: none is taken apart or made a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            return False
        if (isinstance(node, ast.Name) and node.id == "str") or (
            isinstance(node, ast.Attribute) and node.attr == "str"
        ):
            return False
        if isinstance(node, ast.Constant) and node.value in ("str", "string", "object"):
            return False
    return True
