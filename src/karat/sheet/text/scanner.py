"""From the text of a file to logical lines of tokens. Everything that depends on where a line ends is settled here.

The scanner knows when a bracket is open (then a newline is only a space), where a keyword is allowed, what is a
comment, and where the rows of an override begin. It never stops at a mistake: the line is marked as broken, and the
next one is read. How deep brackets nest is bounded, so later steps never meet a tree that is too deep for them.
"""

from __future__ import annotations

import re

from karat.core.problems import Problem
from karat.sheet.text.escapes import name_in_quotes, unescape
from karat.sheet.text.grammar import language
from karat.sheet.text.override_rows import number, read_rows, starts_something
from karat.sheet.text.stray_characters import explain_character
from karat.sheet.text.tokens import Line, Token

DEEPEST = 200
MOST_TOKENS = 200_000
MOST_PROBLEMS = 20

_OPENERS = {"LPAR": "(", "LBRACE": "{", "_LSQB": "["}
_CLOSERS = {"RPAR": "LPAR", "RBRACE": "LBRACE", "RSQB": "_LSQB"}
_SIGNS = {**_OPENERS, "RPAR": ")", "RBRACE": "}", "RSQB": "]"}
# On a line that begins like this, an open bracket was forgotten: no formula goes on so.
_NEW_SECTION = r"table[^\S\n]+(?:'[^\n]*'|\w+)[^\S\n]*(?:#[^\n]*)?(?:\n|\Z)|override[^\S\n]*(?:\n|\Z)"
_SURELY_NEW = re.compile(rf"[^\S\n]*(?:{_NEW_SECTION}|![^\S\n]*\w)", re.IGNORECASE)
_NEITHER_FIELD = re.compile(rf"[^\S\n]*(?:{_NEW_SECTION})", re.IGNORECASE)
_HEADER = re.compile(r"[^\S\n]*(?:\[|(?:row|key)(?!\w))", re.IGNORECASE)
_LEADING_COMMA = re.compile(r"[^\S\n]*,")
_BLANK = re.compile(r"(?:[^\S\n]*(?:#(?!#)[^\n]*)?\n)*")


class Scanner:
    """Reads one text. ``lines`` and ``problems`` are the result; ``comments`` those after the last line."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.lines: list[Line] = []
        self.problems: list[Problem] = []
        self.comments: tuple[str, ...] = ()
        self.gave_up = False
        self._current = Line()
        self._open: list[Token] = []
        self._declaring = True
        self._row = 1
        self._row_start = 0
        self._tokens = 0

    def scan(self) -> Scanner:
        """Read the whole text."""
        position, end = 0, len(self.text)
        while position < end and len(self.problems) < MOST_PROBLEMS and self._tokens <= MOST_TOKENS:
            found = self._pattern().match(self.text, position)
            if found is None:
                position = self._stray(position)
                continue
            kind, after = str(found.lastgroup), found.end()
            if kind == "_NL":
                after = self._newline(position, after)
            elif kind == "CONTINUE":
                self._begin_row(after)
            elif kind == "COMMENT" or (kind == "DOC" and not self._doc_can_stand_here()):
                self._current.comments.append(found[0][1 if kind == "COMMENT" else 2 :].strip())
            elif kind != "WHITESPACE":
                self._token(Token(kind, found[0], self._row, position - self._row_start + 1))
            position = after
        if self._tokens > MOST_TOKENS:
            hint = 'Put large data into separate files and read them with INPUT("file.csv").'
            self._problem(f"more than {MOST_TOKENS:,} words and signs outside of overrides", position, 1, hint)
        self.gave_up = position < end
        if self.gave_up:
            self._open.clear()  # what is open half-way says nothing
        self._newline(end, end)
        self.comments = tuple(self._current.comments)
        return self

    def _pattern(self) -> re.Pattern[str]:
        """The pattern for the next token: a keyword only in a declaration, and after a ``!`` no reserved word: a
        decorator may be called ``or``."""
        if self._current.tokens and self._current.tokens[-1].type == "BANG":
            return language().named
        return language().declaring if self._declaring and not self._open else language().inside

    # -- tokens -------------------------------------------------------------------------------------------------------

    def _token(self, token: Token) -> None:
        kind = token.type
        self._tokens += 1
        self._current.tokens.append(token)
        if kind in _OPENERS:
            self._open.append(token)
            if len(self._open) == DEEPEST + 1:
                self._complain(
                    token,
                    f"brackets are nested more than {DEEPEST} deep",
                    "Move a part of the formula to a separate field.",
                )
        elif kind in _CLOSERS:
            self._close(token)
        elif kind in ("EQUAL", "TABLE", "FILTER", "SORT"):
            self._declaring = self._declaring and bool(self._open)
        elif kind == "FIELD":
            token.value = unescape(token.text[1:-1])
            if not token.value:
                self._complain(token, "a field needs a name between its brackets", "")
        elif kind == "STRING":
            token.value = unescape(token.text[1:-1])
        elif kind == "NUMBER":
            token.value = number(token.text)
            if token.value is None:
                self._complain(token, "this number is too large", "Write it in quotes to keep it as a text.")
        elif kind == "NAME":
            token.value = token.text
        elif kind == "QUOTED":
            token.value = name_in_quotes(token.text[1:-1])
            if not token.value:
                self._complain(
                    token, "a table needs a name between its quotes", 'A text is written in double quotes: "".'
                )
        elif kind == "DOC":
            token.value = token.text[2:].strip()

    def _close(self, token: Token) -> None:
        if not self._open:
            self._complain(token, f"no {_SIGNS[_CLOSERS[token.type]]} is open that this {token.text} could close", "")
            return
        opener = self._open.pop()
        if opener.type != _CLOSERS[token.type]:
            line = "" if opener.line == token.line else f" of line {opener.line}"
            self._complain(token, f"this {token.text} does not close the {_SIGNS[opener.type]}{line}", "")

    def _doc_can_stand_here(self) -> bool:
        """A ``##`` after something on its line, or inside a formula, is only a comment."""
        if self._open or not self._declaring:
            return False
        return not self._current.tokens or self._current.tokens[-1].type in ("COMMA", "RPAR")

    # -- lines --------------------------------------------------------------------------------------------------------

    def _newline(self, position: int, after: int) -> int:
        """The end of a line of the file, and of a logical line if no bracket is open; where to read on."""
        line, start = self._current, self._row_start
        at_end = after == len(self.text)
        goes_on = not _SURELY_NEW.match(self.text, after) if self._open else self._more_fields(after)
        if goes_on and not at_end:
            self._begin_row(after)
            return after
        if self._open:
            opener = self._open[0]
            self._complain(opener, f"this {_SIGNS[opener.type]} is never closed", "")
            self._open.clear()
        self._declaring = True
        self._begin_row(after)
        if not line.tokens and not line.broken:
            return after
        if line.tokens:
            line.tokens.append(Token("_NL", "", self._row - 1, position - start + 1))
            line.tokens[0].comments = tuple(line.comments)
        self._current = Line(comments=[] if line.tokens else line.comments)
        header = bool(self.lines) and self.lines[-1].first == "OVERRIDE" and line.first not in ("TABLE", "BANG", "DOC")
        self.lines.append(line)
        if header:
            return self._read_rows(after, sum(token.type in ("FIELD", "ROW") for token in line.tokens))
        return self._without_header(after) if line.first == "OVERRIDE" else after

    def _more_fields(self, after: int) -> bool:
        """Whether a list of fields goes on in the next line: a comma ends this one or begins that one."""
        kinds = [token.type for token in self._current.tokens]
        header = bool(self.lines) and self.lines[-1].first == "OVERRIDE"
        if not self._declaring or header or "FIELD" not in kinds:
            return False
        if kinds[-1] == "COMMA" or ("COMMA" in kinds and kinds[-1] == "RPAR"):  # a decorator before the next field
            return _NEITHER_FIELD.match(self.text, after) is None
        return _LEADING_COMMA.match(self.text, after) is not None

    def _begin_row(self, start: int) -> None:
        self._row += 1
        self._row_start = start

    def _without_header(self, position: int) -> int:
        """After the word ``override``: if no columns follow but rows do, say so and read them, so that they are not
        taken for formulas."""
        blank = _BLANK.match(self.text, position)
        first = blank.end() if blank else position
        if first == len(self.text) or _HEADER.match(self.text, first) or starts_something(self.text, first):
            return position
        self._row += self.text.count("\n", position, first)
        self._row_start = first
        self._problem("expected the columns of the override before its rows", first, 1, "Write them as [a],[b].")
        self.lines[-1].broken = True
        return self._read_rows(first, 0)

    def _read_rows(self, position: int, columns: int) -> int:
        block = read_rows(self.text, position, self._row, columns, self.file)
        token = Token("ROWS", "", self._row, 1, block.rows)
        self.lines.append(Line([token], broken=bool(block.problems)))
        self.problems += block.problems
        self._row = block.line
        self._row_start = block.end
        return block.end

    # -- mistakes -----------------------------------------------------------------------------------------------------

    def _stray(self, position: int) -> int:
        """No token begins here: say why, and go on behind it."""
        stray = explain_character(self.text, position)
        if self._current.broken:
            end = self.text.find("\n", position)
            return len(self.text) if end < 0 else end
        self._problem(stray.message, position, stray.width, stray.hint)
        self._current.broken = True
        self._row += self.text.count("\n", position, stray.end)
        self._row_start = max(self._row_start, self.text.rfind("\n", 0, stray.end) + 1)
        return stray.end

    def _complain(self, token: Token, message: str, hint: str) -> None:
        """One complaint for a line is enough: what follows it is often only its consequence."""
        if not self._current.broken:
            self.problems.append(
                Problem(message, file=self.file, line=token.line, column=token.column, width=len(token.text), hint=hint)
            )
        self._current.broken = True

    def _problem(self, message: str, position: int, width: int, hint: str) -> None:
        column = position - self._row_start + 1
        self.problems.append(Problem(message, file=self.file, line=self._row, column=column, width=width, hint=hint))
