"""SDMX-ML structures, through pysdmx, after a look at the text: no DOCTYPE and so no entities, a structure message."""

from __future__ import annotations

import io
import re
from typing import Any  # Any: artefacts of pysdmx, recognised by the names of their classes

from karat.core.extras import install_command
from karat.core.problems import UserError
from karat.suites.data_query.structures.records import (
    Codelist,
    Contents,
    Dataflow,
    DataStructure,
    Dimension,
    Ref,
    Unusable,
    clean,
    parse_ref,
    utf8,
)

_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_ROOT = re.compile(r"(?:\s++|<\?.*?\?>|<!--.*?-->)*+<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)


def xml_text(data: bytes) -> str:
    """The text of an XML file that may be parsed: known encoding, no DOCTYPE and so no entities, a structure
    message."""
    declared = _DECLARED.match(data.removeprefix(b"\xef\xbb\xbf").lstrip())
    encoding = declared[1].decode().lower() if declared else "utf-8"
    if encoding in ("utf-8", "utf8", "us-ascii"):
        text = utf8(data)
    elif encoding in ("iso-8859-1", "windows-1252"):
        text = data.decode(encoding, errors="replace")
    else:
        raise Unusable(f"the encoding {encoding} is not supported", hint="Save the file as UTF-8.")
    refused = re.search(r"<!(DOCTYPE|ENTITY)", text, re.IGNORECASE)
    if refused:
        line = text.count("\n", 0, refused.start()) + 1
        raise Unusable(
            f"the XML has a {refused[1].upper()}, which is not allowed",
            line=line,
            hint="SDMX files need none: remove it.",
        )
    root = _ROOT.match(text)
    if root is None or root[1] != "Structure":
        found = f"a <{root[1]}> message" if root else "something else"
        raise Unusable(
            f"expected an SDMX structure message, found {found}", hint="Export the structures, not the data."
        )
    return text.lstrip()


def read_xml(text: str, contents: Contents) -> None:
    if not text.startswith("<?xml"):  # pysdmx knows XML by its declaration
        text = f'<?xml version="1.0"?>{text}'
    try:
        from pysdmx.io import read_sdmx

        # Bytes, because pysdmx takes a string for a path or an address that it may open.
        for artefact in read_sdmx(io.BytesIO(text.encode()), validate=False).structures or ():
            _take_artefact(artefact, contents)
    except ImportError as error:
        raise UserError("reading SDMX-ML needs pysdmx, which is not installed", hint=install_command("sdmx")) from error
    except Exception as error:  # pysdmx meets a malformed message with errors of every kind, KeyError among them
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise Unusable(f"not valid SDMX-ML: {reason}", line=getattr(error, "lineno", 0)) from error


def _take_artefact(artefact: Any, contents: Contents) -> None:
    kind = type(artefact).__name__
    if kind == "Codelist":
        codes = {code.id: clean(code.name) for code in artefact.codes}
        contents.codelists.append(Codelist(_artefact_ref(artefact), codes, bool(artefact.is_partial)))
    elif kind == "Dataflow":
        structure = artefact.structure
        text = structure if isinstance(structure, str) else getattr(structure, "short_urn", "")
        contents.dataflows.append(Dataflow(_artefact_ref(artefact), parse_ref(text) if text else None))
    elif kind == "DataStructureDefinition":
        dimensions = tuple(_artefact_dimension(component) for component in artefact.components.dimensions)
        contents.structures.append(DataStructure(_artefact_ref(artefact), dimensions))
    elif kind == "ConceptScheme":
        scheme = _artefact_ref(artefact)
        for concept in artefact.concepts:
            if getattr(concept, "enum_ref", None):
                contents.concepts[scheme.agency, scheme.id, concept.id] = parse_ref(concept.enum_ref)


def _artefact_ref(artefact: Any) -> Ref:
    agency = artefact.agency
    return Ref(artefact.id, agency if isinstance(agency, str) else agency.id, artefact.version or "")


def _artefact_dimension(component: Any) -> Dimension:
    concept = component.concept
    item = getattr(concept, "item_id", "")  # a reference to a concept of another file
    codelist = parse_ref(component.enum_ref) if component.enum_ref else None
    return Dimension(component.id, codelist, Ref(concept.id, concept.agency, concept.version, item) if item else None)
