"""Structure files in the styles of different agencies, and files that are damaged, old or lead elsewhere."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from karat.suites.data_query.checks.cases import check_cases
from karat.suites.data_query.matching.known_codes import codes_at_hand
from karat.suites.data_query.options import Options
from karat.suites.data_query.structures.codelists import Codelists, NoCodelist, read_structures
from karat.suites.data_query.structures.files import survey
from karat.suites.data_query.structures.records import Codelist
from karat.suites.data_query.structures.versions import satisfies
from tests.suites.data_query.building import case, target
from tests.suites.data_query.test_structure_files import code, message, one_list, read

URN = "urn:sdmx:org.sdmx.infomodel."


def structure(dimensions: str, flow: str = "1.0", version: str = "1.0") -> str:
    """A dataflow A:F, and its data structure A:S in a version."""
    return (
        '<str:Dataflows><str:Dataflow agencyID="A" id="F" version="1.0"><str:Structure>'
        f"{URN}datastructure.DataStructure=A:S({flow})</str:Structure></str:Dataflow></str:Dataflows><str:DataStructures>"
        f'<str:DataStructure agencyID="A" id="S" version="{version}"><str:DataStructureComponents><str:DimensionList>'
        f"{dimensions}</str:DimensionList></str:DataStructureComponents></str:DataStructure></str:DataStructures>"
    )


def dimension(name: str, codelist: str = "", inside: str = "") -> str:
    held = f"<str:Enumeration>{URN}codelist.Codelist=A:{codelist}</str:Enumeration>" if codelist else inside
    local = f"<str:LocalRepresentation>{held}</str:LocalRepresentation>" if held else ""
    concept = f"<str:ConceptIdentity>{URN}conceptscheme.Concept=A:CS(1.0).{name}</str:ConceptIdentity>"
    return f'<str:Dimension id="{name}">{concept}{local}</str:Dimension>'


def lists(*given: str) -> str:
    return f"<str:Codelists>{''.join(given)}</str:Codelists>"


def behind(tmp_path: Path, text: str, name: str = "D") -> str:
    found = Codelists(read(tmp_path, message(text)).contents).find("A:F", name, {})
    return str(found.ref) if isinstance(found, Codelist) else f"none: {found.reason}"


# -- versions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "fitting"),
    [
        ("1.0", "1.0"), ("1.0.0", "1.0"), ("latest", "1.0 1.2.0 1.2.5 1.3.0 2.0.0"),
        ("*", "1.0 1.2.0 1.2.5 1.3.0 2.0.0"),
        ("1+.2.0", "1.2.0 1.2.5 1.3.0 2.0.0"), ("1.2+.0", "1.2.0 1.2.5 1.3.0"), ("1.2.0+", "1.2.0 1.2.5"),
        ("1.2+.3", "1.2.5 1.3.0"), ("1.0+", "1.0 1.2.0 1.2.5 1.3.0"), ("3.0", ""), ("1.*", "1.0 1.2.0 1.2.5 1.3.0"),
        ("1.2.0-draft", ""),
    ],
)  # fmt: skip
def test_which_versions_a_reference_means(wanted: str, fitting: str) -> None:
    assert [one for one in ("1.0", "1.2.0", "1.2.5", "1.3.0", "2.0.0") if satisfies(one, wanted)] == fitting.split()


@pytest.mark.parametrize(
    ("asked", "found"),
    [("1.0", "A:CL_D(1.0)"), ("1.0+.0", "A:CL_D(1.9.0)"), ("1.10+.0", "none"), ("*", "A:CL_D(2.0)"), ("1.5", "none")],
)
def test_of_several_versions_of_a_list_the_one_that_is_referred_to(tmp_path: Path, asked: str, found: str) -> None:
    one = one_list(code("X"))
    held = lists(one, one.replace('"1.0"', '"1.9.0"'), one.replace('"1.0"', '"2.0"'))
    assert behind(tmp_path, held + structure(dimension("D", f"CL_D({asked})"))).startswith(found)


def test_another_version_is_not_taken_instead_and_the_check_says_which_there_are(tmp_path: Path) -> None:
    file = tmp_path / "s.xml"
    file.write_text(message(lists(one_list(code("X"))) + structure(dimension("D", "CL_D(7.0)"))))
    [told] = check_cases([case("c", target({"D": ["Q"]}, "A:F"))], [file], Options()).problems
    assert told.severity == "warning"
    assert told.message == (
        "the codelist A:CL_D(7.0) is not in the structure files (only version 1.0), so 1 term not checked"
    )
    file.write_text(message(lists(one_list(code("X"))) + structure(dimension("E"), flow="2.0")))
    told, *_ = [
        one
        for one in check_cases([case("c", target({"D": ["X"]}, "A:F"))], [file], Options()).problems
        if "data structure" in one.message
    ]
    assert told.message == (
        "the data structure A:S(2.0) is not in the structure files (only version 1.0), "
        "so the dimensions of A:F are not checked"
    )


# -- lists without codes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", ['isExternalReference="true"', ""])
def test_a_stub_is_a_list_that_is_not_at_hand(tmp_path: Path, more: str) -> None:
    file = tmp_path / "s.xml"
    file.write_text(message(lists(one_list("", more=more)) + structure(dimension("D", "CL_D(1.0)"))))
    [told] = check_cases([case("c", target({"D": ["X"]}, "A:F"))], [file], Options()).problems
    assert (told.severity, "A:CL_D(1.0) is not in the structure files" in told.message) == ("warning", True)
    assert codes_at_hand("A:F", "D", Options(structures=(str(file),))) is None
    whole = tmp_path / "whole.xml"
    whole.write_text(message(lists(one_list(code("X"), more='isPartial="true"'))))
    for files in ([file, whole], [whole, file]):
        assert check_cases([case("c", target({"D": [("X", "x")]}, "A:F"))], files, Options()).problems == ()


def test_a_message_of_stubs_is_read_and_counted(tmp_path: Path) -> None:
    stub = '<str:Dataflow agencyID="A" id="F" version="1.0" isExternalReference="true"/>'
    text = message(lists(one_list("", more='isExternalReference="true"')) + f"<str:Dataflows>{stub}</str:Dataflows>")
    found = read(tmp_path, text)
    assert (found.status, len(found.contents.dataflows), found.contents.codelists[0].codes) == ("read", 1, {})
    [told] = check_cases([case("c", target({"D": ["X"]}, "A:F"))], [tmp_path / "s.xml"], Options()).problems
    assert told.severity == "warning"


def test_an_id_that_may_be_in_a_list_that_is_not_at_hand_is_a_warning(tmp_path: Path) -> None:
    other = f"<str:Codelist>{URN}codelist.Codelist=A:GONE(1.0)</str:Codelist>"
    extension = f"<str:CodelistExtension>{other}</str:CodelistExtension>"
    file = tmp_path / "s.xml"
    file.write_text(message(lists(one_list(code("X") + extension)) + structure(dimension("D", "CL_D(1.0)"))))
    [told] = check_cases([case("c", target({"D": [("Y", "y")]}, "A:F"))], [file], Options()).problems
    assert told.severity == "warning" and "takes codes from A:GONE(1.0), and no file has that list" in told.message
    assert codes_at_hand("A:F", "D", Options(structures=(str(file),))) is None  # `all` is not only X


def test_an_id_that_is_in_none_of_the_lists_of_a_circle_is_a_warning_that_names_the_circle(tmp_path: Path) -> None:
    def list_with(name: str, other: str) -> str:
        taken = f"<str:Codelist>{URN}codelist.Codelist=A:{other}(1.0)</str:Codelist>"
        return one_list(code(name[-1]) + f"<str:CodelistExtension>{taken}</str:CodelistExtension>", name)

    file = tmp_path / "s.xml"
    circle = list_with("CL_D", "CL_E") + list_with("CL_E", "CL_D")
    file.write_text(message(lists(circle) + structure(dimension("D", "CL_D(1.0)"))))
    [told] = check_cases([case("c", target({"D": [("Y", "y")]}, "A:F"))], [file], Options()).problems
    assert told.severity == "warning"
    assert "from A:CL_D(1.0), which is in a circle of lists that extend each other" in told.message


# -- representations ------------------------------------------------------------------------------------------------


def test_a_local_text_format_comes_before_the_list_of_the_concept(tmp_path: Path) -> None:
    concept = f'<str:Concept id="D"><str:CoreRepresentation><str:Enumeration>{URN}codelist.Codelist=A:CL_D(1.0)'
    scheme = (
        f'<str:ConceptSchemes><str:ConceptScheme agencyID="A" id="CS" version="1.0">{concept}</str:Enumeration>'
        "</str:CoreRepresentation></str:Concept></str:ConceptScheme></str:ConceptSchemes>"
    )
    held = lists(one_list(code("X"))) + scheme
    assert behind(tmp_path, held + structure(dimension("D"))) == "A:CL_D(1.0)"
    free = structure(dimension("D", inside='<str:TextFormat textType="String"/>'))
    assert behind(tmp_path, held + free) == "none: it has no codelist in its data structure, so any value is allowed"


def test_json_ids_may_be_numbers_and_values_may_cascade(tmp_path: Path) -> None:
    body = {
        "data": {
            "codelists": [
                {"id": "CL_SEX", "agencyID": "UNSD", "codes": [{"id": 0}, {"id": 1, "parent": 0}, {"id": True}, None]}
            ],
            "dataStructures": [
                {
                    "id": "S",
                    "agencyID": "UNSD",
                    "dataStructureComponents": {
                        "dimensionList": {
                            "dimensions": [
                                {"id": "SEX", "localRepresentation": {"enumeration": "Codelist=UNSD:CL_SEX(1.0)"}},
                                {"id": "NOTE", "localRepresentation": {"format": {"dataType": "String"}}},
                            ]
                        }
                    },
                }
            ],
            "contentConstraints": [
                {
                    "id": "C",
                    "type": "Allowed",
                    "constraintAttachment": {"dataStructures": [f"{URN}datastructure.DataStructure=UNSD:S(1.0)"]},
                    "cubeRegions": [{"isIncluded": True, "keyValues": [{"id": "SEX", "cascadeValues": ["0"]}]}],
                }
            ],
        }
    }  # fmt: skip
    found = read(tmp_path, json.dumps(body), "s.json").contents
    assert (list(found.codelists[0].codes), found.codelists[0].parents) == (["0", "1"], {"1": ("0",)})
    [member] = found.constraints[0].regions[0].values["SEX"].members
    assert (member.id, member.cascade) == ("0", "with")
    assert isinstance(Codelists(found).find("UNSD:S", "NOTE", {}), NoCodelist)
    terms = target({"SEX": [("1", "")]}, "UNSD:S")
    assert check_cases([case("c", terms)], [tmp_path / "s.json"], Options()).problems == ()


# -- old, wrapped, encoded ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '<Structure xmlns="http://www.SDMX.org/resources/SDMXML/schemas/v2_0/message"><Dataflows><Dataflow id="F"/>'
        "</Dataflows></Structure>",
        '<m:Structure xmlns:m="x"><m:CodeLists><CodeList id="C"><Code value="A"/></CodeList></m:CodeLists>'
        "</m:Structure>",
        '<RegistryInterface xmlns="http://www.SDMX.org/resources/SDMXML/schemas/v2_0/message"><QueryStructureResponse>'
        "<KeyFamilies/></QueryStructureResponse></RegistryInterface>",
    ],
)
def test_sdmx_2_0_is_named(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert (found.status, found.contents.dataflows) == ("unusable", [])
    assert "it is an SDMX-ML 2.0 message, and only 2.1 and 3.0 are read" in found.problems[0].message


def test_a_message_may_be_in_an_envelope(tmp_path: Path) -> None:
    inner = message(lists(one_list(code("X"))), "2_1")
    text = f'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>{inner}</e:Body></e:Envelope>'
    assert [list(one.codes) for one in read(tmp_path, text).contents.codelists] == [["X"]]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("ISO-8859-2", "Łódź"), ("windows-1251", "Мужчины"), ("windows-1253", "Άνδρες"),
     ("Shift_JIS", "男"), ("GB2312", "男")],
)  # fmt: skip
def test_declared_encodings_of_statistics_offices(tmp_path: Path, encoding: str, name: str) -> None:
    text = message(lists(one_list(code("X").replace(">x<", f">{name}<"))))
    data = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
    assert read(tmp_path, data).contents.codelists[0].codes == {"X": name}


def test_an_encoding_that_does_not_fit_or_is_not_known_is_refused(tmp_path: Path) -> None:
    start = '<?xml version="1.0" encoding="%s"?>\n'
    text = message(lists(one_list(code("X").replace(">x<", ">é<"))))
    wrong = read(tmp_path, (start % "gb2312").encode() + text.encode("latin-1"))
    assert "says that it is gb2312 text, and is not" in wrong.problems[0].message and wrong.problems[0].line == 2
    assert (
        "the encoding cp037 is not supported" in read(tmp_path, (start % "cp037" + text).encode()).problems[0].message
    )


def test_an_entry_of_an_archive_that_leads_out_of_it_is_read_where_it_is(tmp_path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("../../up.xml", message(lists(one_list(code("X")))))
        archive.writestr(".hidden/a.xml", "<a/>")
    file = tmp_path / "a.zip"
    file.write_bytes(held.getvalue())
    assert [(one.file.rpartition("!")[2], one.status) for one in survey([file])] == [("../../up.xml", "read")]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.zip"]
    assert len(read_structures([file]).all) == 1
