"""A chunk: a text that knows which part of which document it is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Document:
    """A file by its name in the sheet, and its whole text."""

    name: str
    text: str


@dataclass(frozen=True)
class Cutting:
    """How documents were cut, and which share of a span must be retrieved."""

    size: int
    overlap: int
    cover: Fraction = Fraction(1)

    @property
    def label(self) -> str:
        """``200/50``"""
        return f"{self.size}/{self.overlap}"


class Chunk(str):
    """The text of a chunk. It is the same text to every function; two chunks are equal only in the same place of the
    same document, cut in the same way, so that equal words elsewhere stay another chunk."""

    __slots__ = ("cutting", "document", "end", "start")

    document: Document
    start: int
    end: int
    cutting: Cutting

    def __new__(cls, document: Document, start: int, end: int, cutting: Cutting) -> Chunk:
        made = super().__new__(cls, document.text[start:end])
        made.document, made.start, made.end, made.cutting = document, start, end, cutting
        return made

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Chunk):
            return self._place() == other._place()
        return str.__eq__(self, other) if isinstance(other, str) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __reduce__(self) -> tuple[type[Chunk], tuple[Document, int, int, Cutting]]:
        return Chunk, (self.document, self.start, self.end, self.cutting)

    @property
    def name(self) -> str:
        """``guide.md#0-180``: the part of the document that it is."""
        return f"{self.document.name}#{self.start}-{self.end}"

    def _place(self) -> tuple[str, int, int, Cutting]:
        return self.document.name, self.start, self.end, self.cutting
