"""SDMX-JSON 1.0 and 2.0 and Fusion-JSON structures, read here: pysdmx refuses the first and needs a schema validator
for the second."""

from __future__ import annotations

import msgspec

from karat.core.files import json
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
)


class _Text(msgspec.Struct):
    value: str = ""
    locale: str = ""


class _Representation(msgspec.Struct):
    enumeration: str | None = None
    representation: str | None = None


class _Item(msgspec.Struct):
    """A code, a value, a concept or a dimension: the two formats differ only in where they say things."""

    id: str
    name: str | None = None
    names: dict[str, str] | list[_Text] | None = None
    conceptIdentity: str | None = None
    concept: str | None = None
    coreRepresentation: _Representation | None = None
    localRepresentation: _Representation | None = None
    representation: _Representation | None = None


class _Dimensions(msgspec.Struct):
    dimensions: list[_Item] = []


class _Components(msgspec.Struct):
    dimensionList: _Dimensions | None = None


class _Artefact(msgspec.Struct):
    id: str
    agencyID: str = ""
    agencyId: str = ""
    version: str = ""
    isPartial: bool = False
    codes: list[_Item] = []
    valueItems: list[_Item] = []
    concepts: list[_Item] = []
    items: list[_Item] = []
    structure: str | None = None
    dataStructureRef: str | None = None
    dataStructureComponents: _Components | None = None
    dimensionList: _Dimensions | None = None


class _Structures(msgspec.Struct):
    codelists: list[_Artefact] = []
    valueLists: list[_Artefact] = []
    valuelists: list[_Artefact] = []
    dataStructures: list[_Artefact] = []
    dataflows: list[_Artefact] = []
    conceptSchemes: list[_Artefact] = []
    dataSets: msgspec.Raw = msgspec.Raw()


class _Message(msgspec.Struct):
    data: _Structures | None = None
    Codelist: list[_Artefact] = []
    ValueList: list[_Artefact] = []
    DataStructure: list[_Artefact] = []
    Dataflow: list[_Artefact] = []
    ConceptScheme: list[_Artefact] = []
    dataSets: msgspec.Raw = msgspec.Raw()


_message = msgspec.json.Decoder(_Message)


def read_json(data: bytes, contents: Contents) -> None:
    hint = "Give an SDMX-JSON structure message."
    try:
        message = json.decode_as(data, _message)
    except json.BadJson as error:
        raise Unusable(f"not an SDMX-JSON structure message: {error}", line=error.line, hint=hint) from error
    read = message.data or _Structures()
    lists = [*read.codelists, *read.valueLists, *read.valuelists, *message.Codelist, *message.ValueList]
    structures, flows = [*read.dataStructures, *message.DataStructure], [*read.dataflows, *message.Dataflow]
    if not (lists or structures or flows):
        data_only = bytes(read.dataSets) or bytes(message.dataSets)
        what = "data, not structures" if data_only else "no codelists, data structures or dataflows"
        raise Unusable(f"the file contains {what}", hint=hint)
    for artefact in lists:
        codes = {item.id: _item_name(item) for item in (*artefact.codes, *artefact.valueItems, *artefact.items)}
        contents.codelists.append(Codelist(_json_ref(artefact), codes, artefact.isPartial))
    for artefact in structures:
        holder = artefact.dimensionList or (artefact.dataStructureComponents or _Components()).dimensionList
        dimensions = tuple(_json_dimension(item) for item in (holder or _Dimensions()).dimensions)
        contents.structures.append(DataStructure(_json_ref(artefact), dimensions))
    for artefact in flows:
        urn = artefact.structure or artefact.dataStructureRef
        contents.dataflows.append(Dataflow(_json_ref(artefact), parse_ref(urn) if urn else None))
    for artefact in [*read.conceptSchemes, *message.ConceptScheme]:
        for item in (*artefact.concepts, *artefact.items):
            codelist = _enumeration(item)
            if codelist:
                contents.concepts[artefact.agencyID or artefact.agencyId, artefact.id, item.id] = codelist


def _json_ref(artefact: _Artefact) -> Ref:
    return Ref(artefact.id, artefact.agencyID or artefact.agencyId, artefact.version or "1.0")


def _json_dimension(item: _Item) -> Dimension:
    concept = item.conceptIdentity or item.concept
    return Dimension(item.id, _enumeration(item), parse_ref(concept) if concept else None)


def _enumeration(item: _Item) -> Ref | None:
    held = item.localRepresentation or item.coreRepresentation or item.representation
    urn = (held.enumeration or held.representation) if held else None
    return parse_ref(urn) if urn else None


def _item_name(item: _Item) -> str:
    names = item.names or {}
    by_language = names if isinstance(names, dict) else {text.locale: text.value for text in names}
    return clean(by_language.get("en") or item.name or next(iter(by_language.values()), ""))
