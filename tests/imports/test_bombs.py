"""Small files that stand for very much: each is refused with the reason, or read without taking the memory they ask
for."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from karat.core import plugins
from karat.core.problems import UserError
from karat.imports.reading import read_source
from karat.imports.source import Source
from karat.sheet.compute.input_files import read_csv
from karat.sheet.values import Wrong

PARTS = {
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="s" sheetId="1" r:id="a"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="a" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def book(path: Path, rows: str, strings: str = "") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        archive.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{rows}</sheetData></worksheet>")
        if strings:
            archive.writestr("xl/sharedStrings.xml", f"<sst><si><t>{strings}</t></si></sst>")
    return path


HEADING = '<row r="1"><c r="A1" t="inlineStr"><is><t>question</t></is></c><c r="B1" t="inlineStr"><is><t>expected</t></is></c></row>'


def refused(path: Path, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        read_source(path)


def read(path: Path) -> Source:
    return read_source(path)


def test_one_long_text_in_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """12 kB of file, 5 GB of text once each cell is written out."""
    monkeypatch.setenv("KARAT_MAX_UNPACKED_MB", "20")
    rows = HEADING + "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(2, 5_002))
    file = book(tmp_path / "b.xlsx", rows, "a" * 1_000_000)
    assert file.stat().st_size < 60_000
    refused(file, "the texts of its cells, written out, are larger than 20 MiB")


def test_a_cell_in_the_last_place_of_all(tmp_path: Path) -> None:
    """Readers that fill up the rows and columns before it die here."""
    far = '<row r="99999999999"><c r="XFD1048576"><v>1</v></c><c r="A2" t="inlineStr"><is><t>q</t></is></c></row>'
    near = '<row r="3"><c r="A3" t="inlineStr"><is><t>q</t></is></c></row>'
    found = read(book(tmp_path / "b.xlsx", HEADING + far + near))
    assert len(found.rows) == 1 and "has no heading" in found.problems[0].message


def test_wide_headings(tmp_path: Path) -> None:
    cells = "".join(f'<c t="inlineStr"><is><t>c{n}</t></is></c>' for n in range(20_000))
    refused(book(tmp_path / "b.xlsx", f"<row>{cells}</row>"), "20,000 columns; at most 16,384")
    wide = tmp_path / "wide.csv"
    wide.write_text(",".join(f"c{n}" for n in range(300_000)) + "\n1\n")
    refused(wide, "300,000 columns")
    same = tmp_path / "same.csv"
    same.write_text(",".join(["c"] * 100_000) + "\n1\n")
    with pytest.raises(Wrong, match="two columns"):
        read_csv(same)


def test_few_cells_under_many_headings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.imports.tables.MOST_CELLS", 1_000)
    file = tmp_path / "sparse.csv"
    file.write_text(",".join(f"c{n}" for n in range(100)) + "\n" + "1\n" * 20)
    refused(file, "rows times columns are more than 1,000 cells")


def test_many_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.imports.xlsx.MOST_CELLS", 1_000)
    refused(book(tmp_path / "b.xlsx", HEADING + "<row>" + "<c/>" * 2_000 + "</row>"), "more than 1,000 cells")


def test_a_text_behind_many_aliases(tmp_path: Path) -> None:
    """Few values, and 2 GB of text once they are written as JSON."""
    file = tmp_path / "case.yaml"
    file.write_text(f"a: &a {'x' * 200_000}\nb: [{', '.join(['*a'] * 10_000)}]\n")
    found = plugins.load_suite("data_query").load_cases(file)
    assert not found.cases and "expand to more than" in found.problems[0].message
    usual = tmp_path / "usual.yaml"
    usual.write_text(f"a: &a {'x' * 2_000}\nb: [{', '.join(['*a'] * 500)}]\n")
    assert "expand" not in str(plugins.load_suite("data_query").load_cases(usual).problems)


@pytest.mark.parametrize(
    "part",
    [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><worksheet>&x;</worksheet>',
        '<?xml version="1.0"?><!DOCTYPE a SYSTEM "http://127.0.0.1:1/x.dtd"><worksheet/>',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><worksheet/>',
        '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet>&b;</worksheet>',
        '<!DOCTYPE worksheet>\n<worksheet/>',
        "<worksheet>&undefined;</worksheet>",
    ],
)  # fmt: skip
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("member", ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml"])
def test_entities_in_any_part_and_encoding(tmp_path: Path, part: str, encoding: str, member: str) -> None:
    good = book(tmp_path / "good.xlsx", HEADING, "x")
    with zipfile.ZipFile(good) as old, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as new:
        for name in old.namelist():
            new.writestr(name, part.encode(encoding) if name == member else old.read(name))
    refused(tmp_path / "b.xlsx", "document type|damaged")
