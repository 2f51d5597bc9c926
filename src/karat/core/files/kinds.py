"""What a file is by its first bytes, where it is something else than the text that is expected, and what to do about
it.

Somebody gives the Excel file in place of the cases, the page of a login in place of a download, a file still packed.
Said with the name of what it is, that is solved in a minute; read as text, it is a thousand strange mistakes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LOOKED_AT = 4096
"""Bytes of the beginning that are looked at."""


MARKS = (b"\xff\xfe", b"\xfe\xff")
"""The byte order marks of UTF-16."""


class Kind(NamedTuple):
    """What a file is, and what to do with it."""

    noun: str
    hint: str


_IMPORT = "karat import FILE --suite SUITE turns it into cases."
EXCEL = Kind("an Excel file", _IMPORT)
OLD_EXCEL = Kind(
    "an old Excel or Office file (.xls)", "Save it as .xlsx or CSV; karat import FILE --suite SUITE reads those."
)
ZIP = Kind("a zip archive", "Unpack it and use the file inside.")
TAR = Kind("a tar archive", "Unpack it with tar -xf and use the files inside.")
GZIP = Kind("a gzip file", "Unpack it with gunzip and use the file inside.")
UTF_16 = Kind("UTF-16 text", "Save the file as UTF-8, for example: iconv -f UTF-16 -t UTF-8 FILE > NEW")
UTF_32 = Kind("UTF-32 text", "Save the file as UTF-8, for example: iconv -f UTF-32 -t UTF-8 FILE > NEW")
BINARY = Kind("a binary file", "Give a text file.")
HTML = Kind(
    "an HTML page, perhaps the login or error page of a site",
    "Open it in a browser to see what it is, then download the file itself.",
)
LFS = Kind("a Git LFS pointer, not the file itself", "Run git lfs pull where the file comes from.")
_BINARY = (
    (b"version https://git-lfs.github.com/spec/", LFS),
    (b"SQLite format 3\0", Kind("a SQLite database", "Export the rows that you need as CSV or JSONL.")),
    (
        b"PAR1",
        Kind(
            "a Parquet file",
            "Convert it to CSV or JSONL. Parquet can be used directly only as a table of a task or sheet.",
        ),
    ),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLD_EXCEL),
    (b"\x89PNG\r\n", Kind("a PNG image", "Give a text file.")),
    (b"\xff\xd8\xff", Kind("a JPEG image", "Give a text file.")),
    (b"\x28\xb5\x2f\xfd", Kind("a zstd file", "Unpack it with unzstd and use the file inside.")),
    (b"BZh", Kind("a bzip2 file", "Unpack it with bunzip2 and use the file inside.")),
    (b"\xfd7zXZ\0", Kind("an xz file", "Unpack it with unxz and use the file inside.")),
    (b"7z\xbc\xaf\x27\x1c", Kind("a 7-Zip archive", "Unpack it and use the file inside.")),
    (b"\x80\x04\x95", Kind("a Python pickle", "Pickles can run code and are never read; save the data as JSONL.")),
    (b"ARROW1\0\0", Kind("an Arrow file", "Convert it to CSV or JSONL.")),
    (b"\x1f\x8b", GZIP),
    (b"version https://git-lfs", Kind("a Git LFS pointer", "Run git lfs pull, which downloads the file itself.")),
)
_PDF = Kind("a PDF", "Export the table from where the PDF was made, as CSV or Excel.")
_DUCKDB = Kind("a DuckDB database", "Export the rows that you need as CSV or JSONL.")
_HTML_START = re.compile(
    rb"(?:<!--.{0,2000}?-->|<\?xml[^>]{0,200}\?>|\s)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_DOCUMENTS = (
    (b"xl/", EXCEL),
    (b"word/", Kind("a Word file", "Export its table as CSV or Excel.")),
    (b"ppt/", Kind("a PowerPoint file", "Export its table as CSV or Excel.")),
    (b"mimetypeapplication/vnd.oasis.opendocument", Kind("an OpenDocument file", "Save it as .xlsx or CSV.")),
    (b"[Content_Types].xml", EXCEL),
    (b"_journal/", Kind("an inspect_ai log (.eval)", _IMPORT)),
    (b"header.json", Kind("an inspect_ai log (.eval)", _IMPORT)),
)


def foreign_kind(start: bytes, *, utf_16: bool = False) -> Kind | None:
    """What a file with this beginning is, where no text is to be had from it; None where it may be text.

    ``utf_16``: the reader can take UTF-16 that says so in its first two bytes, so that it is text.
    """
    start = start[:LOOKED_AT]
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return next((kind for sign, kind in _DOCUMENTS if sign in start), ZIP)
    for sign, kind in _BINARY:
        if start.startswith(sign):
            return kind
    if start[:5] == b"%PDF-":
        return _PDF
    if start[8:12] == b"DUCK":
        return _DUCKDB
    if start[257:262] == b"ustar":
        return TAR
    if _is_utf_32(start):
        return UTF_32
    if _is_utf_16(start):
        return None if utf_16 and start.startswith(MARKS) else UTF_16
    if _HTML_START.match(start.removeprefix(b"\xef\xbb\xbf")):
        return HTML
    return BINARY if _is_noise(start) else None


_CONTROLS = bytes([*range(9), *range(14, 32), 127])


def _is_noise(start: bytes) -> bool:
    """No text of any encoding: control characters throughout, and no UTF-8."""
    controls = len(start) - len(start.translate(None, _CONTROLS))
    if controls < 8 or controls < len(start) / 50:
        return False
    try:
        start[: -3 if len(start) == LOOKED_AT else None].decode()  # a sign may be cut in two at the end
    except UnicodeDecodeError:
        return True
    return False


def _is_utf_32(start: bytes) -> bool:
    """By its byte order mark, or by three zeros in every four bytes of plain letters."""
    if start.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return True
    sample = start[:64]
    first, second, third, last = (sample[place::4] for place in range(4))
    zeros = not any(second) and not any(third)
    return len(sample) >= 16 and zeros and ((all(first) and not any(last)) or (all(last) and not any(first)))


def _is_utf_16(start: bytes) -> bool:
    """By its byte order mark, or by the zero in every second byte of plain letters."""
    if start.startswith(MARKS):
        return len(start) % 2 == 0 or len(start) == LOOKED_AT
    sample = start[:64]
    if len(sample) < 8:
        return False
    even, odd = sample[0::2], sample[1::2]
    return (not any(odd) and all(even)) or (not any(even) and all(odd))
