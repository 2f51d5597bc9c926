"""Structure files read, the codelist of a dimension found, cases checked: with real structures, and small ones made
here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.core.case_files.case_checks import CheckedCases
from karat.core.problems import UserError
from karat.core.records import Case
from karat.suites.data_query.cases import load_cases
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Selection, Target
from karat.suites.data_query.structures.codelists import Codelists, read_structures
from karat.suites.data_query.structures.records import Codelist, Contents, Ref, parse_ref
from tests.suites.data_query.building import case, part, target
from tests.suites.data_query.building import check_codes as check_cases

WEO, CPI = "IMF.RES:WEO", "IMF.STA:CPI"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def sizes(codelists: Codelists) -> tuple[int, int]:
    return len(codelists.all), sum(len(codelist.codes) for codelist in codelists.all)


def behind(codelists: Codelists, dataset: str, dimension: str, **named: str) -> str:
    found = codelists.find(dataset, dimension, named)
    return str(found.ref) if isinstance(found, Codelist) else ""


def lists(*refs: str) -> Codelists:
    """Codelists of these names, each with the one code ``X``."""
    return Codelists(Contents([Codelist(parse_ref(ref), {"X": "x"}) for ref in refs], [], [], {}))


# -- real files -----------------------------------------------------------------------------------------------------


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("pysdmx/bis_der.xml", (31, 1737)),
        ("pysdmx/datastructure_descendants.xml", (22, 1432)),
        ("pysdmx/estat_metadata.xml", (6, 198)),
        ("pysdmx/dataflow_global_registry.xml", (30, 4577)),  # SDMX 3.0
        ("pysdmx/bis_der.json", (1, 1)),  # SDMX-JSON 2.0.0
        ("pysdmx/dsd.json", (17, 361)),  # SDMX-JSON 1.0: 16 codelists with 341 codes, a value list with 20
        ("pysdmx/flows.json", (17, 361)),
        ("pysdmx/schema.json", (17, 361)),
        ("statgpt-backend", (8, 337 + 15 + 49 + 483 + 267 + 6 + 7 + 7)),
        ("statgpt-backend/availableconstraint_IMF.STA,CPI,4.0.0.xml", (0, 0)),
        ("weo_2510", (2, 145 + 210)),
        ("wbopendata/wb_indicators_id_name.csv", (1, 20147)),
        ("datasets_imf-weo/indicators.csv", (1, 44)),  # its names are in a column "title"
    ],
)
def test_real_structure_files(shared: Path, file: str, expected: tuple[int, int]) -> None:
    assert sizes(read_structures([shared / "data/sdmx" / file])) == expected


@pytest.mark.shared_data
def test_of_many_languages_the_english_name_is_kept(shared: Path) -> None:
    countries = read_structures([shared / "data/sdmx/statgpt-backend"]).for_dimension(CPI, "COUNTRY", {})
    assert countries is not None
    assert countries["MEX"] == "Mexico"
    assert countries["CIV"] == "Côte d'Ivoire"
    assert countries["TUR"] == "Türkiye, Republic of"


@pytest.mark.shared_data
def test_real_dimensions_through_dataflow_and_structure(shared: Path) -> None:
    folder = shared / "data/sdmx/pysdmx"
    bis = read_structures([folder / "bis_der.xml"])
    assert behind(bis, "BIS:WEBSTATS_DER_DATAFLOW(1.0)", "DER_REP_CTY") == "BIS:CL_BIS_IF_REF_AREA(1.0)"
    assert behind(bis, "BIS:WEBSTATS_DER_DATAFLOW", "DER_TYPE") == "BIS:CL_OD_TYPE(1.0)"
    assert behind(bis, "BIS:WEBSTATS_XRU_CURRENT_D_DATAFLOW(7.0)", "CURRENCY") == "BIS:CL_CURRENCY_3POS(1.0)"
    assert behind(bis, "BIS:WEBSTATS_DER_DATAFLOW", "FREQUENCY") == "BIS:CL_FREQ(1.0)"
    assert behind(bis, "BIS:BIS_XR", "REF_AREA") == "BIS:CL_BIS_IF_REF_AREA(1.0)"  # the structure named as the dataset
    assert behind(bis, "BIS:OTHER", "DER_REP_CTY") == ""
    estat = read_structures([folder / "estat_metadata.xml"])
    assert behind(estat, "ESTAT:NRG_BAL_S", "NRG_BAL") == "ESTAT:NRG_BAL(16.0)"  # the dimension is "nrg_bal" there
    third = read_structures([folder / "dataflow_global_registry.xml"])
    assert behind(third, "SDMX:NAMAIN_IDC_N", "REF_AREA") == "IMF:CL_AREA(1.6)"
    assert behind(third, "SDMX:NAMAIN_IDC_N", "EXPENDITURE") == "ESTAT:CL_COICOP(1.1)"
    flows = read_structures([folder / "flows.json"])
    assert behind(flows, "BIS:CBS", "L_REP_CTY") == "BIS:CL_BIS_IF_REF_AREA(1.0)"
    assert behind(flows, "BIS:CBS", "REM_MATURITY") == "BIS:CL_ISSUE_MAT(1.0)"


@pytest.mark.shared_data
def test_real_dimensions_by_name(shared: Path) -> None:
    folder = shared / "data/sdmx"
    found = read_structures([folder / "statgpt-backend", folder / "weo_2510"])
    assert behind(found, "IMF.STA:CPI(5.0.0)", "FREQUENCY") == "IMF:CL_FREQ(1.0.3)"
    assert behind(found, CPI, "COICOP_1999") == "IMF:CL_COICOP_1999(1.0.1)"
    assert behind(found, CPI, "TYPE_OF_TRANSFORMATION") == "IMF.STA:CL_CPI_TYPE_OF_TRANSFORMATION(4.0.0)"
    assert behind(found, CPI, "COUNTRY") == "IMF:CL_COUNTRY(1.5.1)"
    assert behind(found, WEO, "COUNTRY") == "CL_WEO_COUNTRY"
    assert behind(found, WEO, "INDICATOR") == "CL_WEO_INDICATOR"
    assert behind(found, CPI, "INDICATOR") == ""
    assert behind(found, "IMF.STA:NSDP(7.0.0)", "TYPE_OF_TRANSFORMATION") == ""


@pytest.mark.shared_data
def test_the_seven_real_cases(shared: Path) -> None:
    folder = shared / "data/sdmx"
    loaded = load_cases(folder / "statgpt_cases/cases.yaml")
    assert len(loaded.cases) == 7
    checked = check_cases(loaded.cases, [folder / "statgpt-backend", folder / "weo_2510"], Options())
    errors = [problem for problem in checked.problems if problem.severity == "error"]
    assert errors and all("is not in the structure files" in problem.message for problem in errors)  # only CPI is
    drifts = {problem.line: problem for problem in checked.problems if problem.line and problem.severity == "warning"}
    assert sorted(drifts) == [108, 110, 115, 120, 125]  # all in inflation_argentina; three of them on line 110
    assert drifts[125].message == (
        'label drift: NGDP_D is called "Gross domestic product (GDP), Price deflator, Index" in CL_WEO_INDICATOR, '
        'the case says "GDP price deflator, Index"'
    )
    assert [(fix.path[0], fix.old, fix.new) for fix in checked.fixes[:1]] == [
        (5, "Consumer Price Index", "Consumer price index (CPI)")
    ]
    assert len(checked.fixes) == 7
    unchecked = [problem.message for problem in checked.problems if not problem.line]
    assert "no codelist for INDICATOR of IMF.STA:NSDP(7.0.0), so 2 terms not checked" in unchecked
    assert len(unchecked) == len(set(unchecked)) == 7


# -- which codelist -------------------------------------------------------------------------------------------------


def test_parse_ref() -> None:
    assert parse_ref("urn:sdmx:org.sdmx.infomodel.codelist.Codelist=BIS:CL_FREQ(1.0)") == Ref("CL_FREQ", "BIS", "1.0")
    assert parse_ref("DataStructure=IMF.STA:DSD_CPI(4.0.0)") == Ref("DSD_CPI", "IMF.STA", "4.0.0")
    assert parse_ref("urn:x.Concept=BIS:CS(1.0).FREQ") == Ref("CS", "BIS", "1.0", "FREQ")
    assert parse_ref("IMF.RES:WEO") == Ref("WEO", "IMF.RES")
    assert parse_ref("CL_X") == Ref("CL_X")
    assert parse_ref("a:b:c") == Ref("a:b:c")


def test_by_name_the_nearest_agency_then_the_newest_version() -> None:
    assert behind(lists("CL_D(2.8.0)", "CL_D(2.19.0)", "CL_D(2.19.0-draft)"), WEO, "D") == "CL_D(2.19.0)"
    assert behind(lists("BIS:CL_D(9.0)", "IMF:CL_D(1.0)"), WEO, "D") == "IMF:CL_D(1.0)"
    assert behind(lists("IMF:CL_D(9.0)", "IMF.RES:CL_D(1.0)"), WEO, "D") == "IMF.RES:CL_D(1.0)"
    assert behind(lists("BIS:CL_D(9.0)", "SDMX:CL_D(1.0)"), WEO, "D") == "SDMX:CL_D(1.0)"
    assert behind(lists("CL_D", "CL_WEO_D"), WEO, "D") == "CL_WEO_D"
    assert behind(lists("CL_D", "CL_WEO_D"), CPI, "D") == "CL_D"
    assert behind(lists("GEO"), "ESTAT:X", "geo") == "GEO"
    assert behind(lists("CL_FREQUENCY"), WEO, "FREQ") == "CL_FREQUENCY"
    assert behind(lists("CL_FREQ"), WEO, "FREQUENCY") == "CL_FREQ"


def test_what_the_user_names_comes_first_and_is_not_guessed_around() -> None:
    found = lists("IMF:CL_D(1.0)", "IMF:CL_D(2.0)", "BIS:CL_E(1.0)")
    assert behind(found, WEO, "D", D="CL_E") == "BIS:CL_E(1.0)"
    assert behind(found, WEO, "D", D="CL_D") == "IMF:CL_D(2.0)"
    assert behind(found, WEO, "D", D="IMF:CL_D(1.0)") == "IMF:CL_D(1.0)"
    assert behind(found, WEO, "D", D="BIS:CL_D") == ""
    assert found.for_dimension(WEO, "D", {"D": "CL_NONE"}) is None
    assert found.for_dimension(WEO, "D", {}) == {"X": "x"}


SDMX_JSON = {
    "meta": {},
    "data": {
        "codelists": [
            {
                "id": "CL_AREA",
                "agencyID": "A",
                "version": "1.0",
                "codes": [{"id": "X", "names": {"fr": "un", "en": "one"}}],
            },
            {"id": "CL_AREA", "agencyID": "A", "version": "2.0", "codes": [{"id": "X", "names": {"fr": "deux"}}]},
            {"id": "CL_KIND", "agencyID": "A", "version": "1.0", "codes": [{"id": "K"}]},
        ],
        "dataflows": [
            {"id": "F", "agencyID": "A", "version": "1.0", "structure": "urn:x.DataStructure=A:S(1.0)"},
            {"id": "F", "agencyID": "A", "version": "2.0", "structure": "urn:x.DataStructure=A:S(2.0)"},
        ],
        "dataStructures": [
            {
                "id": "S",
                "agencyID": "A",
                "version": version,
                "dataStructureComponents": {
                    "dimensionList": {
                        "dimensions": [
                            {
                                "id": "REGION",
                                "localRepresentation": {"enumeration": f"urn:x.Codelist=A:CL_AREA({version})"},
                            },
                            {"id": "TYPE", "conceptIdentity": "urn:x.Concept=A:CS(1.0).TYPE"},
                            {"id": "UNIT", "localRepresentation": {"enumeration": "urn:x.Codelist=A:CL_LOST(1.0)"}},
                        ]
                    }
                },
            }
            for version in ("1.0", "2.0")
        ],
    },
}
CONCEPTS = {
    "data": {
        "codelists": [{"id": "CL_UNIT", "agencyID": "B", "version": "1.0", "codes": [{"id": "U"}]}],
        "conceptSchemes": [
            {
                "id": "CS",
                "agencyID": "A",
                "concepts": [{"id": "TYPE", "coreRepresentation": {"enumeration": "urn:x.Codelist=A:CL_KIND(1.0)"}}],
            }
        ],
    }
}


def test_through_the_structure_with_versions_and_concepts_of_another_file(tmp_path: Path) -> None:
    files = [
        write(tmp_path, "s.json", json.dumps(SDMX_JSON)),
        write(tmp_path, "c.json", json.dumps(CONCEPTS)),
    ]
    found = read_structures(files)
    assert behind(found, "A:F(1.0)", "REGION") == "A:CL_AREA(1.0)"
    assert behind(found, "A:F", "REGION") == "A:CL_AREA(2.0)"
    assert behind(found, "A:F(7.0)", "REGION") == "A:CL_AREA(2.0)"
    assert behind(found, "F", "region") == "A:CL_AREA(2.0)"
    assert behind(found, "A:F", "TYPE") == "A:CL_KIND(1.0)"
    assert (
        behind(found, "A:F", "UNIT") == ""
    )  # the structure says CL_LOST; CL_UNIT of another agency is not taken instead
    assert found.for_dimension("A:F(1.0)", "REGION", {}) == {"X": "one"}
    assert found.for_dimension("A:F(2.0)", "REGION", {}) == {"X": "deux"}
    [unit] = check_cases([case("c", target({"UNIT": ["U"]}, "A:F"))], files, Options()).problems
    assert unit.message == "the codelist A:CL_LOST(1.0) is not in the structure files, so 1 term not checked"
    [typo] = check_cases([case("c", target({"REGIN": ["X"]}, "A:F"))], files, Options()).problems
    assert (typo.message, typo.hint) == ('A:S(2.0) has no dimension "REGIN" (case "c")', 'Did you mean "REGION"?')


def test_fusion_json(tmp_path: Path) -> None:
    message = {
        "Codelist": [
            {
                "id": "CL_AREA",
                "agencyId": "A",
                "version": "1.0",
                "items": [{"id": "X", "names": [{"locale": "fr", "value": "un"}, {"locale": "en", "value": "one"}]}],
            }
        ],
        "Dataflow": [{"id": "F", "agencyId": "A", "dataStructureRef": "urn:x.DataStructure=A:S(1.0)"}],
        "DataStructure": [
            {
                "id": "S",
                "agencyId": "A",
                "dimensionList": {
                    "dimensions": [{"id": "R", "representation": {"representation": "urn:x.Codelist=A:CL_AREA(1.0)"}}]
                },
            }
        ],
    }
    found = read_structures([write(tmp_path, "f.json", json.dumps(message))])
    assert found.for_dimension("A:F", "R", {}) == {"X": "one"}


def test_the_same_list_from_several_files(tmp_path: Path) -> None:
    def message(codes: list[str], partial: bool) -> str:
        codelist = {"id": "CL_D", "isPartial": partial, "codes": [{"id": code, "name": code.lower()} for code in codes]}
        return json.dumps({"data": {"codelists": [codelist]}})

    a, b = write(tmp_path, "a.json", message(["A"], True)), write(tmp_path, "b.json", message(["B"], True))
    whole = write(tmp_path, "w.json", message(["A", "W"], False))
    assert read_structures([a, b]).for_dimension("x", "D", {}) == {"A": "a", "B": "b"}
    assert read_structures([a, whole, b]).for_dimension("x", "D", {}) == {"A": "a", "W": "w"}
    [problem] = check_cases([case("c", target({"D": ["Q"]}))], [a], Options()).problems
    assert "CL_D(1.0), of which the file contains only a part" in problem.message


# -- CSV ------------------------------------------------------------------------------------------------------------


def test_csv_forms(tmp_path: Path) -> None:
    one = write(
        tmp_path, "CL_D(2.0).csv", '\ufeffNote, ID ,Name\r\nn,NO,"Norway, Kingdom of"\r\n,001,World\r\n\r\n,ONLY\r\n'
    )
    several = write(tmp_path, "many.csv", "codelist,id,label\nCL_A,X,x\nIMF:CL_B(1.0),X,y\nCL_A,Y,\n")
    found = read_structures([one, several])
    assert [str(codelist.ref) for codelist in found.all] == ["CL_D(2.0)", "CL_A", "IMF:CL_B(1.0)"]
    assert found.for_dimension("", "D", {}) == {"NO": "Norway, Kingdom of", "001": "World", "ONLY": ""}
    assert found.for_dimension("", "A", {}) == {"X": "x", "Y": ""}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("key,name\nX,x\n", 1, 'expected a header with "id,name" or "codelist,id,name", found "key,name"'),
        ("id|name\nX|x\n", 1, 'found "id|name"'),
        ("id,name\nX,x\n,y\n", 3, "a row without an id"),
        ("id,name\nX,x\nX,y\n", 3, 'the id "X" appears twice, with two names'),
        ("", 0, "the file is empty"),
    ],
)
def test_wrong_csv(tmp_path: Path, text: str, line: int, reason: str) -> None:
    with pytest.raises(UserError) as error:
        read_structures([write(tmp_path, "CL_X.csv", text)])
    [problem] = error.value.problems
    assert (Path(problem.file).name, problem.line) == ("CL_X.csv", line)
    assert reason in problem.message


# -- files that are refused -----------------------------------------------------------------------------------------

STRUCTURE = """<?xml version="1.0" encoding="UTF-8"?>{doctype}
<mes:Structure xmlns:mes="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"
 xmlns:str="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/structure"
 xmlns:com="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/common"><mes:Header><mes:ID>x</mes:ID><mes:Test>false</mes:Test>
<mes:Prepared>2024-01-01T00:00:00</mes:Prepared><mes:Sender id="x"/></mes:Header>
<mes:Structures><str:Codelists><str:Codelist id="CL_D" agencyID="A" version="1.0"><com:Name xml:lang="en">d</com:Name>
<str:Code id="X"><com:Name xml:lang="fr">un</com:Name><com:Name xml:lang="en">{name}</com:Name></str:Code>
</str:Codelist></str:Codelists></mes:Structures></mes:Structure>
"""


def test_small_xml_is_read_with_and_without_a_declaration(tmp_path: Path) -> None:
    text = STRUCTURE.format(doctype="", name="one &amp; only")
    for number, form in enumerate((text, "\ufeff" + text, text.split("?>", 1)[1])):
        found = read_structures([write(tmp_path, f"{number}.xml", form)])
        assert found.for_dimension("A:F", "D", {}) == {"X": "one & only"}
    latin = tmp_path / "latin.xml"
    latin.write_bytes(text.replace("UTF-8", "ISO-8859-1").replace("only", "sólo").encode("iso-8859-1"))
    assert read_structures([latin]).for_dimension("A:F", "D", {}) == {"X": "one & sólo"}


@pytest.mark.parametrize(
    ("doctype", "encoding"),
    [
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file://{canary}">]>', "utf-8"),
        ('<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY e "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>', "utf-8"),
        ('<!DOCTYPE x SYSTEM "http://localhost:9/x.dtd">', "utf-8"),
        ("\n<!-- c --><!doctype x>", "utf-8"),
        ('<!DOCTYPE x [<!ENTITY e "v">]>', "utf-16"),
        ('<!DOCTYPE x [<!ENTITY e "v">]>', "utf-16-le"),
        ('<!DOCTYPE x [<!ENTITY e "v">]>', "utf-7"),
    ],
)
def test_xml_with_a_doctype_never_reaches_the_parser(tmp_path: Path, doctype: str, encoding: str) -> None:
    canary = write(tmp_path, "canary.txt", "SECRET")
    text = STRUCTURE.format(doctype=doctype.replace("{canary}", str(canary)), name="&e;")
    hostile = tmp_path / "hostile.xml"
    hostile.write_bytes(text.replace('encoding="UTF-8"', f'encoding="{encoding}"').encode(encoding))
    with pytest.raises(
        UserError, match=r"DOCTYPE, which is not allowed|it is UTF-16 text|utf-7 is not supported|syntax error"
    ) as error:
        read_structures([hostile])
    assert "SECRET" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("data.xml", "<?xml version='1.0'?><m:GenericData xmlns:m='x'/>", "found a <GenericData> message"),
        ("half.xml", STRUCTURE.format(doctype="", name="n")[:-60], "half.xml:8: not valid XML: unclosed token"),
        ("other.xml", "<?xml version='1.0'?><Other/>", "found a <Other> message"),
        (
            "data.json",
            '{"meta": {}, "data": {"dataSets": [{}], "structure": {}}}',
            "the file contains data, not structures",
        ),
        ("empty.json", '{"meta": {}}', "no codelists, data structures or dataflows"),
        ("half.json", '{"data": {"codelists": [', "not an SDMX-JSON structure message: "),
        ("wrong.json", '{"data": {"codelists": [{"id": 3}]}}', "codelists[0] has no id that is a text"),
        ("list.json", "[]", "expected an object"),
        ("deep.json", '{"x": ' + "[" * 100_000, "not an SDMX-JSON structure message"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(tmp_path: Path, name: str, text: str, reason: str) -> None:
    with pytest.raises(UserError) as error:
        read_structures([write(tmp_path, name, text)])
    assert name in str(error.value)
    assert reason in str(error.value)


def test_a_bad_file_never_costs_the_others(tmp_path: Path) -> None:
    bad = [write(tmp_path, "a.csv", "x\n"), write(tmp_path, "b.json", "{}")]
    write(tmp_path, "data.xml", "<?xml version='1.0'?><m:GenericData xmlns:m='x'/>")
    write(tmp_path, "CL_D.csv", "id,name\nX,x\n")
    write(tmp_path, "README.md", "not a structure file")
    write(tmp_path, ".hidden.csv", "x\n")
    found = read_structures([tmp_path])
    assert found.for_dimension("A:F", "D", {}) == {"X": "x"}
    told = [(Path(one.file).name, one.severity) for one in found.contents.problems]
    assert told == [("a.csv", "warning"), ("b.json", "warning"), ("data.xml", "warning")]
    assert all(one.hint for one in found.contents.problems)
    with pytest.raises(UserError, match="2 structure files cannot be used") as error:  # both were named
        read_structures([bad[0], tmp_path / "CL_D.csv", bad[1]])
    assert [Path(problem.file).name for problem in error.value.problems] == ["a.csv", "b.json"]
    (tmp_path / "CL_D.csv").unlink()
    with pytest.raises(UserError, match="3 structure files cannot be used"):  # nothing is left
        read_structures([tmp_path])


def test_missing_files_and_empty_folders(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no structure file none\.xml"):
        read_structures([tmp_path / "none.xml"])
    with pytest.raises(UserError, match="there are no structure files in this folder"):
        read_structures([tmp_path])


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_FILE_MB", "1")
    with pytest.raises(UserError, match="larger than 1 MiB"):
        read_structures([write(tmp_path, "a.csv", "id,name\n" + "x" * 2**20)])


# -- the check ------------------------------------------------------------------------------------------------------

CODES = """id,name
MEX,Mexico
MAR,Morocco
NO,Norway
001,World
MDA,"Moldova, Republic of"
EMPTY,
"""


def check(tmp_path: Path, yaml: str, **codelists: str) -> CheckedCases:
    codes = write(tmp_path, "CL_COUNTRY.csv", CODES)
    loaded = load_cases(write(tmp_path, "cases/case.yaml", yaml))
    assert not loaded.problems
    return check_cases(loaded.cases, [codes], Options(codelists=codelists))


def one_case(values: str) -> str:
    return f"""id: c1
conversation:
- role: user
  content: q
  target:
    indicator_selection:
    - dataset_id: X:Y
      dimensions:
      - dimension_name: COUNTRY
        values:
{values}"""


def test_nothing_is_checked_without_structures() -> None:
    assert check_cases([case("c", target({"D": ["X"]}))], [], Options()) == CheckedCases()


def test_codes_that_are_right(tmp_path: Path) -> None:
    values = "        - {id: NO, name: Norway}\n        - {id: 001, name: World}\n"
    values += "        - {id: EMPTY, name: anything}\n        - {id: MDA, name: 'Moldova, Republic of'}\n"
    assert check(tmp_path, one_case(values)) == CheckedCases()


def test_an_unknown_id_is_told_at_its_place_with_the_nearest_codes(tmp_path: Path) -> None:
    values = "        - name: Norway\n          id: MX # typo\n"
    [problem] = check(tmp_path, one_case(values)).problems
    assert (problem.line, problem.column, problem.width, problem.severity) == (12, 15, 2, "error")
    assert problem.message == 'unknown id "MX" in COUNTRY: it is not in CL_COUNTRY'
    assert problem.hint == "Nearest: NO (Norway), MEX (Mexico)."  # by the name, then by the id


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("mex", "It differs from MEX (Mexico) only by case."),
        ("' MEX'", "It differs from MEX (Mexico) only by surrounding spaces."),
        ("'mex '", "It differs from MEX (Mexico) only by case and surrounding spaces."),
        ("empty", "It differs from EMPTY only by case."),
    ],
)
def test_an_id_that_differs_only_by_case_or_spaces(tmp_path: Path, code: str, hint: str) -> None:
    [problem] = check(tmp_path, one_case(f"        - {{id: {code}}}\n")).problems
    assert problem.hint == hint


def test_a_short_list_is_told_whole_when_nothing_is_near(tmp_path: Path) -> None:
    [problem] = check(tmp_path, one_case("        - {id: QQQQ}\n")).problems
    assert problem.hint.startswith("Its codes: MEX (Mexico), MAR (Morocco), NO (Norway)")


def test_a_name_that_is_missing_empty_or_drifted(tmp_path: Path) -> None:
    checked = check(
        tmp_path, one_case("        - {id: MEX}\n        - {id: MAR, name: ''}\n        - {id: NO, name: Noreg}\n")
    )
    places = [(p.line, p.column, p.severity) for p in checked.problems]
    assert places == [(11, 11, "warning"), (12, 27, "warning"), (13, 26, "warning")]
    assert [(fix.new, fix.insert) for fix in checked.fixes] == [("Mexico", True), ("Morocco", False), ("Norway", False)]


def test_every_turn_alternative_document_and_list_item(tmp_path: Path) -> None:
    def item(case_id: str) -> str:
        values = "[{id: MEX, name: M}]"
        part = (
            f"indicator_selection: [{{dataset_id: 'X:Y', dimensions: [{{dimension_name: COUNTRY, values: {values}}}]}}]"
        )
        turn = f"{{role: user, content: q, target: {{{part}, alternatives: [{{{part}}}]}}}}"
        return f"- {{id: {case_id}, conversation: [{turn}, {{role: assistant, content: a}}, {turn}]}}\n"

    text = item("a") + item("b") + "---\n" + item("c")
    checked = check(tmp_path, text)
    assert len(checked.fixes) == len(checked.problems) == 3 * 2 * 2
    tail = ("indicator_selection", 0, "dimensions", 0, "values", 0, "name")
    assert [(fix.document, fix.path) for fix in checked.fixes][-4:] == [
        (1, (0, "conversation", 0, "target", *tail)),
        (1, (0, "conversation", 0, "target", "alternatives", 0, *tail)),
        (1, (0, "conversation", 2, "target", *tail)),
        (1, (0, "conversation", 2, "target", "alternatives", 0, *tail)),
    ]
    assert [fix.path[0] for fix in checked.fixes[4:8]] == [1] * 4
    assert len({(problem.line, problem.column) for problem in checked.problems}) == 12


def test_an_aliased_term_is_one_problem(tmp_path: Path) -> None:
    values = "        - &m {id: MX, name: Mexico}\n        - *m\n"
    assert len(check(tmp_path, one_case(values)).problems) == 1


def test_one_warning_for_a_dimension_without_codelist(tmp_path: Path) -> None:
    codes = write(tmp_path, "CL_COUNTRY.csv", CODES)
    cases: list[Case[Target]] = [
        case(str(n), target({"UNIT": ["A", "B"]}, "X:Y", alternatives=(Selection((part({"UNIT": ["C"]}, "X:Y"),)),)))
        for n in range(5)
    ]
    checked = check_cases([*cases, case("z", target({"UNIT": ["A"]}, "X:Z"))], [], Options(structures=(str(codes),)))
    assert [(p.message, p.line, p.severity) for p in checked.problems] == [
        ("no codelist for UNIT of X:Y, so 15 terms not checked", 0, "warning"),
        ("no codelist for UNIT of X:Z, so 1 term not checked", 0, "warning"),
    ]
    assert "codelists: {UNIT: CODELIST}" in checked.problems[0].hint


def test_a_named_codelist_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    checked = check(tmp_path, one_case("        - {id: MEX}\n"), COUNTRY="CL_CUNTRY")
    [problem] = checked.problems
    assert problem.severity == "error"
    assert "the option codelists names CL_CUNTRY for COUNTRY, which is in no structure file" in problem.message
    assert problem.hint == 'Did you mean "CL_COUNTRY"?'


def test_cases_without_a_file_are_told_by_their_id(tmp_path: Path) -> None:
    codes = write(tmp_path, "CL_COUNTRY.csv", CODES)
    made: Case[Target] = case("made", target({"COUNTRY": [("MX", ""), ("MEX", "M"), ("MAR", "")]}))
    checked = check_cases([made], [codes], Options())
    assert [p.message[:10] for p in checked.problems] == ["unknown id", "label drif", "MAR has no"]
    assert all('(case "made")' in p.message for p in checked.problems)
    assert checked.fixes == ()


@pytest.mark.shared_data
def test_many_unknown_ids_against_twenty_thousand_codes(shared: Path) -> None:
    codes = shared / "data/sdmx/wbopendata/wb_indicators_id_name.csv"
    unknown = [(f"SP.POP.TOTL.X{n % 50}", "Population, total") for n in range(500)]
    made: Case[Target] = case("wb", target({"INDICATOR": [*unknown, ("SP.POP.TOTL", "Population, total")]}, "WB:WDI"))
    checked = check_cases([made], [codes], Options(codelists={"INDICATOR": "wb_indicators_id_name"}))
    assert len(checked.problems) == 50  # equal ones of one case are one
    assert all(problem.hint.startswith("Nearest: SP.POP.TOTL (Population, total), ") for problem in checked.problems)
