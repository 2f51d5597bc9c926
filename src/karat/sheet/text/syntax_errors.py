"""Explain syntax errors: what was found, what was expected, and what was probably meant."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import Problem, did_you_mean, nearest
from karat.sheet.text.escapes import FORMULA_WORDS, KEYWORDS, table_literal
from karat.sheet.text.grammar import KEYWORD_TYPES
from karat.sheet.text.tokens import END, Token

_VALUE_BEGINS = {
    "NUMBER",
    "STRING",
    "NA",
    "TRUE",
    "FALSE",
    "ELEMENT",
    "FUNCTION",
    "NAME",
    "QUOTED",
    "FIELD",
    "LPAR",
    "LBRACE",
}
_VALUE_ENDS = {
    "NUMBER",
    "STRING",
    "NA",
    "TRUE",
    "FALSE",
    "ELEMENT",
    "NAME",
    "QUOTED",
    "FIELD",
    "RPAR",
    "RBRACE",
    "RSQB",
}
_OPERATORS = {"OR", "AND", "EQUAL", "COMPARISON", "JOIN", "PLUS", "MINUS", "TIMES", "OVER", "MOD", "POWER", "NOT"}
_BETWEEN = _OPERATORS - {"NOT", "MINUS"}
_ORDER = "A table contains its fields, then apply and total, then override."
_WANTED_AFTER = {
    "KEY": "a field such as [name]",
    "DIM": "a field such as [name]",
    "DOT": "a function such as COUNT()",
    "FILTER": "a condition",
    "SORT": "what to sort by",
    "BANG": "the name of a decorator",
    "LSQB": "a field such as [name]",
    "OVERRIDE": "a line with the columns, such as [a],[b],",
    "LPAR": "a value",
    "LBRACE": "a value",
    "COMMA": "a value",
}


def explain_outside(tokens: Sequence[Token], file: str) -> Problem:
    """Explain text before the first table."""
    first = tokens[0]
    if first.type == "NAME" and nearest(first.text, KEYWORDS):
        return _problem(first, f'unknown word "{first.text}"', did_you_mean(first.text, KEYWORDS), file)
    if first.type in ("BANG", "DOC"):
        return _problem(first, "no table follows this doc or decorator", 'A table begins with "table NAME".', file)
    return _problem(first, f"{_what(first)} is outside any table", 'A table begins with "table NAME".', file)


def explain_token(
    token: Token, before: Sequence[Token], after: Sequence[Token], expected: set[str], file: str
) -> Problem:
    """Why this token cannot follow those before it. ``expected`` are the types of those that could."""
    previous = before[-1] if before else Token("", "", token.line, token.column)
    following = after[0].type if after else ""
    if previous.type in ("", "_NL"):
        message, hint = _at_line_start(token, following, before)
    elif previous.type == "TABLE":
        message, hint = _as_table_name(token)
    elif len(before) > 1 and before[-2].type == "TABLE":
        message, hint = f"expected the end of the line after the table's name, but there is {_what(token)}", ""
        if token.type == "NAME":
            hint = f"A name with spaces is written in quotes: '{previous.text} {token.text}'."
    elif "FUNCTION" in expected and previous.type == "BANG" and token.type == "NAME":
        message, hint = f"expected ( after the decorator {token.text}", f"Write !{token.text}()."
    elif _in_decorator(before):
        message, hint = f"{_what(token)} cannot be an argument of a decorator", "Decorators take texts and numbers."
    elif "FUNCTION" in expected and previous.type == "DOT":
        message = f"expected a function after ., but there is {_what(token)}"
        hint = f"Write {token.text}()." if token.type == "NAME" else ""
    else:
        message, hint = _in_formula(token, previous, following, before, expected)
    return _problem(token, message, hint, file)


def _at_line_start(token: Token, following: str, before: Sequence[Token]) -> tuple[str, str]:
    """A line that begins with something a line cannot begin with here."""
    if len(before) > 1 and before[-2].type == "OVERRIDE":
        return "expected the columns of the override", "Write them as [a],[b]."
    if token.type in (END, "ROWS"):
        return "nothing follows this doc or decorator", "It must be directly above a table or a field."
    if token.type in ("NAME", "FUNCTION"):
        if following == "EQUAL":
            return f'"{token.text}" is not the name of a field', f"Fields are written in brackets: [{token.text}]."
        return f'unknown word "{token.text}"', did_you_mean(token.text, KEYWORDS)
    if token.type in ("FILTER", "SORT"):
        hint = "filter comes before sort." if any(earlier.type == "SORT" for earlier in before) else ""
        return f'"{token.text}" is not allowed here', hint or 'It belongs under "apply".'
    if token.type in KEYWORD_TYPES:
        return f'"{token.text}" is not allowed here', _ORDER
    if token.type == "FIELD":
        return "a field is not allowed here", _ORDER
    return f"a line cannot begin with {_what(token)}", "A line of a table declares a field, such as [name] = formula."


def _as_table_name(token: Token) -> tuple[str, str]:
    message = "expected a name after table"
    if token.type in ("_NL", END):
        return message, "Such as: table Ingredients."
    if token.type == "FIELD":
        return message, f"The name of a table is written without brackets: {table_literal(str(token.value))}."
    if token.text.upper() in FORMULA_WORDS:
        return message, f"{token.text} is a word of the language. In quotes it can be a name: '{token.text}'."
    return f"{message}, but there is {_what(token)}", "A name with spaces or signs is written in quotes: 'My table'."


def _in_formula(
    token: Token, previous: Token, following: str, before: Sequence[Token], expected: set[str]
) -> tuple[str, str]:
    defining = previous.type == "EQUAL" and not _on_its_line(before[:-1], "EQUAL")
    if previous.type == "EQUAL" and token.type == "EQUAL":
        return "expected a value after =", "Equality is written with one =."
    if token.type == "BANG" and previous.type in ("DIM", "KEY"):
        return f"a decorator goes before {previous.text}", f"Such as: !hidden() {previous.text} [name] = formula."
    if token.type == "BANG":
        return "! is not allowed in a formula", "Not equal is written <>, and the opposite NOT."
    if previous.type in _OPERATORS or (previous.type in _WANTED_AFTER and "FIELD" in expected):
        wanted = "a formula" if defining else _WANTED_AFTER.get(previous.type, "a value")
        found = "" if token.type in ("_NL", END) else f", but there is {_what(token)}"
        infix = token.type in ("AND", "OR", "MOD") and following == "LPAR"
        hint = f"{token.text.upper()} goes between its two operands: a {token.text.upper()} b." if infix else ""
        return f"expected {wanted} after {previous.text}{found}", hint
    if previous.type in _VALUE_ENDS and token.type in _VALUE_BEGINS:
        return f"expected an operator or a comma before {_what(token)}", _forgotten_operator(previous, token)
    if token.type in _BETWEEN and previous.type in ("LPAR", "LBRACE", "COMMA"):
        return f"expected a value before {token.text}", ""
    if token.type in ("_NL", END):
        return f"the line ends too early after {_what(previous)}", _expected(expected)
    if previous.type == "_LSQB":
        return (
            f"expected a field such as [name], but there is {_what(token)}",
            "A bracket inside a name is written '[ or '].",
        )
    return f"unexpected {_what(token)} here", _expected(expected)


def _forgotten_operator(previous: Token, token: Token) -> str:
    if token.type == "NAME" and previous.type == "NAME":
        return f"A table's name with spaces is written in quotes: '{previous.text} {token.text}'."
    if token.type in ("NAME", "FUNCTION") and nearest(token.text, FORMULA_WORDS[:4]):
        return did_you_mean(token.text, FORMULA_WORDS[:4])
    return ""


def _in_decorator(before: Sequence[Token]) -> bool:
    """Whether the last open bracket is that of a decorator."""
    depth = 0
    for index in range(len(before) - 1, 1, -1):
        kind = before[index].type
        if kind == "_NL":
            return False
        depth += {"RPAR": 1, "LPAR": -1}.get(kind, 0)
        if depth < 0:
            return before[index - 2].type == "BANG"
    return False


def _on_its_line(before: Sequence[Token], kind: str) -> bool:
    for token in reversed(before):
        if token.type == "_NL":
            return False
        if token.type == kind:
            return True
    return False


def _what(token: Token) -> str:
    """The token as a reader would call it."""
    shown = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    match token.type:
        case "_NL":
            return "the end of the line"
        case "$END":
            return "the end of the table"
        case "STRING":
            return f"the text {shown}"
        case "NUMBER":
            return f"the number {shown}"
        case "FIELD":
            return f"the field {shown}"
        case "NAME" | "QUOTED":
            return f"the name {shown}"
        case "FUNCTION":
            return f"the function {shown}"
        case "DOC":
            return "a doc"
        case "ROWS":
            return "the rows of the override"
        case _:
            return f'"{shown}"'


_NAMES = {
    "_NL": "the end of the line",
    END: "the end of the table",
    "COMMA": "a comma",
    "LPAR": "(",
    "RPAR": ")",
    "RBRACE": "}",
    "RSQB": "]",
    "EQUAL": "=",
    "FIELD": "a field such as [name]",
    "NAME": "a name",
    "FUNCTION": "a function",
    "STRING": "a text",
    "NUMBER": "a number",
}


def _expected(expected: set[str]) -> str:
    """What could come here, if that is a short list."""
    if expected >= {"NUMBER", "STRING", "LPAR"}:
        return "Expected: a value."
    names = [name for kind, name in _NAMES.items() if kind in expected]
    if expected & _BETWEEN:
        names.append("an operator")
    return (
        f"Expected: {', '.join(names[:-1])} or {names[-1]}."
        if len(names) > 1
        else f"Expected: {names[0]}."
        if names
        else ""
    )


def _problem(token: Token, message: str, hint: str, file: str) -> Problem:
    width = max(1, len(token.text))
    return Problem(message, file=file, line=token.line, column=token.column, width=width, hint=hint)
