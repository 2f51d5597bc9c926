"""XML as a plain tree, from a file that nobody vouches for.

Expat reads it with every door shut: a DOCTYPE ends the reading, so there are no entities and nothing outside is
opened, and nesting is bounded. Names lose their prefix, because agencies use any. What no reader of structures needs
is left out of the tree.
"""

from __future__ import annotations

from xml.parsers import expat

from karat.core.files.limits import DEPTH
from karat.suites.data_query.structures.records import Unusable

SKIPPED = frozenset(("Annotations", "Description", "Contact", "Link"))
"""Elements that are left out with all that is in them."""
_ENTITY_HINT = (
    "XML alone has only &amp; &lt; &gt; &quot; &apos; and numbers such as &#160;. Write the character itself."
)
LONGEST = 1_000_000
"""Characters of the text of one element that are kept. No id or name comes near."""


class Element:
    """An element: its local name, its attributes, its elements, its text."""

    __slots__ = ("attributes", "children", "line", "name", "text")

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.name, self.attributes, self.line = name, attributes, line
        self.children: list[Element] = []
        self.text = ""

    def get(self, name: str) -> str:
        """An attribute without blanks around it; empty when it is not there."""
        return self.attributes.get(name, "").strip()

    def all(self, *names: str) -> list[Element]:
        """The elements right inside that have one of these names."""
        return [child for child in self.children if child.name in names]

    def first(self, *names: str) -> Element | None:
        """The first of them."""
        return next((child for child in self.children if child.name in names), None)


def read_tree(text: str) -> Element:
    """The root of an XML text. Raises Unusable with the line."""
    parser = expat.ParserCreate()
    top = Element("", {}, 0)
    stack = [top]
    skipping = 0
    most = DEPTH.value

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal skipping
        local = name.rpartition(":")[2]
        if skipping or local in SKIPPED:
            skipping += 1
            if skipping > most:
                raise _too_deep(parser.CurrentLineNumber, most)
            return
        if len(stack) > most:
            raise _too_deep(parser.CurrentLineNumber, most)
        element = Element(local, attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)

    def end(_name: str) -> None:
        nonlocal skipping
        if skipping:
            skipping -= 1
        else:
            stack.pop()

    def characters(data: str) -> None:
        if not skipping and len(stack[-1].text) < LONGEST:
            stack[-1].text += data

    def doctype(*_: object) -> None:
        raise Unusable(
            "the XML has a DOCTYPE, which is not allowed",
            line=parser.CurrentLineNumber,
            hint="SDMX files need none: remove it.",
        )

    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(text, True)  # a text, so the encoding that it declares does not matter
    except expat.ExpatError as error:
        reason = expat.errors.messages.get(error.code, "syntax error")
        raise Unusable(
            f"not valid XML: {reason} (column {error.offset + 1})",
            line=error.lineno,
            hint=_ENTITY_HINT if reason == "undefined entity" else "Download the file again: it may be cut off.",
        ) from error
    return top.children[0]


def _too_deep(line: int, most: int) -> Unusable:
    return Unusable(
        f"the XML is nested more than {most:,} levels deep",
        line=line,
        hint=f"Is it the right file? {DEPTH.variable} raises the limit.",
    )
