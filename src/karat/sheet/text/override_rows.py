"""The rows of an ``override``: CSV, read without the grammar because there may be a hundred thousand.

A cell is

- ``"…"``: a text. It may hold commas and newlines; a quote in it is ``""`` or ``'"``, and the other escapes are those
  of any text;
- a number, such as ``3`` or ``-0.5``. ``007`` is a text: it would not be the same as a number;
- nothing: no value is typed in. ``NA``, ``TRUE`` and ``FALSE`` are those values;
- ``{"a", "b"}``: several truths, the same as ``"a;b"``;
- anything else: a formula, such as ``1 + 5``, ``"a" & [x]`` or ``DATE(2024, 3, 1)``, whose commas in brackets do not
  end the cell; and where it can be none, a text, exactly as written, without the spaces around it (see
  ``cell_formulas``).

The block ends where the file ends or where a line begins the next thing: ``table NAME``, a decorator ``!name(``, a
doc ``##``, or the three backquotes of a block in another language, which is refused. A row that begins like that must
be in quotes. Blank lines between rows do not count, except where there is one column: there a blank line is a row with
an empty cell, unless no row follows. A ``#`` comment is on a line of its own, or after a value that is not text.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from karat.core.problems import Problem
from karat.sheet.text.escapes import unescape, unescape_cell
from karat.sheet.text.tokens import Cell, Rows, Unquoted
from karat.sheet.text.tree import Missing

MOST_CELLS = 5_000_000
MOST_DIGITS = 300
MOST_PROBLEMS = 20

# The quantifiers with a + behind give nothing back: a long run of spaces cannot make a failing match slow.
_BODY = r"[^\"']*+(?:(?:'[\s\S]|\"\")[^\"']*+)*+"
_STRING = r"\"[^\"'\n]*+(?:'[^\n][^\"'\n]*+)*+\""
_ITEM = rf"[^\S\n]*+(?:{_STRING}|[^\s,\"{{}}]++)[^\S\n]*+"
_CELL = re.compile(
    rf"""[^\S\n]*+
    (?: "(?P<quoted>{_BODY})"
      | (?P<array>\{{(?:{_ITEM}(?:,{_ITEM})*+)?[^\S\n]*+\}})
      | (?P<plain>[^,"\n]*+) )
    [^\S\n]*+ (?P<end>,|\n|\Z)""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NEXT_THING = re.compile(
    r"[^\S\n]*(?:table[^\S\n]+(?:'[^\n]*'|\w+)[^\S\n]*(?:#[^\n]*)?(?:\n|\Z)|![^\S\n]*\w+[^\S\n]*\(|##|```)",
    re.IGNORECASE,
)
_EMPTY_LINE = re.compile(r"[^\S\n]*(?:#(?P<comment>[^\n]*))?(?:\n|\Z)")
_MISPLACED = re.compile(
    r"[^\S\n]*(?:(?P<section>apply|total|override)[^\S\n]*(?:#[^\n]*)?(?:\n|\Z)|(?P<field>(?:(?:key|dim)[^\S\n]+)+\[|\[[^\]\n]*\][^\S\n]*(?:=|\n|\Z)))",
    re.IGNORECASE,
)
_QUOTED = re.compile(f'"{_BODY}"')
_ARRAY_ITEM = re.compile(rf"{_STRING}|[^\s,\"{{}}]+")
_APOSTROPHE = "'\" is a quote inside the text. Where a text ends with an apostrophe, write ''\"."
_WORDS: dict[str, Cell] = {"NA": Missing(), "TRUE": True, "FALSE": False}
_VALUE = re.compile(rf"(?:{_NUMBER.pattern}|na|true|false)?", re.IGNORECASE)
# The parts of a formula: what is in a text, a field, a name in quotes or open brackets does not end it.
_PART = re.compile(
    rf"{_STRING}|\[[^\[\]'\n]*+(?:'[^\n][^\[\]'\n]*+)*+\]|'[^'\n]*+'(?=[^\S\n]*+[(\[.])|[^()\[\]{{}}\"',\n]++|[\s\S]"
)
_BEGINS_WITH_TEXT = re.compile(r'[^\S\n]*+"')
_OPENS, _CLOSES = "([{", ")]}"
_MARKS = "([{'"
"""Without one of these a cell ends at its first comma."""
# A text with which a formula begins: an operator or a dotted call follows it.
_TEXT_FORMULA = re.compile(
    rf"[^\S\n]*+{_STRING}[^\S\n]*+(?:[-+*/^&<>=]|\.[^\S\n]*+[a-z_]\w*+[^\S\n]*+\(|(?:mod|and|or)(?!\w))", re.IGNORECASE
)


class Block(NamedTuple):
    """What was read, and where reading stopped: an offset in the text, and its line."""

    rows: Rows
    end: int
    line: int
    problems: list[Problem]


def read_rows(text: str, start: int, line: int, columns: int, file: str) -> Block:
    """Read rows from an offset on, which is the first of ``line``. ``columns`` is 0 where the header is not known."""
    return _Reader(text, line, columns, file).read(start)


def starts_something(text: str, offset: int) -> bool:
    """Whether the next table begins on this line."""
    return _NEXT_THING.match(text, offset) is not None


def number(word: str) -> int | float | None:
    """The number a word says; None when it is too large to be one."""
    if not any(sign in word for sign in ".eE"):
        return int(word) if len(word) <= MOST_DIGITS else None
    value = float(word)
    return value if math.isfinite(value) else None


class _Reader:
    def __init__(self, text: str, line: int, columns: int, file: str) -> None:
        self.text = text
        self.line = line
        self.columns = columns
        self.file = file
        self.problems: list[Problem] = []

    def read(self, position: int) -> Block:
        text, end_of_text = self.text, len(self.text)
        rows: list[tuple[Cell, ...]] = []
        lines: list[int] = []
        comments: list[str] = []
        cells = 0
        while position < end_of_text and len(self.problems) < MOST_PROBLEMS:
            if text[position] not in '"0123456789':
                after, found = self._skip_empty(position)
                if after == end_of_text or _NEXT_THING.match(text, after):
                    break  # the comments just above it belong to what follows
                if self.columns == 1:
                    blank = [at for at, one in enumerate(text[position:after].split("\n")[:-1]) if not one.strip()]
                    rows += [(None,)] * len(blank)
                    lines += [self.line + at for at in blank]
                comments += found
                self.line += text.count("\n", position, after)
                position = after
                if self._misplaced(position):
                    position = self._next_line(position)
                    self.line += 1
                    continue
            row, after = self._row(position)
            if row:
                rows.append(row)
                lines.append(self.line)
                cells += len(row)
            if cells > MOST_CELLS:
                hint = 'Put the rows into a separate file and read it with INPUT("file.csv").'
                self._problem(f"an override of more than {MOST_CELLS:,} cells", position, hint)
                after = end_of_text
            self.line += text.count("\n", position, after)
            position = after
        return Block(Rows(tuple(rows), tuple(lines), tuple(comments)), position, self.line, self.problems)

    def _skip_empty(self, position: int) -> tuple[int, list[str]]:
        """Past blank lines and comments: where the next line with something on it begins, and the comments."""
        comments = []
        while position < len(self.text) and not _NEXT_THING.match(self.text, position):
            found = _EMPTY_LINE.match(self.text, position)
            if found is None:
                break
            if found["comment"] is not None:
                comments.append(found["comment"].strip())
            position = found.end()
        return position, comments

    def _row(self, position: int) -> tuple[tuple[Cell, ...], int]:
        """One row and the offset after it; no row where it is wrong."""
        row: list[Cell] = []
        append, match, text = row.append, _CELL.match, self.text
        while True:
            found = match(text, position)
            if found is None or ((plain := found["plain"]) is not None and any(sign in plain for sign in _MARKS)):
                after = _end_of_formula(text, position)
                if after is not None:
                    append(self._plain(text[position:after], position))
                    position = after + 1
                    if text[after : after + 1] != ",":
                        return tuple(row), min(position, len(text))
                    continue
            if found is None:
                return (), self._complain(position)
            quoted, array, plain, end = found.group("quoted", "array", "plain", "end")
            if quoted is not None:
                append(unescape_cell(quoted))
            elif plain is not None:
                append(self._plain(plain, position))
            else:
                append(_truths(array))
            position = found.end()
            if end != ",":
                return tuple(row), position

    def _plain(self, cell: str, position: int) -> Cell:
        word = cell.strip()
        if not word:
            return None
        if " #" in word or "\t#" in word:  # a comment behind a value; in a text it is part of it
            said, _, _ = word.partition("#")
            if _VALUE.fullmatch(said.strip()):
                word = said.strip()
        if _NUMBER.fullmatch(word):
            value = number(word)
            if value is None:
                self._problem(
                    "this number is too large", position, "Write it in quotes to keep it as a text.", len(word)
                )
            return value
        return _WORDS[word.upper()] if word.upper() in _WORDS else Unquoted(word)

    def _complain(self, position: int) -> int:
        """Say what is wrong with the cell here; the offset after its line."""
        text = self.text
        while text[position].isspace():
            position += 1
        if text[position] == '"':
            return self._complain_of_quotes(position)
        if text[position] == "{":
            hint = 'Several truths are written {"a", "b"}; a text with a brace in it goes in quotes.'
            self._problem("expected texts or numbers in braces", position, hint)
        else:
            hint = 'Put the whole cell in quotes, and write a quote in it as "".'
            self._problem("a quote inside a cell that does not begin with one", text.find('"', position), hint)
        return self._next_line(position)

    def _complain_of_quotes(self, position: int) -> int:
        closed = _QUOTED.match(self.text, position)
        if closed is None:
            self._problem('this text is not closed: there is no " after it', position, _APOSTROPHE)
            return len(self.text)
        message = 'expected a comma or the end of the row after the closing "'
        hint = 'A quote inside a text is written "". Put a comment on a line of its own.'
        self._problem(message, closed.end(), _APOSTROPHE if "'\"" in closed[0] else hint)
        return self._next_line(closed.end())

    def _misplaced(self, position: int) -> bool:
        """A field or a section where a row should be."""
        found = _MISPLACED.match(self.text, position)
        if found is None or (found["section"] and self.columns == 1):
            return False
        what = f'"{found["section"].lower()}"' if found["section"] else "a field"
        hint = "The override is the last part of a table. A row that begins like this goes in quotes."
        self._problem(f"{what} is not allowed among the rows of an override", position, hint)
        return True

    def _problem(self, message: str, position: int, hint: str, width: int = 1) -> None:
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        self.problems.append(Problem(message, file=self.file, line=line, column=column, width=width, hint=hint))

    def _next_line(self, position: int) -> int:
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end + 1


def _end_of_formula(text: str, position: int) -> int | None:
    """The offset of the comma or newline behind a formula; None where its brackets are not closed, or where it begins
    with a text that nothing follows."""
    if _BEGINS_WITH_TEXT.match(text, position) and _TEXT_FORMULA.match(text, position) is None:
        return None
    open_brackets: list[str] = []
    while position < len(text):
        part = _PART.match(text, position)
        sign = part[0] if part is not None else ""
        if sign in _OPENS:
            open_brackets.append(sign)
        elif sign in _CLOSES:
            if not open_brackets or _OPENS.index(open_brackets.pop()) != _CLOSES.index(sign):
                return None
        elif sign == "\n" or sign == '"' or (sign == "," and not open_brackets):
            return None if sign == '"' or open_brackets else position
        position += max(1, len(sign))
    return None if open_brackets else len(text)


def _truths(array: str) -> str:
    """The values in braces as one text: ``;`` between them, and ``';`` for one inside a value (see ``truths``)."""
    items = [unescape(item[1:-1]) if item.startswith('"') else item for item in _ARRAY_ITEM.findall(array[1:-1])]
    written = [re.sub(r"('*);", r"\1\1';", item) for item in items]
    return ";".join([re.sub(r"('*)$", r"\1\1", item) for item in written[:-1]] + written[-1:])
