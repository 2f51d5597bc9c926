"""The codes in a prompt have their names in the language that the options name."""

from __future__ import annotations

from pathlib import Path

from karat.core.records import Case, Turn
from karat.suites.data_query.options import Options
from karat.suites.data_query.prompts import codelists
from karat.suites.data_query.selection.selection import Target

STRUCTURE = """<?xml version="1.0"?>
<mes:Structure xmlns:mes="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"
 xmlns:str="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/structure"
 xmlns:com="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/common">
<mes:Structures><str:Codelists><str:Codelist id="CL_AREA" agencyID="X" version="1.0">
<com:Name xml:lang="en">Areas</com:Name>
<str:Code id="DE"><com:Name xml:lang="en">Germany</com:Name><com:Name xml:lang="fr">Allemagne</com:Name></str:Code>
<str:Code id="US"><com:Name xml:lang="en">United States</com:Name></str:Code>
</str:Codelist></str:Codelists></mes:Structures></mes:Structure>"""


def test_names_of_codes_in_the_language_of_the_options(tmp_path: Path) -> None:
    file = tmp_path / "areas.xml"
    file.write_text(STRUCTURE)
    case: Case[Target] = Case("a", (Turn("user", "Combien ?"),))
    named = {
        language: codelists(case, Options(structures=(str(file),), language=language))[0]["codes"]
        for language in ("", "fr", "fr-CA")
    }
    assert named[""] == {"DE": "Germany", "US": "United States"}
    assert named["fr"] == named["fr-CA"] == {"DE": "Allemagne", "US": "United States"}
