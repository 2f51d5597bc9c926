"""Cases against the data structure: every row of the table of checks, with its place and the nearest valid thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from karat.cli.main import app
from karat.core.problems import Problem
from karat.core.suite import Unreadable
from karat.core.yaml.edit import apply_fixes
from karat.suites.data_query.cases import load_cases
from karat.suites.data_query.checks.cases import check_cases
from karat.suites.data_query.checks.names import look_alikes
from karat.suites.data_query.options import Options
from karat.suites.data_query.responses import read
from karat.suites.data_query.selection.selection import DatasetSelection, Dimension, Selection, Target, Term
from tests.suites.data_query.building import compared

CONSTRAINED = "data/sdmx2/made/constraints_21.xml"
LANGUAGES = """<Structure><Structures><Codelists><Codelist agencyID="A" id="CL_COUNTRY" version="1.0">
<Code id="DE"><Name xml:lang="fr">Allemagne</Name><Name xml:lang="en">Germany</Name></Code>
<Code id="ES"><Name xml:lang="fr">Espagne</Name><Name xml:lang="en">Spain</Name></Code>
<Code id="IT"><Name xml:lang="it">Italia</Name></Code></Codelist></Codelists></Structures></Structure>"""


def case_file(folder: Path, *entries: str, name: str = "case.yaml") -> Path:
    """A case of entries such as ``KRT:FLOW_A INDICATOR=GDP COUNTRY=MEX,NO``, terms with ``:name``."""
    lines = ["id: c", "conversation:", "- role: user", "  content: q", "  target:", "    indicator_selection:"]
    for entry in entries:
        dataset, *dimensions = entry.split(" ")
        lines += [f"    - dataset_id: {dataset}", "      dimensions:"]
        for dimension in dimensions:
            key, _, values = dimension.partition("=")
            lines += [f"      - dimension_name: {key}", "        values:"]
            for value in values.split(","):
                code, _, label = value.partition(":")
                lines.append(f"        - id: {code}")
                lines += [f"          name: {label.replace('_', ' ')}"] if label else []
    file = folder / name
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def checked(shared: Path, folder: Path, *entries: str, structure: str = CONSTRAINED) -> list[Problem]:
    """What is found, without what is said of missing names."""
    file = case_file(folder, *entries)
    found = check_cases(load_cases(file).cases, [shared / structure], Options()).problems
    return [one for one in found if "has no name" not in one.message]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("entry", "message", "hint", "place"),
    [
        ("KRT:FLOW_B COUNTRY=MEX", 'the dataset "KRT:FLOW_B" is not', 'Did you mean "KRT:FLOW_A"?', (7, 19)),
        ("FLOW_A COUNTRY=MEX", 'the dataset "FLOW_A" is not', 'Did you mean "KRT:FLOW_A"?', (7, 19)),
        ("krt:FLOW_A COUNTRY=MEX", 'the dataset "krt:FLOW_A" is not', 'Did you mean "KRT:FLOW_A"?', (7, 19)),
        ("KRT:FLOW_A CONTRY=MEX", 'has no dimension "CONTRY"', 'Did you mean "COUNTRY"?', (9, 25)),
        ("KRT:FLOW_A Country=MEX", 'has no dimension "Country"', 'Did you mean "COUNTRY"?', (9, 25)),
        ("KRT:FLOW_A TIME_PERIOD=2020", "TIME_PERIOD is the time dimension", "Write it as `period`", (9, 25)),
        ("KRT:FLOW_A COUNTRY=mex", 'unknown id "mex"', "It differs from MEX (Name of MEX) only by case.", (11, 15)),
        ("KRT:FLOW_A INDICATOR=CPI COUNTRY=NO", "no series of this entry is allowed by KRT:CC_ALLOWED(1.0)",
         "With INDICATOR CPI, COUNTRY may be MEX, USA.", (7, 19)),
    ],
)  # fmt: skip
def test_errors_with_their_place(
    shared: Path, tmp_path: Path, entry: str, message: str, hint: str, place: tuple[int, int]
) -> None:
    found = [one for one in checked(shared, tmp_path, entry) if one.severity == "error"]
    assert message in found[0].message and hint in found[0].hint
    assert (found[0].line, found[0].column) == place


@pytest.mark.shared_data
@pytest.mark.parametrize(
    "dataset", ["KRT,FLOW_A,1.0", "KRT,FLOW_A", "urn:sdmx:org.sdmx.infomodel.datastructure.Dataflow=KRT:FLOW_A(1.0)"]
)
def test_a_dataset_is_found_in_any_of_its_writings(shared: Path, tmp_path: Path, dataset: str) -> None:
    """In the check, and where an answer selects every code of a codelist."""
    found = checked(shared, tmp_path, f"{dataset} INDICATOR=GDP COUNTRY=XXX")
    assert [one.message for one in found] == ['unknown id "XXX" in COUNTRY: it is not in KRT:CL_COUNTRY(1.0)']
    everything = Selection((DatasetSelection(dataset, (Dimension("COUNTRY", (), "all"),)),))
    wanted = Target((DatasetSelection("KRT:FLOW_A", (Dimension("COUNTRY", (Term("MEX"),)),)),))
    comparison = compared(wanted, everything, structures=(str(shared / CONSTRAINED),))
    assert comparison.series.precision == 1 / 3 and comparison.dimensions[0].by_id.fp == 2


@pytest.mark.shared_data
def test_constraints_as_the_specification_has_them(shared: Path, tmp_path: Path) -> None:
    [only] = checked(shared, tmp_path, "KRT:FLOW_A INDICATOR=GDP COUNTRY=USA")
    assert only.severity == "warning" and "no data today" in only.message
    assert only.hint == "With INDICATOR GDP, COUNTRY may be MEX."
    assert checked(shared, tmp_path, "KRT:FLOW_A INDICATOR=GDP,CPI COUNTRY=MEX") == []
    assert checked(shared, tmp_path, "KRT:FLOW_A(1.0) INDICATOR=GDP") == []
    [term] = checked(shared, tmp_path, "KRT:FLOW_A INDICATOR=GDP COUNTRY=NO")
    assert term.message == "NO in COUNTRY is not in KRT:CC_ACTUAL(1.0): no data today"
    assert (term.severity, term.line, term.column) == ("warning", 14, 15)


@pytest.mark.shared_data
def test_a_constraint_on_a_provider_is_told_and_not_used(shared: Path, tmp_path: Path) -> None:
    real = "data/sdmx2/real/IMF/ECOFIN_DSD-structure.xml"
    found = checked(shared, tmp_path, "IMF:ECOFIN_DSD REF_AREA=US", structure=real)
    [told] = [one for one in found if "IMF:US_Constraint(1.0)" in one.message]
    assert told.severity == "warning" and "attached to a DataProvider and is not used" in told.message


@pytest.mark.shared_data
def test_a_list_that_is_not_there_is_told_once(shared: Path, tmp_path: Path) -> None:
    entries = ["KRT:DSD_B INDICATOR=GDP,CPI", "KRT:DSD_B INDICATOR=GDP COUNTRY=MEX:Nom_de_MEX"]
    found = checked(shared, tmp_path, *entries, structure="data/sdmx2/made/missing_codelist_30.xml")
    assert [one.message for one in found] == [
        "the codelist KRT:CL_ELSEWHERE(1.0) is not in the structure files, so 3 terms not checked"
    ]


def test_lists_alone_give_a_note_for_each_dataset(tmp_path: Path) -> None:
    codes = tmp_path / "CL_COUNTRY.csv"
    codes.write_text("id,name\nMEX,Mexico\n")
    file = case_file(tmp_path, "X:A COUNTRY=MEX:Mexico", "X:B COUNTRY=MEX:Mexico", "X:A COUNTRY=MEX:Mexico")
    found = check_cases(load_cases(file).cases, [codes], Options()).problems
    assert [(one.message.partition(" ")[0], one.severity) for one in found] == [("X:A", "warning"), ("X:B", "warning")]


def test_a_bad_file_of_a_folder_is_a_warning_of_the_check(tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "CL_COUNTRY.csv").write_text("id,name\nMEX,Mexico\n")
    (folder / "bad.xml").write_text("<a>\n<b>")
    file = case_file(tmp_path, "X:A COUNTRY=MEX:Mexico")
    first, *_ = check_cases(load_cases(file).cases, [folder], Options()).problems
    assert (Path(first.file).name, first.line, first.severity) == ("bad.xml", 2, "warning")


# -- names ------------------------------------------------------------------------------------------------------------


def names(folder: Path, *terms: str, language: str = "") -> tuple[list[str], str]:
    """(messages, the file after --fix-names)."""
    structure = folder / "lists.xml"
    structure.write_text(LANGUAGES, encoding="utf-8")
    file = case_file(folder, f"X:A COUNTRY={','.join(terms)}")
    found = check_cases(load_cases(file).cases, [structure], Options(language=language))
    apply_fixes(found.fixes)
    told = [one.message for one in found.problems if "are not checked" not in one.message]
    return told, file.read_text(encoding="utf-8")


def test_a_name_in_any_language_has_not_drifted(tmp_path: Path) -> None:
    assert names(tmp_path, "DE:Allemagne", "ES:Espagne")[0] == []
    assert names(tmp_path, "DE:Allemagne", "ES:Spain")[0] == []


def test_drift_is_fixed_in_the_language_of_the_case(tmp_path: Path) -> None:
    [drift], text = names(tmp_path, "DE:Allemagn", "ES:Espagne")
    assert drift == 'label drift: DE is called "Allemagne" in A:CL_COUNTRY(1.0), the case says "Allemagn"'
    assert "name: Allemagne\n" in text
    assert "name: Germany\n" in names(tmp_path, "DE:Germny", "ES:Spain")[1]
    assert "name: Germany\n" in names(tmp_path, "DE:Deutschland")[1]  # nothing says which language: English
    assert "name: Allemagne\n" in names(tmp_path, "DE:Deutschland", "ES:Spain", language="fr-CA")[1]


def test_a_language_that_nobody_can_tell_is_told_and_not_written(tmp_path: Path) -> None:
    [drift], text = names(tmp_path, "IT:Italy", "ES:Espagne")
    assert drift.startswith("label drift: IT") and "name: Italy\n" in text
    assert "name: Italia\n" in names(tmp_path, "IT:Italy", language="it")[1]


def test_a_missing_name_is_put_in(tmp_path: Path) -> None:
    [told], text = names(tmp_path, "DE", "ES:Espagne")
    assert told.startswith('DE has no name, and is called "Allemagne"')
    assert "        - id: DE\n          name: Allemagne\n        - id: ES\n" in text
    flow = tmp_path / "flow.yaml"
    flow.write_text(
        "id: c # kept\nconversation: [{role: user, content: q, target: {indicator_selection: [{dataset_id: X:A, "
        'dimensions: [{dimension_name: COUNTRY, values: [{"id": "DE"}, {id: ES}]}]}]}}]\n'
    )
    found = check_cases(load_cases(flow).cases, [tmp_path / "lists.xml"], Options())
    assert apply_fixes(found.fixes) == {str(flow): 2}
    assert '[{"id": "DE", "name": "Germany"}, {id: ES, name: Spain}]' in flow.read_text()
    assert flow.read_text().startswith("id: c # kept\n")


def test_names_that_look_the_same_are_told_by_their_characters(tmp_path: Path) -> None:
    assert "U+00A0 NO-BREAK SPACE in the case" in look_alikes("a\u00a0b", "a b")
    assert "U+0301 COMBINING ACUTE ACCENT" in look_alikes("Me\u0301xico", "M\u00e9xico")
    assert look_alikes("Mexico", "Mexiko") == ""


def test_the_command_takes_a_language(tmp_path: Path) -> None:
    structure = tmp_path / "lists.xml"
    structure.write_text(LANGUAGES, encoding="utf-8")
    file = case_file(tmp_path, "X:A COUNTRY=DE:Deutschland")
    words = ["check", str(file), "--suite", "data_query", "--structure", str(structure), "--fix-names"]
    done = CliRunner().invoke(app, [*words, "--language", "fr"])
    assert done.exit_code == 0, done.output
    assert "name: Allemagne\n" in file.read_text()


def test_a_file_with_no_case_is_an_error(tmp_path: Path) -> None:
    case_file(tmp_path, "X:A COUNTRY=DE")
    for name, text in (("comment.yaml", "# later\n"), ("list.yaml", "[]\n")):
        (tmp_path / name).write_text(text)
    loaded = load_cases(tmp_path)
    told = [(Path(one.file).name, one.message, one.severity) for one in loaded.problems]
    assert told == [(name, "the file has no case", "error") for name in ("comment.yaml", "list.yaml")]
    assert len(loaded.cases) == 1


def test_the_key_that_others_use_makes_an_answer_unreadable() -> None:
    value = '{"id": "a", "label": "n"}'
    query = f'{{"datasetUrn": "X", "filters": [{{"dimensionId": "A", "values": [{value}]}}]}}'
    mcp = f'{{"structuredContent": {{"queries": [{query}]}}}}'
    with pytest.raises(Unreadable, match=r'unknown key "label" in a value\. Did you mean name'):
        read(mcp.encode())
