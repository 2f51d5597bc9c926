"""Functions of texts. A number is taken as it is written. Capital and small letters differ."""

from __future__ import annotations

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.values import LONGEST_TEXT, NA, Array, TableValue, Value, Wrong, many, text, whole


def _left(value: Value, count: Value = 1) -> str:
    return text(value, "LEFT")[: _length(count, "LEFT")]


def _right(value: Value, count: Value = 1) -> str:
    found, length = text(value, "RIGHT"), _length(count, "RIGHT")
    return found[len(found) - length :] if length < len(found) else found


def _length(value: Value, name: str) -> int:
    found = whole(value, name)
    if found < 0:
        raise Wrong(f"{name} needs a length of 0 or more, but was given {found}")
    return found


def split(value: Value, separator: Value) -> Array:
    """The parts of a text between the separators."""
    parts = text(value, "SPLIT")
    mark = text(separator, "SPLIT")
    return Array(parts.split(mark) if mark else [parts])


def _textjoin(array: Value, separator: Value = ", ") -> Value:
    source = many(array)
    if isinstance(source, TableValue):
        raise Wrong("TEXTJOIN needs texts, but was given a table", "Name one of its fields: T[field].")
    if NA in source.items:
        return NA
    joined = text(separator, "TEXTJOIN").join(text(item, "TEXTJOIN") for item in source.items)
    if len(joined) > LONGEST_TEXT:
        raise Wrong(f"the text would be longer than {LONGEST_TEXT:,} characters")
    return joined


_TEXT = Parameter("text", "any text")

TEXTS = (
    Function(
        "LEN",
        "text",
        ((_TEXT,),),
        "How many characters a text has.",
        Example('LEN("Pear")', 4),
        lambda value: len(text(value, "LEN")),
    ),
    Function(
        "LOWER",
        "text",
        ((_TEXT,),),
        "The text in lower case.",
        Example('LOWER("Pear")', "pear"),
        lambda value: text(value, "LOWER").lower(),
    ),
    Function(
        "UPPER",
        "text",
        ((_TEXT,),),
        "The text in upper case.",
        Example('"Pear".UPPER()', "PEAR"),
        lambda value: text(value, "UPPER").upper(),
    ),
    Function(
        "TRIM",
        "text",
        ((_TEXT,),),
        "The text without leading and trailing spaces, and with single spaces inside.",
        Example('TRIM("  a   pear ")', "a pear"),
        lambda value: " ".join(text(value, "TRIM").split()),
    ),
    Function(
        "CONTAINS",
        "text",
        ((_TEXT, Parameter("part", "what to look for")),),
        "1 when the part occurs in the text.",
        Example('CONTAINS("Pear", "ea")', 1),
        lambda value, part: text(part, "CONTAINS") in text(value, "CONTAINS"),
    ),
    Function(
        "LEFT",
        "text",
        ((_TEXT, Parameter("count", "how many, 1 if left out", optional=True)),),
        "The first characters.",
        Example('LEFT("Pear", 2)', "Pe"),
        _left,
    ),
    Function(
        "RIGHT",
        "text",
        ((_TEXT, Parameter("count", "how many, 1 if left out", optional=True)),),
        "The last characters.",
        Example('RIGHT("Pear", 2)', "ar"),
        _right,
    ),
    Function(
        "SPLIT",
        "text",
        ((_TEXT, Parameter("separator", "the text between the parts")),),
        "The parts of a text as an array.",
        Example('SPLIT("a,b", ",")', ["a", "b"]),
        split,
        gives=1,
    ),
    Function(
        "TEXTJOIN",
        "text",
        (
            (
                Parameter("array", "the texts", "array"),
                Parameter("separator", "the text to put between, a comma and a space if left out", optional=True),
            ),
        ),
        "The elements as one text; NA if one of them is.",
        Example('{"a", "b"}.TEXTJOIN("-")', "a-b"),
        _textjoin,
    ),
)
