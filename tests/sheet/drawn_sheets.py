"""Random sheets, for what must hold of every sheet."""

from __future__ import annotations

from hypothesis import strategies as st

from karat.sheet.text.escapes import FORMULA_WORDS, KEYWORDS
from karat.sheet.text.tree import (
    Apply,
    Array,
    Binary,
    Boolean,
    Call,
    Decorator,
    Element,
    Expr,
    Field,
    FieldOf,
    Fields,
    FieldsOf,
    Missing,
    Number,
    Override,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
    Total,
    Unary,
)

# Characters that mean something, so that escapes are met often, beside any others.
_CHARACTER = st.one_of(
    st.sampled_from("ab '\"[]();,#{}\\!=-"), st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])
)
one_line = st.text(_CHARACTER, max_size=8)
names = st.one_of(
    st.sampled_from(["T", "Evaluation", "table", "And", "key", "a b", "x'y"]),
    st.text(_CHARACTER, min_size=1, max_size=6),
)
words = one_line.map(str.strip)
functions = st.one_of(
    st.sampled_from(["FILTER", "SORT", "RECALL", "TABLE"]), st.from_regex(r"[A-Z_][A-Z0-9_]{0,5}", fullmatch=True)
).filter(lambda name: name not in FORMULA_WORDS)
numbers = st.one_of(st.integers(0, 10**25), st.floats(0, 1e300, allow_nan=False).map(abs))
signed_numbers = st.one_of(st.integers(-(10**25), 10**25), st.floats(allow_nan=False, allow_infinity=False))
operators = st.sampled_from(["^", "*", "/", "MOD", "+", "-", "&", "<", ">", "=", "<=", ">=", "<>", "AND", "OR"])

leaves: st.SearchStrategy[Expr] = st.one_of(
    st.builds(Number, numbers),
    st.builds(Text, one_line),
    st.just(Missing()),
    st.builds(Boolean, st.booleans()),
    st.just(Element()),
    st.builds(TableName, names),
    st.builds(OwnField, names),
)


def _larger(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    several = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(FieldOf, inner, names),
        st.builds(FieldsOf, inner, st.lists(names, min_size=1, max_size=3).map(tuple)),
        st.builds(Call, functions, several, st.booleans()),
        st.builds(Binary, operators, inner, inner),
        st.builds(Unary, st.sampled_from(["NOT", "-"]), inner),
        st.builds(Array, several),
    )


expressions = st.recursive(leaves, _larger, max_leaves=12)

decorators = st.builds(
    Decorator,
    st.one_of(
        st.sampled_from([*KEYWORDS, *(word.lower() for word in FORMULA_WORDS)]),
        st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True),
    ),
    st.lists(st.one_of(one_line, signed_numbers), max_size=2).map(tuple),
)
_some_words = st.lists(words, max_size=2).map(tuple)
_some_decorators = st.lists(decorators, max_size=2).map(tuple)
declared = st.builds(Field, names, st.booleans(), st.booleans(), _some_words, _some_decorators, comments=_some_words)
field_lines = st.builds(Fields, st.lists(declared, min_size=1, max_size=2).map(tuple), st.none() | expressions)
_lines = st.lists(field_lines, max_size=3).map(tuple)
applies = st.builds(Apply, st.none() | expressions, st.lists(expressions, max_size=2).map(tuple), comments=_some_words)
totals = st.builds(Total, _lines, comments=_some_words)
_cells = st.one_of(st.none(), signed_numbers, one_line, st.sampled_from(["a\nb", "table T", "NA", "007", "1", ""]))
_rows = st.lists(st.lists(_cells, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
overrides = st.builds(Override, st.lists(names, min_size=1, max_size=3).map(tuple), _rows, comments=_some_words).filter(
    lambda one: (None,) not in (one.rows if len(one.columns) > 1 else one.rows[-1:])
)
"""A blank line is a row only where there is one column, and not at the end."""
tables = st.builds(
    Table,
    names,
    _lines,
    _some_words,
    _some_decorators,
    st.none() | applies,
    st.lists(totals, max_size=2).map(tuple),
    st.none() | overrides,
    comments=_some_words,
)
sheets = st.builds(Sheet, st.lists(tables, max_size=3).map(tuple), comments=_some_words)
