"""Excel files (.xlsx), read as a zip archive of XML: the stored values of one sheet, each as a person sees it there.

Dates become ``2024-05-01``, percentages ``17.5%``, numbers with leading zeros keep them. Formulas give their stored
value and never run. No document type and so no entity is read, and sizes are counted while unpacking: an archive cannot
hold more than it is allowed to.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from xml.etree import ElementTree

from karat.core.files.limits import MIB, UNPACKED_MB
from karat.core.files.reading import FileRefused, open_bytes
from karat.core.json_types import Json
from karat.core.problems import UserError, did_you_mean

MOST_CELLS = 5_000_000
SMALL_PART_MB = 16
BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    OverflowError,
)
"""What zipfile raises for an archive that is damaged, has a password, or names places outside itself."""
DEEPEST = 50
_DATES = frozenset((*range(14, 23), 45, 46, 47))
_PERCENT = frozenset((9, 10))
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


class Workbook:
    """An open workbook: its visible sheets, and the rows of one of them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._left = UNPACKED_MB.value * MIB
        self._cells = 0
        self._text = 0
        with open_bytes(path) as file:
            self._data = file.read()
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(self._data))
        except BROKEN as error:
            raise FileRefused(path, f"the Excel file is damaged: {error}") from None
        book = self._xml("xl/workbook.xml")
        links = {
            one.get("Id", ""): one.get("Target", "")
            for one in self._xml("xl/_rels/workbook.xml.rels")
            if _name(one) == "Relationship"
        }
        self._from_1904 = any(one.get("date1904") in ("1", "true") for one in book.iter() if _name(one) == "workbookPr")
        self.sheets: dict[str, str] = {}
        for one in book.iter():
            if _name(one) == "sheet" and one.get("state", "visible") == "visible":
                target = links.get(next((value for key, value in one.items() if key.endswith("}id")), ""), "")
                if "worksheets/" in target:
                    self.sheets[one.get("name", "")] = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        self._strings = self._shared_strings()
        self._styles = self._number_formats()

    def rows(self, sheet: str) -> Iterator[tuple[int, dict[int, object]]]:
        """(row number, column number → value) for each row that has cells."""
        if sheet not in self.sheets:
            raise UserError(f'{self.path} has no sheet "{sheet}"', hint=did_you_mean(sheet, self.sheets))
        number = 0
        for row in self._elements(self.sheets[sheet], "row"):
            number = int(row.get("r") or number + 1) if (row.get("r") or "1").isdigit() else number + 1
            found: dict[int, object] = {}
            place = 0
            for cell in row:
                if _name(cell) != "c":
                    continue
                match = _CELL.fullmatch(cell.get("r", ""))
                place = _column(match[1]) if match else place + 1
                self._cells += 1
                if self._cells > MOST_CELLS:
                    raise FileRefused(self.path, f"it has more than {MOST_CELLS:,} cells", hint="Export it as CSV.")
                if (value := self._value(cell)) is not None:
                    found[place] = value
                    self._text += len(value) if isinstance(value, str) else 0
                if self._text > (most := UNPACKED_MB.value) * MIB:
                    said = f"the texts of its cells, written out, are larger than {most:,} MiB"
                    raise FileRefused(self.path, said, hint=UNPACKED_MB.hint)
            if found:
                yield number, found

    def _value(self, cell: ElementTree.Element) -> Json:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _text_of(cell) or None
        written = next((part.text or "" for part in cell if _name(part) == "v"), None)
        if written is None:
            formula = any(_name(part) == "f" for part in cell)
            if formula:
                raise FileRefused(
                    self.path,
                    f"the formula in {cell.get('r', 'a cell')} has no stored value",
                    hint="Open the file in Excel or LibreOffice and save it, or paste the values.",
                )
            return None
        if kind == "s":
            index = int(written) if written.strip().isdigit() else -1
            if not 0 <= index < len(self._strings):
                raise FileRefused(self.path, f"the Excel file is damaged: the text of {cell.get('r')} is missing")
            return self._strings[index] or None
        if kind == "b":
            return written == "1"
        if kind in ("str", "d"):
            return written or None
        if kind == "e":
            raise FileRefused(
                self.path, f"{cell.get('r', 'a cell')} contains the error {written}", hint="Fix its formula."
            )
        return self._number(written, cell.get("s", "0"), cell.get("r", ""))

    def _number(self, written: str, style: str, place: str) -> Json:
        try:
            value = float(written)
        except ValueError:
            raise FileRefused(self.path, f'"{written[:40]}" in {place} is not a number') from None
        number = int(value) if value.is_integer() and abs(value) < 2**53 else value
        form = self._styles[int(style)] if style.isdigit() and int(style) < len(self._styles) else ""
        if form == "date":
            return _date(value, self._from_1904)
        if form == "percent":
            shown = round(value * 100, 10)
            return f"{int(shown) if shown.is_integer() else shown}%"
        if form.isdigit() and isinstance(number, int) and number >= 0:
            return str(number).zfill(len(form)) if len(str(number)) < len(form) else number
        return number

    # -- the parts of the archive -------------------------------------------------------------------------------------

    def _xml(self, name: str) -> ElementTree.Element:
        """One of the small parts, whole."""
        data = self._member(name, SMALL_PART_MB * MIB)
        try:
            return ElementTree.fromstring(data)  # noqa: S314 (without a document type, see _member)
        except (ElementTree.ParseError, ValueError, LookupError, RecursionError) as error:
            raise FileRefused(self.path, f"the Excel file is damaged: {name}: {error}") from None

    def _elements(self, name: str, tag: str) -> Iterator[ElementTree.Element]:
        """The elements of one name in a large part, one after the other; each is dropped when the next one comes."""
        parents: list[ElementTree.Element] = []
        try:
            file = io.BytesIO(self._member(name))
            for event, element in ElementTree.iterparse(file, ("start", "end")):  # noqa: S314 (as above)
                if event == "start":
                    parents.append(element)
                    if len(parents) > DEEPEST:
                        raise FileRefused(self.path, f"{name} is nested more than {DEEPEST} deep")
                    continue
                parents.pop()
                if _name(element) == tag:
                    yield element
                    if parents:
                        parents[-1].clear()
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise FileRefused(self.path, f"the Excel file is damaged: {name}: {error}") from None

    def _member(self, name: str, most: int | None = None) -> bytes:
        """The bytes of a part: within the limits, and without a document type, which is where entities are declared."""
        most = self._left if most is None else min(most, self._left)
        try:
            with self._zip.open(name) as member:
                data = member.read(most + 1)
        except KeyError:
            raise FileRefused(self.path, f"the Excel file is damaged: there is no {name} in it") from None
        except BROKEN as error:
            raise FileRefused(self.path, f"the Excel file is damaged or has a password: {error}") from None
        self._left -= len(data)
        if len(data) > most:
            said = f"{name} in it is larger than {most // MIB:,} MiB once unpacked"
            raise FileRefused(self.path, said, hint=UNPACKED_MB.hint)
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"<!DOCTYPE" in data or b"<!ENTITY" in data or b"\0" in data[:64]:
            raise FileRefused(
                self.path, f"{name} in it has a document type or another encoding, which Excel never writes"
            )
        return data

    def _shared_strings(self) -> list[str]:
        if "xl/sharedStrings.xml" not in self._zip.namelist():
            return []
        return [_text_of(one) for one in self._elements("xl/sharedStrings.xml", "si")]

    def _number_formats(self) -> list[str]:
        """For each style of a cell: ``date``, ``percent``, zeros such as ``00000``, or nothing."""
        if "xl/styles.xml" not in self._zip.namelist():
            return []
        root = self._xml("xl/styles.xml")
        codes = {one.get("numFmtId", ""): one.get("formatCode", "") for one in root.iter() if _name(one) == "numFmt"}
        styles = next((one for one in root if _name(one) == "cellXfs"), None)
        return [_form(one.get("numFmtId", "0"), codes) for one in (styles if styles is not None else ())]


def _form(number: str, codes: dict[str, str]) -> str:
    if number not in codes:
        known = int(number) if number.isdigit() else 0
        return "date" if known in _DATES else "percent" if known in _PERCENT else ""
    code = _QUOTED.sub("", codes[number].split(";")[0])
    if re.search(r"[dmyhs]", code, re.IGNORECASE) and not re.search(r"[#?]", code):
        return "date"
    if "%" in code:
        return "percent"
    return code if re.fullmatch(r"0{2,}", code) else ""


def _date(value: float, from_1904: bool) -> str:
    """A day, a day and a time, or a time alone, as ISO writes them."""
    try:
        moment = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30 if value >= 60 else 31)
        moment += timedelta(seconds=round(value * 86_400))
    except (OverflowError, ValueError):
        return str(value)
    if 0 <= value < 1:
        return moment.strftime("%H:%M:%S")
    return moment.strftime("%Y-%m-%d") if value.is_integer() else moment.isoformat(sep=" ")


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _text_of(element: ElementTree.Element) -> str:
    """All text runs; what only tells how a word is read aloud is left out."""
    found = []
    for part in element:
        if _name(part) == "t":
            found.append(part.text or "")
        elif _name(part) in ("r", "is"):
            found.append(_text_of(part))
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), "".join(found))


_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number
