"""Structure files as agencies publish them: the real ones against their expected counts, and each form by itself."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.suites.data_query.structures import archives
from karat.suites.data_query.structures.codelists import Codelists, read_structures
from karat.suites.data_query.structures.extensions import fits
from karat.suites.data_query.structures.files import ReadFile, survey
from karat.suites.data_query.structures.languages import in_language, languages
from karat.suites.data_query.structures.records import Codelist, Contents, Extension, Member, Ref
from karat.verbs.inputs.structures import list_structures

EXTENSION = "made/codelist_extension_30.xml"


def message(inside: str, version: str = "3_0") -> str:
    """A structure message with some artefacts in it."""
    spaces = " ".join(
        f'xmlns:{prefix}="http://www.sdmx.org/resources/sdmxml/schemas/v{version}/{name}"'
        for prefix, name in (("mes", "message"), ("str", "structure"), ("com", "common"))
    )
    return f"<mes:Structure {spaces}><mes:Structures>{inside}</mes:Structures></mes:Structure>"


def one_list(codes: str, name: str = "CL_D", more: str = "") -> str:
    return f'<str:Codelist agencyID="A" id="{name}" version="1.0" {more}>{codes}</str:Codelist>'


def code(name: str, parent: str = "") -> str:
    above = f"<str:Parent>{parent}</str:Parent>" if parent else ""
    return f'<str:Code id="{name}"><com:Name xml:lang="en">{name.lower()}</com:Name>{above}</str:Code>'


def read(tmp_path: Path, text: str | bytes, name: str = "s.xml") -> ReadFile:
    file = tmp_path / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    [found] = survey([file])
    return found


# -- the real files -----------------------------------------------------------------------------------------------


@pytest.mark.shared_data
def test_every_published_message_loads_with_its_expected_counts(shared: Path) -> None:
    folder = shared / "data/sdmx2"
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text())["files"]
    assert len(expected) == 16
    for name, wanted in expected.items():
        [found] = survey([folder / name])
        assert (found.status, found.problems) == ("read", ()), name
        held = found.contents
        named = {f"{one.ref.agency}:{one.ref.id}": one for one in held.codelists}
        assert {key: len(one.codes) for key, one in named.items() if one.codes} == wanted["codes"], name
        for key, spoken in wanted.get("languages", {}).items():
            assert languages(named[key]) == spoken, name
        dimensions = {
            f"{one.ref.agency}:{one.ref.id}": [d.id for d in one.dimensions if not d.time] for one in held.structures
        }
        assert dimensions == wanted.get("dimensions", {}), name
        constraints = [f"{one.ref.agency}:{one.ref.id}" for one in held.constraints]
        assert constraints == wanted.get("constraints", []), name


@pytest.mark.shared_data
def test_extended_lists_have_what_the_specification_says(shared: Path) -> None:
    found = {one.ref.id: one for one in read_structures([shared / "data/sdmx2" / EXTENSION]).all}
    assert list(found["CL_WITHOUT"].codes) == ["E", "A", "B", "C"]
    assert list(found["CL_PREFIXED"].codes) == ["B", "X_A", "X_B"]
    assert found["CL_LATER"].codes["A"] == "Other A"
    assert [name for name, one in found.items() if one.partial] == ["CL_ABSENT"]
    rows = list_structures([shared / "data/sdmx2" / EXTENSION]).rows[0]["codelists"]
    assert {one["id"]: (one["own_codes"], one["codes"]) for one in rows} == {
        "CL_BASE": (4, 4), "CL_WITHOUT": (1, 4), "CL_PREFIXED": (1, 3), "CL_ABSENT": (1, 1), "CL_OTHER": (1, 1),
        "CL_LATER": (0, 4),
    }  # fmt: skip


# -- extensions, hierarchies, constraints -------------------------------------------------------------------------


def _extended(*lists: Codelist) -> dict[str, Codelist]:
    return {one.ref.id: one for one in Codelists(Contents(list(lists))).all}


def test_extensions_cascade_have_wildcards_and_an_order() -> None:
    base = Codelist(
        Ref("B", "A", "1.0"), dict.fromkeys(("W", "AM", "MEX", "USA", "EU"), ""), parents={"MEX": ("AM",), "AM": ("W",)}
    )

    def own(*extensions: Extension) -> Codelist:
        return _extended(base, Codelist(Ref("X", "A", "1.0"), {}, extensions=extensions))["X"]

    def taken(*members: Member, exclusive: bool = False, prefix: str = "") -> list[str]:
        return list(own(Extension(base.ref, prefix, None, members, exclusive)).codes)

    assert taken(Member("AM", "with")) == ["AM", "MEX"]
    assert taken(Member("AM", "without root")) == ["MEX"]
    assert taken(Member("W", "with"), exclusive=True) == ["USA", "EU"]
    assert taken(Member("%U%")) == ["USA", "EU"]
    assert own(Extension(base.ref, "P_")).parents == {"P_MEX": ("P_AM",), "P_AM": ("P_W",)}
    other = Codelist(Ref("O", "A", "1.0"), {"EU": "other"})
    first = Extension(other.ref, sequence=2)
    found = _extended(base, other, Codelist(Ref("X", "A", "1.0"), {}, extensions=(first, Extension(base.ref, "", 1))))
    assert found["X"].codes["EU"] == "other"  # sequence 2 comes after 1, wherever it is in the file


def test_lists_that_extend_each_other_are_partial_and_end() -> None:
    def extending(name: str, other: str) -> Codelist:
        return Codelist(Ref(name, "A", "1.0"), {name: ""}, extensions=(Extension(Ref(other, "A", "1.0")),))

    found = _extended(extending("A", "B"), extending("B", "A"), extending("C", "C"))
    assert list(found["A"].codes) == ["A", "B"]
    assert all(one.partial for one in found.values())
    chain = [extending(f"L{n}", f"L{n + 1}") for n in range(3000)]
    assert len(_extended(*chain)["L0"].codes) == 3000  # no recursion


@pytest.mark.parametrize(
    ("value", "pattern", "expected"),
    [("A", "A", True), ("AB", "A%", True), ("A", "A%A", False), ("ABA", "A%A", True), ("xAyBz", "%A%B%", True),
     ("BA", "%A%B%", False), ("", "%", True), ("a.b", "a%b", True), ("aXb", "a.b", False)],
)  # fmt: skip
def test_wildcards(value: str, pattern: str, expected: bool) -> None:
    assert fits(value, pattern) == expected


def test_parents_come_from_codes_and_from_hierarchies(tmp_path: Path) -> None:
    third = message(
        f"<str:Codelists>{one_list(code('W') + code('AM', 'W') + code('MEX'))}</str:Codelists>"
        '<str:Hierarchies><str:Hierarchy agencyID="A" id="H" version="1.0"><str:HierarchicalCode id="1">'
        "<str:Code>urn:sdmx:org.sdmx.infomodel.codelist.Code=A:CL_D(1.0).AM</str:Code><str:HierarchicalCode id='2'>"
        "<str:Code>urn:sdmx:org.sdmx.infomodel.codelist.Code=A:CL_D(1.0).MEX</str:Code></str:HierarchicalCode>"
        "</str:HierarchicalCode></str:Hierarchy></str:Hierarchies>"
    )
    [found] = Codelists(read(tmp_path, third).contents).all
    assert found.parents == {"AM": ("W",), "MEX": ("AM",)}
    second = message(
        f"<str:Codelists>{one_list(code('W') + code('AM') + code('MEX'))}</str:Codelists><str:HierarchicalCodelists>"
        '<str:HierarchicalCodelist agencyID="A" id="H" version="1.0"><str:IncludedCodelist alias="X"><Ref id="CL_D" '
        'agencyID="A" version="1.0"/></str:IncludedCodelist><str:Hierarchy id="h"><str:HierarchicalCode id="1">'
        '<str:Code><Ref id="AM" maintainableParentID="CL_D" maintainableParentVersion="1.0" agencyID="A"/></str:Code>'
        '<str:HierarchicalCode id="2"><str:CodelistAliasRef>X</str:CodelistAliasRef><str:CodeID><Ref id="MEX"/>'
        "</str:CodeID></str:HierarchicalCode></str:HierarchicalCode></str:Hierarchy></str:HierarchicalCodelist>"
        "</str:HierarchicalCodelists>",
        "2_1",
    )
    [found] = Codelists(read(tmp_path, second).contents).all
    assert found.parents == {"MEX": ("AM",)}


def test_dimensions_are_ordered_named_by_their_concept_and_time_is_marked(tmp_path: Path) -> None:
    def dimension(kind: str, name: str, position: str = "", own: str = "") -> str:
        given = "".join(f' {key}="{value}"' for key, value in (("id", own), ("position", position)) if value)
        concept = f'<Ref id="{name}" maintainableParentID="CS" agencyID="A"/>'
        return f"<str:{kind}{given}><str:ConceptIdentity>{concept}</str:ConceptIdentity></str:{kind}>"

    def order(*dimensions: str) -> list[tuple[str, bool]]:
        inside = "".join(dimensions)
        text = message(
            f'<str:DataStructures><str:DataStructure agencyID="A" id="S" version="1.0"><str:DataStructureComponents>'
            f"<str:DimensionList>{inside}</str:DimensionList></str:DataStructureComponents></str:DataStructure>"
            "</str:DataStructures>"
        )
        [structure] = read(tmp_path, text).contents.structures
        return [(one.id, one.time) for one in structure.dimensions]

    time = dimension("TimeDimension", "TIME_PERIOD")
    assert order(time, dimension("Dimension", "B", "2"), dimension("MeasureDimension", "M", "1")) == [
        ("M", False), ("B", False), ("TIME_PERIOD", True),
    ]  # fmt: skip
    assert order(dimension("Dimension", "B", "2"), dimension("Dimension", "A", "", "OWN")) == [
        ("B", False), ("OWN", False),
    ]  # fmt: skip


def test_what_is_not_known_is_skipped(tmp_path: Path) -> None:
    text = message(
        '<str:Categorisations><str:Categorisation agencyID="A" id="C" version="1.0"/></str:Categorisations>'
        '<str:StructureSets><str:StructureSet agencyID="A" id="S"/></str:StructureSets><str:VtlMappings/>'
        f"<str:Codelists>{one_list(code('X') + code('X').replace('>x<', '>second<'))}</str:Codelists>"
    )
    found = read(tmp_path, text)
    assert [one.codes for one in found.contents.codelists] == [{"X": "x"}]  # of a code given twice the first counts
    only = message('<str:MetadataStructures><str:MetadataStructure agencyID="A" id="M"/></str:MetadataStructures>')
    assert read(tmp_path, only).status == "read"


def test_sdmx_json_says_the_same(tmp_path: Path) -> None:
    urn = "urn:sdmx:org.sdmx.infomodel."
    body = {
        "meta": {},
        "data": {
            "codelists": [
                {"id": "CL_B", "agencyID": "A", "version": "1.0", "codes": [
                    {"id": "W", "names": {"en": "World", "fr": "Monde"}},
                    {"id": "MEX", "parent": "W", "name": "Mexico"}]},
                {"id": "CL_E", "agencyID": "A", "version": "1.0", "codelistExtensions": [
                    {"codelist": f"{urn}codelist.Codelist=A:CL_B(1.0)", "prefix": "X_",
                     "inclusiveCodeSelection": {"memberValues": [{"value": "W", "cascadeValues": "excluderoot"}]}}]},
            ],
            "geographicCodelists": [{"id": "G", "agencyID": "A", "geoFeatureSetCodes": [{"id": "P", "name": "Place"}]}],
            "valueLists": [{"id": "V", "agencyID": "A", "valueItems": [{"id": "€", "name": "Euro"}]}],
            "metadataStructures": [{"id": "M"}],
            "dataStructures": [{"id": "S", "agencyID": "A", "dataStructureComponents": {"dimensionList": {
                "dimensions": [{"id": "B", "position": 1}, {"id": "A", "position": 0}],
                "timeDimension": {"id": "TIME_PERIOD"}}}}],
            "dataConstraints": [{"id": "C", "agencyID": "A", "role": "Allowed",
                "constraintAttachment": {"dataflows": [f"{urn}datastructure.Dataflow=A:F(1.0)"]},
                "cubeRegions": [{"include": True, "keyValues": [{"id": "A", "values": ["X", {"value": "Y%"}]}]}],
                "dataKeySets": [{"isIncluded": False, "keys": [{"keyValues": [{"id": "A", "value": "X"}]}]}]}],
        },
    }  # fmt: skip
    found = read(tmp_path, json.dumps(body), "s.json").contents
    lists = {one.ref.id: one for one in Codelists(found).all}
    assert lists["CL_B"].names_of("W") == {"en": "World", "fr": "Monde"}
    assert (list(lists["CL_E"].codes), list(lists["G"].codes), list(lists["V"].codes)) == (["X_MEX"], ["P"], ["€"])
    assert [one.id for one in found.structures[0].dimensions] == ["A", "B", "TIME_PERIOD"]
    [constraint] = found.constraints
    assert (constraint.role, constraint.attached) == ("allowed", (("Dataflow", Ref("F", "A", "1.0")),))
    assert [member.id for member in constraint.regions[0].values["A"].members] == ["X", "Y%"]
    assert [key.include for key in constraint.keys] == [False]


# -- languages ------------------------------------------------------------------------------------------------------


def test_languages() -> None:
    names = {"de": "Deutschland", "fr": "Allemagne", "en": "Germany"}
    assert [in_language(names, one) for one in ("", "fr", "fr-CA", "FR", "it")] == [
        "Germany", "Allemagne", "Allemagne", "Allemagne", "Germany",
    ]  # fmt: skip
    assert in_language({"es": "uno", "pt": "um"}) == "uno"
    assert in_language({}) == ""
    regional = {"fr-CH": "un", "en-GB": "one"}
    assert [in_language(regional, one) for one in ("", "fr", "fr-CA", "it")] == ["one", "un", "one", "one"]


def test_a_name_without_a_language_counts_as_english(tmp_path: Path) -> None:
    names = '<com:Name>one</com:Name><com:Name xml:lang="fr">un</com:Name>'
    own = one_list(f'<str:Code id="X">{names}</str:Code>')
    text = message(f"<str:Codelists>{own}</str:Codelists>")
    contents = read(tmp_path, text).contents
    assert contents.codelists[0].codes == {"X": "one"}
    assert Codelists(contents, "fr-CA").all[0].codes == {"X": "un"}


# -- files ----------------------------------------------------------------------------------------------------------

GOOD = message(f"<str:Codelists>{one_list(code('X'))}</str:Codelists>")


def zipped(files: dict[str, str | bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return held.getvalue()


def test_archives_are_known_by_their_first_bytes(tmp_path: Path) -> None:
    assert len(read(tmp_path, gzip.compress(GOOD.encode()), "a.xml").contents.codelists) == 1
    assert list(read(tmp_path, gzip.compress(b"id,name\nX,x\n"), "CL_Q.csv.gz").contents.codelists[0].ref.id) == list(
        "CL_Q"
    )
    file = tmp_path / "codes.zip"
    file.write_bytes(zipped({"cl.xml": GOOD, "bad.json": "{", "sub/CL_Z.csv": "id;name\nX;x\n", "read.me": "?"}))
    found = survey([file])
    assert [(one.file.partition("!")[2], one.status) for one in found] == [
        ("cl.xml", "read"),
        ("sub/CL_Z.csv", "read"),
        ("bad.json", "unusable"),
    ]
    assert found[2].problems[0].file.endswith("codes.zip!bad.json")
    assert len(read_structures([file]).all) == 2


def test_archives_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MIB", 1)
    huge = GOOD + " " * 2**21
    for name, data in (("a.gz", gzip.compress(huge.encode())), ("a.zip", zipped({"a.xml": huge}))):
        assert "larger than 1 MiB" in read(tmp_path, data, name).problems[0].message
    half = GOOD + " " * 700_000
    found = survey([_written(tmp_path / "b.zip", zipped({"a.xml": half, "b.xml": half}))])
    assert [one.status for one in found] == ["read", "unusable"]
    many = zipped({f"{n}.xml": "" for n in range(archives.MOST_ENTRIES + 1)})
    assert "more than 1,000 entries" in read(tmp_path, many, "c.zip").problems[0].message
    nested = zipped({"in.zip": zipped({"a.xml": GOOD})})
    assert "an archive in an archive" in read(tmp_path, nested, "d.zip").problems[0].message
    assert "an archive in an archive" in read(tmp_path, gzip.compress(gzip.compress(b"x")), "e.gz").problems[0].message
    for name, data in (("f.gz", gzip.compress(b"x" * 9999)[:30]), ("g.zip", zipped({"a.xml": GOOD})[:-30])):
        assert read(tmp_path, data, name).status == "unusable"


def _written(file: Path, data: bytes) -> Path:
    file.write_bytes(data)
    return file


def test_utf_16_web_pages_and_error_messages(tmp_path: Path) -> None:
    for text in (GOOD, '<?xml version="1.0" encoding="UTF-16"?>' + GOOD):
        assert len(read(tmp_path, text.encode("utf-16")).contents.codelists) == 1
    assert read(tmp_path, "id,name\nX,é\n".encode("utf-16"), "CL.csv").contents.codelists[0].codes == {"X": "é"}
    page = read(tmp_path, "<!DOCTYPE html><html><body>Sign in</body></html>")
    assert "is this a login page?" in page.problems[0].message
    failed = read(
        tmp_path,
        "<m:Error xmlns:m='x'><m:ErrorMessage><c:Text xmlns:c='y'>No results</c:Text></m:ErrorMessage></m:Error>",
    )
    assert "it is an SDMX error message: No results" in failed.problems[0].message
    old = read(tmp_path, "<Structure><CodeLists/></Structure>")
    assert "SDMX-ML 2.0" in old.problems[0].message


def test_hostile_xml_is_refused_with_the_line(tmp_path: Path) -> None:
    deep = message("<x>" * 100_000 + "</x>" * 100_000)
    hidden = message(f"<str:Annotations>{'<x>' * 100_000}{'</x>' * 100_000}</str:Annotations>")
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + message("&b;")
    late = message("").replace("<mes:Structures>", '<mes:Structures><!DOCTYPE x [<!ENTITY e "v">]>')
    for text, said in (
        (deep, "nested more than"),
        (hidden, "nested more than"),
        (bomb, "DOCTYPE"),
        (late, "not valid XML"),
    ):
        [problem] = read(tmp_path, text).problems
        assert said in problem.message and problem.line and problem.hint
    own = one_list(f'<str:Code id="X"><com:Name>{"n" * 3_000_000}</com:Name></str:Code>')
    long = message(f"<str:Codelists>{own}</str:Codelists>")
    assert len(read(tmp_path, long).contents.codelists[0].codes["X"]) < 1_100_000


def test_an_entity_of_html_has_a_remedy_of_its_own(tmp_path: Path) -> None:
    [problem] = read(tmp_path, message(one_list('<str:Code id="X"><com:Name>a&nbsp;b</com:Name></str:Code>'))).problems
    assert "undefined entity" in problem.message
    assert "&#160;" in problem.hint
    assert "Download" not in problem.hint


# -- karat structures -----------------------------------------------------------------------------------------------


def test_what_was_read_is_listed_whatever_failed(tmp_path: Path) -> None:
    good, bad = _written(tmp_path / "good.xml", GOOD.encode()), _written(tmp_path / "bad.xml", b"<a>")
    found = list_structures([good, bad, tmp_path / "none.xml"])
    assert [row["status"] for row in found.rows] == ["read", "unusable", "unusable"]
    assert found.rows[0]["codelists"] == [
        {
            "agency": "A",
            "id": "CL_D",
            "version": "1.0",
            "own_codes": 1,
            "codes": 1,
            "partial": False,
            "languages": ["en"],
        }
    ]
    with pytest.raises(UserError, match="2 structure files cannot be used"):
        found.refuse()
    folder = list_structures([tmp_path])
    folder.refuse()
    assert [row["status"] for row in folder.rows] == ["unusable", "read"]


def test_the_command_writes_the_json_and_exits_with_2(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from karat.cli.main import app

    good, out = _written(tmp_path / "good.xml", GOOD.encode()), tmp_path / "out.json"
    _written(tmp_path / "bad.xml", b"<a>")
    done = CliRunner().invoke(app, ["structures", str(tmp_path), "--json", str(out)])
    assert done.exit_code == 0 and "codelist   A:CL_D(1.0)  1 code" in done.output
    assert [one["status"] for one in json.loads(out.read_text())["files"]] == ["unusable", "read"]
    done = CliRunner().invoke(app, ["structures", str(good), str(tmp_path / "bad.xml"), "--json", str(out)])
    assert isinstance(done.exception, UserError)  # which the command line turns into exit code 2
    assert [one["status"] for one in json.loads(out.read_text())["files"]] == ["read", "unusable"]
