"""Format a sheet: one layout, whatever the original looked like.

Four spaces before a field, one blank line between tables, one space around operators, no parentheses that change
nothing, and what is longer than 100 columns broken inside its parentheses. Comments and docs stay; a comment inside a
formula moves above its field. How a call was written (``a.F(b)`` or ``F(a, b)``) is kept, for it is the author's
choice. Parsing the result gives the same tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from karat.sheet.text.escapes import cell_literal, field_literal, table_literal, text_literal
from karat.sheet.text.layout import Break, Document, Group, Indented, Joined, Only, set_text
from karat.sheet.text.traversal import children, nodes_upwards, with_table_calls
from karat.sheet.text.tree import (
    ROW_COLUMN,
    TABLE_CALL,
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
    Omitted,
    Override,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
    Typed,
    Unary,
)

WIDTH = 100
NO_WIDTH = 1_000_000
STEP = "    "

_TIGHTNESS = {
    "OR": 1,
    "AND": 2,
    "=": 3,
    "<": 3,
    ">": 3,
    "<=": 3,
    ">=": 3,
    "<>": 3,
    "&": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "MOD": 6,
    "^": 7,
}
_UNARY = 8
_POSTFIX = 9


def format_sheet(sheet: Sheet) -> str:
    """The whole sheet in its one layout."""
    tables = {table.name for table in sheet.tables}
    sheet = with_table_calls(sheet, lambda name: name if name in tables else None)
    parts = ["".join(f"{line}\n" for line in _table(table)) for table in sheet.tables]
    if sheet.comments:
        parts.append("".join(f"{line}\n" for line in _comments(sheet.comments)))
    return "\n".join(parts)


def _table(table: Table) -> Iterable[str]:
    yield from _above(table.comments, table.docs, table.decorators)
    yield f"table {table_literal(table.name)}"
    for line in table.fields:
        yield from _fields(line)
    if table.apply is not None:
        yield from _comments(table.apply.comments)
        yield "apply"
        if table.apply.filter is not None:
            yield _set(f"{STEP}filter ", [table.apply.filter])
        if table.apply.sort:
            yield _set(f"{STEP}sort ", table.apply.sort)
    for total in table.totals:
        yield from _comments(total.comments)
        yield "total"
        for line in total.fields:
            yield from _fields(line)
    if table.override is not None:
        yield from _override(table.override)


def _fields(line: Fields) -> Iterable[str]:
    """One declaration. A doc or decorator of a later field of the line goes right before that field."""
    yield from (STEP + above for above in _comments([text for field in line.fields for text in field.comments]))
    first = line.fields[0]
    yield from (STEP + above for above in _above((), first.docs, first.decorators))
    head = STEP + _declared(first)
    for field in line.fields[1:]:
        head += ","
        head += "".join(f" {_doc(doc)}\n{STEP[1:]}" for doc in field.docs)
        head += "".join(f" {_decorator(decorator)}" for decorator in field.decorators) + f" {_declared(field)}"
    yield head if line.formula is None else _set(f"{head} = ", [line.formula])


def _declared(field: Field) -> str:
    return f"{'key ' if field.key else ''}{'dim ' if field.dim else ''}{field_literal(field.name)}"


def _override(override: Override) -> Iterable[str]:
    yield from _comments(override.comments)
    yield "override"
    yield ",".join(_column(column, override) for column in override.columns)
    for row in override.rows:
        yield ",".join(_cell(cell) for cell in row)


def _column(column: str, override: Override) -> str:
    if column == ROW_COLUMN:
        return "row"
    return f"{'key ' if column in override.keys else ''}{field_literal(column)}"


def _cell(cell: Typed) -> str:
    match cell:
        case None:
            return ""
        case str():
            return cell_literal(cell)
        case bool():
            return "TRUE" if cell else "FALSE"
        case int() | float():
            return repr(cell)
        case _:
            written = set_text(Group((_document(cell),)), width=NO_WIDTH)
            # What begins so would be read as a field or as a text.
            return f"({written})" if written.startswith(("[", '"')) else written


def _above(comments: Sequence[str], docs: Sequence[str], decorators: Sequence[Decorator]) -> Iterable[str]:
    yield from _comments(comments)
    yield from (_doc(doc) for doc in docs)
    yield from (_decorator(decorator) for decorator in decorators)


def _comments(comments: Sequence[str]) -> Iterable[str]:
    return (f"# {comment}".rstrip() for comment in comments)


def _doc(doc: str) -> str:
    return f"## {doc}".rstrip()


def _decorator(decorator: Decorator) -> str:
    arguments = (text_literal(value) if isinstance(value, str) else repr(value) for value in decorator.arguments)
    return f"!{decorator.name}({', '.join(arguments)})"


# -- formulas ---------------------------------------------------------------------------------------------------------


def _set(head: str, formulas: Sequence[Expr]) -> str:
    """A line that begins with ``head`` and continues with formulas. A line breaks only inside of parentheses: they
    are put around a formula that must be."""
    parts: list[Document] = []
    for formula in formulas:
        document = _document(formula)
        if isinstance(formula, Binary):
            document = Group((Only("("), Indented((Break(), document)), Break(), Only(")")))
        parts += [", ", document] if parts else [document]
    return head + set_text(Joined(tuple(parts)), width=WIDTH, indent=len(STEP), column=len(head) - head.rfind("\n") - 1)


def _document(root: Expr) -> Document:
    """The formula as a document, built from its leaves up."""
    built: list[tuple[Expr, Document]] = []
    for node in nodes_upwards(root):
        count = len(children(node))
        below = built[len(built) - count :]
        del built[len(built) - count :]
        built.append((node, _node(node, below)))
    return built[0][1]


def _node(node: Expr, below: list[tuple[Expr, Document]]) -> Document:
    match node:
        case Number(value=value):
            return repr(value)
        case Text(value=text):
            return text_literal(text)
        case Missing():
            return "NA"
        case Boolean(value=value):
            return "TRUE" if value else "FALSE"
        case Element():
            return "$"
        case TableName(name=name):
            return table_literal(name)
        case OwnField(name=name):
            return field_literal(name)
        case FieldOf(name=name):
            return Joined((_within(below[0], _POSTFIX), field_literal(name)))
        case FieldsOf(names=names):
            listed = ",".join(field_literal(name) for name in names)
            return Joined((_within(below[0], _POSTFIX), f"[{listed}]"))
        case Call(name=name, dotted=True) if below:
            return Joined(
                (_within(below[0], _POSTFIX), f".{name}", _enclosed("(", [part for _, part in below[1:]], ")"))
            )
        case Call(name=name) if name == TABLE_CALL:
            return Joined((below[0][1], _enclosed("(", [part for _, part in below[1:]], ")")))
        case Omitted():
            return ""
        case Call(name=name):
            return Joined((name, _enclosed("(", [part for _, part in below], ")")))
        case Array(items=items, alternatives=True):
            return "|".join(str(item.value) for item in items if isinstance(item, Number))
        case Array():
            return _enclosed("{", [part for _, part in below], "}")
        case Unary(operator=operator):
            return Joined(("NOT " if operator == "NOT" else "-", _within(below[0], _UNARY)))
        case Binary(operator=operator):
            tightness = _TIGHTNESS[operator]
            left, right = _within(below[0], tightness), _within(below[1], tightness + 1)
            # In a chain such as a + b - c all operators are at line starts, or none. Any other part is tried by itself.
            chain = isinstance(below[0][0], Binary) and _TIGHTNESS[below[0][0].operator] == tightness
            return Joined((left if chain else Group((left,)), Break(" "), f"{operator} ", Group((right,))))


def _within(part: tuple[Expr, Document], tightness: int) -> Document:
    """A part of something that binds this tightly, in parentheses if it binds less."""
    node, document = part
    match node:
        case Binary(operator=operator):
            own = _TIGHTNESS[operator]
        case Unary():
            own = _UNARY
        case Number(value=value) if value < 0:
            own = _UNARY
        case _:
            own = _POSTFIX
    return _enclosed("(", [document], ")") if own < tightness else document


def _enclosed(opening: str, parts: Sequence[Document], closing: str) -> Document:
    """Parts in brackets, with commas between them; when broken, one per line."""
    if not parts:
        return opening + closing
    inside: list[Document] = [Break()]
    for index, part in enumerate(parts):
        inside += [part if index == len(parts) - 1 else Joined((part, ","))]
        inside += [] if index == len(parts) - 1 else [Break(" ")]
    return Group((opening, Indented(tuple(inside)), Break(), closing))
