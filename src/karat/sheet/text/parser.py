"""From the text of a sheet to its tree.

``parse`` either gives the whole tree or raises a :class:`UserError` that lists the mistakes it found, each with its
place. It works in three steps: the scanner makes logical lines of tokens (``scanner``), the lines are cut into tables
here, and each table is parsed by the grammar (``grammar``). Where a line is wrong, it is left out and the rest of the
table is parsed again, to find the next mistake.

Nothing here recurses, and everything is bounded: the size of a file, how deep a formula may nest, how many mistakes are
reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any  # Any: the parser of lark takes anything that has a type as a token

from karat.core.problems import Problem, UserError, count_of
from karat.sheet.text.cell_formulas import with_cell_formulas
from karat.sheet.text.grammar import language
from karat.sheet.text.scanner import DEEPEST, Scanner
from karat.sheet.text.syntax_errors import explain_outside, explain_token
from karat.sheet.text.tokens import END, Line, Token
from karat.sheet.text.traversal import formulas, too_deep
from karat.sheet.text.tree import Sheet, Table

LARGEST_FILE = 64 * 1024 * 1024
MOST_PROBLEMS = 20
LARGE_TABLE = 20_000
"""A table of more tokens is not parsed again to look for a second mistake."""


def parse(text: str | bytes, file: str = "") -> Sheet:
    """The tree of a sheet.

    >>> parse("table T\\n    [x] = RANGE(3)").tables[0].name
    'T'
    """
    if len(text) > LARGEST_FILE:
        hint = 'Put large tables into separate files and read them with INPUT("file.csv").'
        problem = Problem(
            f"the sheet is larger than {LARGEST_FILE // 2**20} MiB", file=file, line=1, column=1, hint=hint
        )
        raise _error([problem])
    scanner = Scanner(_decoded(text, file), file).scan()
    problems = list(scanner.problems)
    tables: list[Table] = []
    for lines in [] if scanner.gave_up else _by_table(scanner.lines):
        if len(problems) >= MOST_PROBLEMS:
            break
        table = _parse_table(lines, file, problems)
        if table is not None:
            tables.append(table)
    if problems:
        raise _error(sorted(problems, key=lambda problem: (problem.line, problem.column))[:MOST_PROBLEMS])
    names = {table.name for table in tables}
    return Sheet(tuple(with_cell_formulas(table, names, parse, file) for table in tables), scanner.comments)


def _error(problems: list[Problem]) -> UserError:
    return UserError(f"the sheet cannot be read: {count_of(len(problems), 'mistake')}", problems=problems)


def _decoded(text: str | bytes, file: str) -> str:
    """The text with ``\\n`` as its only line end, and without the mark that some editors put at its start."""
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            before = error.object[: error.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            utf16 = text[:2] in (b"\xff\xfe", b"\xfe\xff")
            hint = "It looks like UTF-16. Save the file as UTF-8." if utf16 else "Save the file as UTF-8."
            message = f"the byte 0x{text[error.start]:02x} is not UTF-8"
            raise _error([Problem(message, file=file, line=line, column=column, hint=hint)]) from None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _by_table(lines: list[Line]) -> Iterator[list[Line]]:
    """The lines of each table. Docs and decorators just above the word ``table`` belong to it."""
    starts: list[int] = []
    for index, line in enumerate(lines):
        if _is_header(line):
            start = index
            while start > (starts[-1] + 1 if starts else 0) and _is_prelude(lines[start - 1]):
                start -= 1
            starts.append(start)
    cuts = sorted({0, *starts, len(lines)})
    for start, end in pairwise(cuts):
        yield lines[start:end]


def _is_header(line: Line) -> bool:
    return any(token.type == "TABLE" for token in line.tokens)


def _is_prelude(line: Line) -> bool:
    """A doc, or decorators and nothing else."""
    if line.first == "DOC":
        return True
    depth = 0
    for token in line.tokens[:-1]:
        if token.type in ("LPAR", "RPAR"):
            depth += 1 if token.type == "LPAR" else -1
        elif depth == 0 and token.type not in ("BANG", "FUNCTION", "NAME"):
            return False
    return line.first == "BANG"


def _parse_table(lines: list[Line], file: str, problems: list[Problem]) -> Table | None:
    """One table; None, with what is wrong added to ``problems``, where it has mistakes."""
    if not any(_is_header(line) for line in lines):
        _outside(lines, file, problems)
        return None
    known = len(problems)
    broken = [line for line in lines if line.broken]
    for line in broken:
        lines = _without(lines, line)
    large = sum(len(line.tokens) for line in lines) > LARGE_TABLE
    while len(problems) < MOST_PROBLEMS:
        table, wrong = _try(lines, file, problems)
        if table is not None and not broken and len(problems) == known:
            _check_sections(lines, file, problems)
            _check_depth(table, file, problems)
            return table
        if wrong is None or large:
            return None
        lines = _without(lines, wrong)
    return None


def _try(lines: list[Line], file: str, problems: list[Problem]) -> tuple[Table | None, Line | None]:
    """Parse: the table, or the line that is wrong."""
    from lark import UnexpectedToken

    run: Any = language().parser.parse_interactive()
    before: list[Token] = []
    line = lines[-1]
    try:
        for line in lines:
            for token in line.tokens:
                run.feed_token(token)
                before.append(token)
        end = Token(END, "", before[-1].line, before[-1].column)
        return run.feed_token(end), None
    except UnexpectedToken as error:
        token, expected = error.token, run.accepts()
        after = line.tokens[line.tokens.index(token) + 1 :] if token in line.tokens else []
        problems.append(explain_token(token, before, after, expected, file))
        return None, line


def _without(lines: list[Line], wrong: Line) -> list[Line]:
    """The lines without a wrong one, and without what means nothing when it is gone."""
    index = next((index for index, line in enumerate(lines) if line is wrong), None)
    if index is None:
        return lines
    if _is_header(wrong):
        place = wrong.tokens[0]
        name = Token("NAME", "", place.line, place.column, "")
        header = [Token("TABLE", "", place.line, place.column), name, Token("_NL", "", place.line, place.column)]
        return [Line(header), *lines[index + 1 :]]
    override = next((position for position, line in enumerate(lines) if line.first == "OVERRIDE"), len(lines))
    if index >= override:
        return lines[:override]
    start = index
    while start > 0 and _is_prelude(lines[start - 1]):
        start -= 1
    return lines[:start] + lines[index + 1 :]


def _outside(lines: list[Line], file: str, problems: list[Problem]) -> None:
    """Lines before the first table."""
    if not any(line.broken for line in lines):
        problems.append(explain_outside(lines[0].tokens, file))


def _check_sections(lines: list[Line], file: str, problems: list[Problem]) -> None:
    applies = [line.tokens[0] for line in lines if line.first == "APPLY"]
    for kind in ("FILTER", "SORT"):
        found = [line.tokens[0] for line in lines if line.first == kind]
        for twice in found[1:] if len(applies) == 1 else ():
            message = f'"{twice.text}" appears twice: here and in line {found[0].line}'
            hint = "Conditions are joined with AND; sort takes several expressions."
            width = len(twice.text)
            problems.append(Problem(message, file=file, line=twice.line, column=twice.column, width=width, hint=hint))
    for again in applies[1:]:
        message = f"a table can have only one apply; this one already has one in line {applies[0].line}"
        hint = "Conditions are joined with AND; sort takes several expressions."
        problems.append(Problem(message, file=file, line=again.line, column=again.column, width=5, hint=hint))


def _check_depth(table: Table, file: str, problems: list[Problem]) -> None:
    """Long chains such as ``a + b + …`` make deep trees without a bracket."""
    for formula in formulas(table):
        node = too_deep(formula, DEEPEST)
        if node is not None:
            message = f"the formula nests or chains more than {DEEPEST} operations"
            hint = "Move a part of it to a separate field, or use a function that takes many values, such as SUM or IN."
            at = node.at
            problems.append(Problem(message, file=file, line=at.line, column=at.column, width=at.width, hint=hint))
