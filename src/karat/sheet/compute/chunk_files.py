"""Read the documents that CHUNKS names, and cut them. They lie in the sheet's folder or below it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath

from karat.core.files.reading import read_bytes
from karat.core.problems import UserError
from karat.search.chunks.chunk import Chunk, Cutting, Document
from karat.search.chunks.cut import check_sizes, chunk_spans
from karat.sheet.compute.input_files import nearest_file
from karat.sheet.values import TableValue, Value, Wrong

MOST_DOCUMENTS = 100_000


def find_documents(folder: Path, pattern: str) -> list[Document]:
    """The files that a pattern such as ``docs/*.md`` names, by name; ``**`` goes into folders. Raises
    :class:`Wrong`."""
    parts = PurePosixPath(pattern).parts
    if (
        not pattern.strip()
        or "\0" in pattern
        or PurePosixPath(pattern).is_absolute()
        or ".." in parts
        or ":" in pattern
    ):
        raise Wrong(f'"{pattern}" does not name files in the folder of the sheet', 'Write a path such as "docs/*.md".')
    base = folder.resolve()
    try:
        paths = sorted(path for path in base.glob(pattern) if path.is_file())
    except (ValueError, OSError) as error:
        raise Wrong(f'"{pattern}" cannot be searched for: {error}') from None
    inside = [path for path in paths if path.resolve().is_relative_to(base)]
    if not inside:
        hint = (
            "Paths are relative to the sheet."
            if any(sign in pattern for sign in "*?[")
            else nearest_file(base, pattern)
        )
        raise Wrong(f'no file in the folder of the sheet matches "{pattern}"', hint)
    if len(inside) > MOST_DOCUMENTS:
        raise Wrong(f'"{pattern}" matches {len(inside):,} files; at most {MOST_DOCUMENTS:,} are read')
    return [_read(path, path.relative_to(base).as_posix()) for path in inside]


def _read(path: Path, name: str) -> Document:
    try:
        return Document(name, read_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Wrong(f"{name} is not UTF-8: byte {error.start + 1:,} cannot be read") from None
    except OSError as error:
        raise Wrong(f"{name} cannot be read: {error.strerror or error}") from None


def cut_documents(
    documents: Sequence[Document], sizes: Sequence[int], overlaps: Sequence[int], cover: Fraction, encoding: str
) -> TableValue:
    """The chunks of every combination of size and overlap: a row for each. Raises :class:`Wrong`."""
    chunks: list[Chunk] = []
    try:
        for size in dict.fromkeys(sizes):
            for overlap in dict.fromkeys(overlaps):
                check_sizes(size, overlap)
                cutting = Cutting(size, overlap, cover)
                for document in documents:
                    spans = chunk_spans(document.text, size, overlap, encoding)
                    chunks += [Chunk(document, start, end, cutting) for start, end in spans]
    except UserError as error:
        raise Wrong(error.message, error.hint) from None
    columns: dict[str, Sequence[Value]] = {
        "doc": [chunk.document.name for chunk in chunks],
        "start": [chunk.start for chunk in chunks],
        "end": [chunk.end for chunk in chunks],
        "text": chunks,
        "size": [chunk.cutting.size for chunk in chunks],
        "overlap": [chunk.cutting.overlap for chunk in chunks],
    }
    return TableValue(columns, len(chunks))
