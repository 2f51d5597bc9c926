"""Structure files that are unusual and right, and files that are no structures at all."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from karat.suites.data_query.checks.cases import check_cases
from karat.suites.data_query.options import Options
from karat.suites.data_query.structures.codelists import Codelists
from karat.suites.data_query.structures.records import Codelist, constraint_role
from karat.suites.data_query.structures.versions import age, satisfies
from tests.suites.data_query.building import case, target
from tests.suites.data_query.test_agency_styles import URN, dimension, lists, structure
from tests.suites.data_query.test_structure_files import code, message, one_list, read

# -- constraints ----------------------------------------------------------------------------------------------------

FLOW = f"<str:Dataflow>{URN}datastructure.Dataflow=A:F(1.0)</str:Dataflow>"
EXCLUDED = "<str:CubeRegion include='false'>{}</str:CubeRegion>"
X = "<com:KeyValue id='D'><com:Value>X</com:Value></com:KeyValue>"
INCLUDED = f"<str:CubeRegion>{X}</str:CubeRegion>"


def constraint(inside: str, kind: str = "DataConstraint", more: str = "role='Allowed'", to: str = FLOW) -> str:
    attached = f"<str:ConstraintAttachment>{to}</str:ConstraintAttachment>"
    return f"<str:{kind} agencyID='A' id='C' version='1.0' {more}>{attached}{inside}</str:{kind}>"


def outside(tmp_path: Path, given: str) -> list[str]:
    """The severities of what is found in a target with X, then in one with Y."""
    file = tmp_path / "s.xml"
    time = '<str:TimeDimension id="YEAR"><str:ConceptIdentity>x</str:ConceptIdentity></str:TimeDimension>'
    held = lists(one_list(code("X") + code("Y"))) + structure(dimension("D", "CL_D(1.0)") + time)
    file.write_text(message(f"{held}<str:Constraints>{given}</str:Constraints>"))
    found = []
    for name in ("X", "Y"):
        terms = target({"D": [(name, name.lower())]}, "A:F")
        found.append(" ".join(p.severity for p in check_cases([case("c", terms)], [file], Options()).problems))
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (constraint(INCLUDED), ["", "error"]),
        (constraint(EXCLUDED.format(X)), ["error", ""]),
        # more than the series key bounds it, so some of the series is left
        (constraint(EXCLUDED.format(X + "<com:Attribute id='S'><com:Value>M</com:Value></com:Attribute>")), ["", ""]),
        (constraint(EXCLUDED.format("<str:Component id='S'><com:Value>M</com:Value></str:Component>")), ["", ""]),
        (
            constraint(EXCLUDED.format(X + "<com:KeyValue id='YEAR'><com:Value>2000</com:Value></com:KeyValue>")),
            ["", ""],
        ),
        (constraint(EXCLUDED.format("<com:KeyValue id='OTHER'><com:Value>1</com:Value></com:KeyValue>")), ["", ""]),
        (constraint(EXCLUDED.format("")), ["", ""]),
        (constraint(""), ["", ""]),
        # what a constraint is by default
        (constraint(INCLUDED, "ContentConstraint", ""), ["", "warning"]),
        (constraint(INCLUDED, "DataConstraint", ""), ["", "error"]),
        (constraint(INCLUDED, "AvailabilityConstraint", ""), ["", "warning"]),
        # references with wildcards
        (constraint(INCLUDED, to=f"<str:Dataflow>{URN}datastructure.Dataflow=A:*(*)</str:Dataflow>"), ["", "error"]),
        (constraint(INCLUDED, to=f"<str:Dataflow>{URN}datastructure.Dataflow=*:F(1.0+)</str:Dataflow>"), ["", "error"]),
        (constraint(INCLUDED, to=f"<str:Dataflow>{URN}datastructure.Dataflow=B:*(*)</str:Dataflow>"), ["", ""]),
    ],
)
def test_what_a_constraint_leaves(tmp_path: Path, given: str, expected: list[str]) -> None:
    assert outside(tmp_path, given) == expected


def region(inside: str, include: str = "true") -> str:
    return constraint(f"<str:CubeRegion include='{include}'>{inside}</str:CubeRegion>")


A_LIKE = "<com:KeyValue id='E'><com:Value>A%</com:Value></com:KeyValue>"
NOT_A_LIKE = A_LIKE.replace("'E'", "'E' include='false'")
BELOW_A = "<com:KeyValue id='E'><com:Value cascadeValues='true'>A</com:Value></com:KeyValue>"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        # included: X alone, with A1, with B1
        (region(X + A_LIKE), ["", "", "error"]),
        (region(X + NOT_A_LIKE), ["", "error", ""]),
        (region(X + BELOW_A), ["", "", ""]),
        (region(A_LIKE, "false"), ["", "error", ""]),
        (region(NOT_A_LIKE, "false"), ["", "", "error"]),
        (region(BELOW_A, "false"), ["", "", ""]),
    ],
)
@pytest.mark.parametrize("part", ["", code("B1") + code("A1")])
def test_values_that_may_name_codes_which_are_not_at_hand(
    tmp_path: Path, given: str, expected: list[str], part: str
) -> None:
    """The list of E is in no file, or only a part of it: what cannot be told is no finding."""
    file = tmp_path / "s.xml"
    held = lists(one_list(code("X")) + (one_list(part, "CL_E", "isPartial='true'") if part else ""))
    dimensions = dimension("D", "CL_D(1.0)") + dimension("E", "CL_E(1.0)")
    file.write_text(message(f"{held}{structure(dimensions)}<str:Constraints>{given}</str:Constraints>"))
    found = []
    for chosen in ("", "A1", "B1"):
        terms = target({"D": [("X", "x")], **({"E": [(chosen, chosen.lower())]} if chosen else {})}, "A:F")
        problems = check_cases([case("c", terms)], [file], Options()).problems
        found.append(" ".join(one.severity for one in problems if one.severity == "error"))
    assert found == expected


@pytest.mark.parametrize(
    ("kind", "said", "role"),
    [
        ("dataConstraints", "", "allowed"), ("dataConstraints", "Actual", "actual"),
        ("contentConstraints", "", "actual"),
        ("contentConstraints", "Allowed", "allowed"), ("availabilityConstraints", "", "actual"),
    ],
)  # fmt: skip
def test_the_role_of_a_constraint(tmp_path: Path, kind: str, said: str, role: str) -> None:
    assert constraint_role(kind, said) == role
    body = {"id": "C", "agencyID": "A", "cubeRegions": [], **({"role": said} if said else {})}
    [found] = read(tmp_path, json.dumps({"data": {kind: [body]}}), "c.json").contents.constraints
    assert found.role == role


def test_an_excluded_region_of_json_that_is_bounded_by_more_than_the_key(tmp_path: Path) -> None:
    region = {"include": False, "keyValues": [{"id": "D", "values": ["X"]}], "components": [{"id": "S", "values": []}]}
    body = {"data": {"dataConstraints": [{"id": "C", "agencyID": "A", "cubeRegions": [region]}]}}
    assert read(tmp_path, json.dumps(body), "c.json").contents.constraints[0].regions == ()


# -- references -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "found"), [("1.0", "A:CL_ONE(1.0)"), ("2.0", "A:CL_TWO(1.0)"), ("3.0", "A:CL_TWO(1.0)")]
)
def test_a_concept_is_that_of_the_version_that_is_referred_to(tmp_path: Path, asked: str, found: str) -> None:
    schemes = "".join(
        f'<str:ConceptScheme agencyID="A" id="CS" version="{version}"><str:Concept id="D"><str:CoreRepresentation>'
        f"<str:Enumeration>{URN}codelist.Codelist=A:{name}(1.0)</str:Enumeration></str:CoreRepresentation></str:Concept>"
        "</str:ConceptScheme>"
        for version, name in (("1.0", "CL_ONE"), ("2.0", "CL_TWO"))
    )
    held = lists(one_list(code("X"), "CL_ONE"), one_list(code("X"), "CL_TWO")) + schemes
    text = message(held + structure(dimension("D").replace("CS(1.0)", f"CS({asked})")))
    behind = Codelists(read(tmp_path, text).contents).find("A:F", "D", {})
    assert isinstance(behind, Codelist) and str(behind.ref) == found


def test_versions_with_tildes_and_endless_numbers() -> None:
    assert satisfies("1.0.3", "1.0~") and satisfies("1.2.3", "1~.0.0") and not satisfies("2.0", "1.0~")
    assert age("9" * 5_000) > age("10.0")


@pytest.mark.parametrize("name", ["s.json", "s.xml"])
def test_a_structure_without_dimensions_is_a_stub_whoever_else_has_it(tmp_path: Path, name: str) -> None:
    stub: dict[str, Any] = {"id": "S", "agencyID": "A", "version": "1.0"}
    text = json.dumps({"data": {"dataStructures": [stub, {**stub, "isExternalReference": True}]}})
    if name == "s.xml":
        empty = '<str:DataStructure agencyID="A" id="S" version="1.0"/>'
        text = message(f"<str:DataStructures>{empty}</str:DataStructures>")
    (tmp_path / name).write_text(text)
    flow = '<str:Dataflow agencyID="A" id="F" version="1.0" isExternalReference="true"/>'
    (tmp_path / "z.xml").write_text(message(f"<str:Dataflows>{flow}</str:Dataflows>"))
    terms = [case("c", target({"D": [("Q", "q")]}, "A:F"))]
    assert {one.severity for one in check_cases(terms, [tmp_path], Options()).problems} == {"warning"}
    whole = lists(one_list(code("X"))) + structure(dimension("D", "CL_D(1.0)"))
    (tmp_path / "zz.xml").write_text(message(whole))
    [told] = check_cases(terms, [tmp_path], Options()).problems
    assert told.message.startswith('unknown id "Q" in D: it is not in A:CL_D(1.0)')


def test_a_hierarchy_of_json_1_0_names_codes_by_the_alias_of_their_list(tmp_path: Path) -> None:
    inner = {"id": "2", "codelistAliasRef": "L", "codeID": "MEX"}
    outer = {"id": "1", "codelistAliasRef": "L", "codeID": "W", "hierarchicalCodes": [inner]}
    included = [{"alias": "L", "codelist": f"{URN}codelist.Codelist=A:CL(1.0)"}]
    hierarchy = {
        "id": "H",
        "agencyID": "A",
        "includedCodelists": included,
        "hierarchies": [{"id": "h", "hierarchicalCodes": [outer]}],
    }
    held = {"id": "CL", "agencyID": "A", "version": "1.0", "codes": [{"id": "W"}, {"id": "MEX"}]}
    text = json.dumps({"data": {"codelists": [held], "hierarchicalCodelists": [hierarchy]}})
    [found] = Codelists(read(tmp_path, text, "h.json").contents).all
    assert found.parents == {"MEX": ("W",)}


# -- forms of files -------------------------------------------------------------------------------------------------

NAMED = message(lists(one_list('<str:Code id="X"><com:Name>Été</com:Name></str:Code>')))


def declared(encoding: str) -> str:
    return f'<?xml version="1.0" encoding="{encoding}"?>{NAMED}'


@pytest.mark.parametrize(
    "data",
    [
        declared("UTF-16").encode(),  # as .NET writes texts
        declared("utf-16le").encode(),
        b"\xef\xbb\xbf" + declared("ISO-8859-1").encode(),
        declared("UTF-16").encode("utf-16-le"),
        declared("UTF-16").encode("utf-16-be"),
        declared("UTF-16").encode("utf-16"),
        NAMED.encode("utf-16-le"),
    ],
)
def test_the_bytes_say_more_about_the_encoding_than_the_declaration(tmp_path: Path, data: bytes) -> None:
    found = read(tmp_path, data)
    assert found.status == "read" and found.contents.codelists[0].codes == {"X": "Été"}


def test_drafts_of_sdmx_json_have_references(tmp_path: Path) -> None:
    held = {"id": "CL", "agencyID": "A", "codes": [{"id": "X", "name": "x"}]}
    body = {
        "resources": [{"id": "F", "type": "dataflow", "agencyID": "A"}, {"id": "C", "type": "categoryscheme"}],
        "references": {f"{URN}codelist.Codelist=A:CL(1.0)": held},
    }
    found = read(tmp_path, json.dumps(body), "s.json").contents
    assert (found.codelists[0].codes, str(found.dataflows[0].ref)) == ({"X": "x"}, "A:F(1.0)")


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ('{"errors": [{"code": 404, "title": "No results"}], "meta": {}}', "unusable", "a service: No results"),
        ('{"error": {"message": "Not found"}}', "unusable", "a service: Not found"),
        ('{"class": "dataset", "id": ["geo"], "size": [1], "value": [1]}', "unusable", "no codelists"),
        ('{"type": "FeatureCollection", "features": []}', "unusable", "no codelists"),
        ('{"name": "x", "keywords": ["a"]}', "unusable", "no codelists"),
        ('{"data": {}}', "unusable", "no codelists"),
        ('{"data": {"dataflows": []}}', "read", ""),
        ('{"data": {"metadataStructures": [{"id": "M", "agencyID": "A"}]}}', "read", ""),
        ("DATAFLOW,FREQ,TIME_PERIOD,OBS_VALUE\nA:F(1.0),A,2000,1\n", "skipped", "OBS_VALUE"),
        ("sep=;\r\ncode;description\r\nX;x\r\n", "read", ""),
    ],
)
def test_what_is_no_structure_message_is_named(tmp_path: Path, text: str, status: str, said: str) -> None:
    found = read(tmp_path, text, "f.json" if text.startswith("{") else "f.csv")
    assert found.status == status
    assert said in " ".join(one.message for one in found.problems)


@pytest.mark.parametrize("packed", [True, False])
def test_a_tar_archive_is_named(tmp_path: Path, packed: bool) -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        entry = tarfile.TarInfo("s.xml")
        entry.size = len(NAMED.encode())
        archive.addfile(entry, io.BytesIO(NAMED.encode()))
    data = gzip.compress(held.getvalue()) if packed else held.getvalue()
    [problem] = read(tmp_path, data, "s.tar.gz" if packed else "s.tar").problems
    assert (problem.message, problem.hint) == (
        "it is a tar archive",
        "Unpack it with tar -xf and use the files inside.",
    )


@pytest.mark.parametrize("lost", [1, 4, 8, 20])
def test_a_gzip_file_that_is_cut_off_is_no_shorter_codelist(tmp_path: Path, lost: int) -> None:
    rows = "".join(f"C{n},country {n * 7919 % 10007}\n" for n in range(200))
    packed = gzip.compress(f"id,name\n{rows}".encode())
    found = read(tmp_path, packed[:-lost], "CL_AREA.csv.gz")
    assert (found.status, [one.message for one in found.problems]) == ("unusable", ["the gzip data is cut off"])
    two = read(tmp_path, packed + gzip.compress(b"D,d\n") + b"\0" * 9, "CL_AREA.csv.gz")
    assert len(two.contents.codelists[0].codes) == 201


@pytest.mark.parametrize(
    ("rows", "line", "said"),
    [
        ("NO,Norway, Kingdom of\n", 2, "expected 2 cells as in the header, found 3"),
        ('SE,"Sweden\nFI,Finland\n', 2, "unexpected end of data"),
        ('FI,Finland\nSE,"Swed', 3, "unexpected end of data"),
        ('FI,"Fin"land\n', 2, "',' expected after '\"'"),
    ],
)
def test_a_row_of_a_csv_that_would_lose_names_or_rows_is_refused(
    tmp_path: Path, rows: str, line: int, said: str
) -> None:
    [problem] = read(tmp_path, f"id,name\n{rows}", "CL_AREA.csv").problems
    assert said in problem.message and problem.line == line and problem.hint


def test_cells_beside_the_header_that_are_empty_are_left_alone(tmp_path: Path) -> None:
    found = read(tmp_path, 'id,name\nNO,"Norway, Kingdom of",,\nSE,"the ""Swedish"" rows"\n', "CL_AREA.csv")
    assert found.contents.codelists[0].codes == {"NO": "Norway, Kingdom of", "SE": 'the "Swedish" rows'}
