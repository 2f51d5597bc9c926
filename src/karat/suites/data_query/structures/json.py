"""SDMX-JSON 1.0 and 2.0 and Fusion-JSON structures. What is known is taken, the rest is skipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any  # Any: SDMX-JSON before it is checked

from karat.core.files import json
from karat.core.json_types import JsonMapping
from karat.suites.data_query.structures.languages import codelist_names, named
from karat.suites.data_query.structures.records import (
    Codelist,
    Constraint,
    Contents,
    Dataflow,
    DataMessage,
    DataStructure,
    Dimension,
    Extension,
    Member,
    Names,
    Ref,
    Region,
    Unusable,
    Values,
    constraint_role,
    of_series,
    ordered,
    parse_ref,
)

HINT = "Give an SDMX-JSON structure message."
LARGEST = 10**18
"""Numbers from here on are no ids."""
LISTS = (
    "codelists",
    "geographicCodelists",
    "geoCodelists",
    "geoGridCodelists",
    "valueLists",
    "valuelists",
    "Codelist",
    "GeographicCodelist",
    "GeoGridCodelist",
    "ValueList",
)
CODES = ("codes", "geoFeatureSetCodes", "geoGridCodes", "geoCodes", "valueItems", "items")
CONSTRAINTS = (
    "contentConstraints",
    "dataConstraints",
    "availabilityConstraints",
    "ContentConstraint",
    "DataConstraint",
    "AvailabilityConstraint",
)
STRUCTURES = ("dataStructures", "DataStructure")
FLOWS = ("dataflows", "Dataflow")
SCHEMES = ("conceptSchemes", "ConceptScheme")
HIERARCHIES = ("hierarchicalCodelists", "hierarchies", "Hierarchy", "HierarchicalCodelist")
KINDS = frozenset((*LISTS, *CONSTRAINTS, *STRUCTURES, *FLOWS, *SCHEMES, *HIERARCHIES))
"""Where the artefacts are that are read."""
INCLUDED = ("includedCodelists", "codelists")
CLASSES = {name.casefold(): name for name in KINDS if name[0].isupper()}
ATTACHED = {
    "dataflow": "Dataflow",
    "dataStructure": "DataStructure",
    "dataProvider": "DataProvider",
    "provisionAgreement": "ProvisionAgreement",
}


def read_json(data: bytes, contents: Contents) -> None:
    """Everything that a structure message says. Raises Unusable, and DataMessage for a message with data."""
    try:
        message = json.decode(data)
    except json.BadJson as error:
        raise Unusable(f"not an SDMX-JSON structure message: {error}", line=error.line, hint=HINT) from error
    if not isinstance(message, dict):
        raise Unusable("not an SDMX-JSON structure message: expected an object", line=1, hint=HINT)
    inner = message.get("data")
    held: JsonMapping = {**message, **inner} if isinstance(inner, dict) else message
    if "dataSets" in held:
        raise DataMessage("the file contains data, not structures")
    held = {**held, **_by_class(held)}
    if not any(_is_artefacts(key, value) for key, value in held.items()):
        raise _no_structures(held)
    for key in LISTS:
        for artefact in _artefacts(held, key):
            contents.codelists.append(_codelist(artefact))
    for artefact in _artefacts(held, *STRUCTURES):
        dimensions = ordered(list(_dimensions(artefact)))
        if dimensions or not artefact.get("isExternalReference"):
            contents.structures.append(DataStructure(_ref(artefact), dimensions))
    for artefact in _artefacts(held, *FLOWS):
        urn = artefact.get("structure") or artefact.get("dataStructureRef")
        contents.dataflows.append(Dataflow(_ref(artefact), _parsed(urn)))
    for artefact in _artefacts(held, *SCHEMES):
        _scheme(artefact, contents)
    for artefact in _artefacts(held, *HIERARCHIES):
        _hierarchy(artefact, contents)
    for key in CONSTRAINTS:
        contents.constraints.extend(_constraint(artefact, key) for artefact in _artefacts(held, key))


def _by_class(held: JsonMapping) -> dict[str, list[JsonMapping]]:
    """The artefacts of drafts of SDMX-JSON, which listed them under ``resources`` and, by URN, ``references``: by the
    name of their class, as Fusion-JSON has them."""
    given = held.get("references")
    listed = list(given.items()) if isinstance(given, dict) else []
    listed += [(_text(one.get("urn")) or _text(one.get("type")), one) for one in _objects(held, "resources")]
    found: dict[str, list[JsonMapping]] = {}
    for name, artefact in listed:
        kind = CLASSES.get(name.partition("=")[0].rpartition(".")[2].casefold())
        if kind and isinstance(artefact, dict):
            found.setdefault(kind, []).append(artefact)
    return found


def _is_artefacts(key: str, value: Any) -> bool:
    """Whether a value is a list of artefacts, of a kind that is read or of another one. It may be empty."""
    if not isinstance(value, list):
        return False
    if key in KINDS:
        return True
    return bool(value) and all(isinstance(one, dict) and "id" in one and _owners(one) for one in value)


def _owners(artefact: JsonMapping) -> bool:
    """Whether an object says whose it is, or what it is, as artefacts do."""
    return any(key in artefact for key in ("agencyID", "agencyId", "urn", "links"))


def _no_structures(held: JsonMapping) -> Unusable:
    """Why a message is of no use; where it is a service's error, in its words."""
    said = []
    for one in (*_list(held, "errors"), held.get("error"), held):
        if isinstance(one, dict):
            said += [_text(one.get(key)) for key in ("title", "message", "detail") if _text(one.get(key))]
    if "errors" in held or "error" in held:
        words = f": {' '.join(dict.fromkeys(said))[:200]}" if said else ""
        return Unusable(f"it is an error message of a service{words}", hint="Ask the service again.")
    return Unusable("the file contains no codelists, data structures or dataflows", hint=HINT)


def _artefacts(held: JsonMapping, *keys: str) -> Iterator[JsonMapping]:
    for key in keys:
        for number, artefact in enumerate(_list(held, key)):
            if not isinstance(artefact, dict) or not isinstance(artefact.get("id"), str) or not _text(artefact["id"]):
                raise Unusable(f"{key}[{number}] has no id that is a text", hint=HINT)
            yield artefact


def _list(holder: JsonMapping, *keys: str) -> list[Any]:
    return [one for key in keys if isinstance(holder.get(key), list) for one in holder[key]]


def _objects(holder: JsonMapping, *keys: str) -> list[JsonMapping]:
    return [one for one in _list(holder, *keys) if isinstance(one, dict)]


def _items(holder: JsonMapping, *keys: str) -> list[JsonMapping]:
    return [one for one in _objects(holder, *keys) if _text(one.get("id"))]


def _text(value: Any) -> str:
    """A text without blanks around it, or a whole number as text: some services write the id 7 as a number."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < LARGEST:
        return str(value)
    return value.strip() if isinstance(value, str) else ""


def _parsed(urn: Any) -> Ref | None:
    return parse_ref(_text(urn)) if _text(urn) else None


def _ref(artefact: JsonMapping) -> Ref:
    agency = _text(artefact.get("agencyID")) or _text(artefact.get("agencyId"))
    return Ref(_text(artefact["id"]), agency, _text(artefact.get("version")) or "1.0")


def _names(item: JsonMapping) -> Names:
    """``names`` by language, or as a list with ``locale``; else the one ``name``."""
    given = item.get("names")
    pairs: list[tuple[Any, Any]] = []
    if isinstance(given, dict):
        pairs = list(given.items())
    elif isinstance(given, list):
        pairs = [(one.get("locale"), one.get("value")) for one in given if isinstance(one, dict)]
    name = item.get("name")
    if isinstance(name, dict):
        pairs += name.items()
    elif not pairs:
        pairs.append(("", name))
    return named((_text(language), text) for language, text in pairs if isinstance(text, str))


# -- lists ------------------------------------------------------------------------------------------------------------


def _codelist(artefact: JsonMapping) -> Codelist:
    items = _items(artefact, *CODES)
    codes, names = codelist_names((_text(one["id"]), _names(one)) for one in items)
    parents: dict[str, tuple[str, ...]] = {}
    for one in items:
        above = parse_ref(_text(one.get("parent")) or _text(one.get("parentCode")))
        if above.id:
            parents.setdefault(_text(one["id"]), (above.item or above.id,))
    external = bool(artefact.get("isExternalReference"))
    partial = bool(artefact.get("isPartial")) or (external and not codes)
    extensions = tuple(
        found for one in _objects(artefact, "codelistExtensions", "extensions") if (found := _extension(one))
    )
    return Codelist(_ref(artefact), codes, partial, names, parents, extensions, external)


def _extension(given: JsonMapping) -> Extension | None:
    other = _parsed(given.get("codelist"))
    if other is None:
        return None
    inclusive, exclusive = given.get("inclusiveCodeSelection"), given.get("exclusiveCodeSelection")
    selection = inclusive if isinstance(inclusive, dict) else exclusive
    prefix, number = given.get("prefix"), given.get("sequence")
    return Extension(
        other,
        prefix if isinstance(prefix, str) else "",
        number if isinstance(number, int) else None,
        _members(_list(selection, "memberValues", "members")) if isinstance(selection, dict) else None,
        not isinstance(inclusive, dict) and isinstance(exclusive, dict),
    )


def _members(values: Sequence[Any]) -> tuple[Member, ...]:
    found = []
    for value in values:
        if isinstance(value, dict):
            word = str(value.get("cascadeValues", "")).casefold()
            cascade = {"true": "with", "excluderoot": "without root"}.get(word, "")
            value = value.get("value") or value.get("memberValue") or value.get("id")
            if _text(value):
                found.append(Member(_text(value), cascade))
        elif _text(value):
            found.append(Member(_text(value)))
    return tuple(found)


def _scheme(artefact: JsonMapping, contents: Contents) -> None:
    ref = _ref(artefact)
    concepts = _items(artefact, "concepts", "items")
    for item in concepts:
        codelist = _enumeration(item)
        if codelist:
            contents.concepts.setdefault(Ref(ref.id, ref.agency, ref.version, _text(item["id"])), codelist)
    codes, names = codelist_names((_text(one["id"]), _names(one)) for one in concepts)
    contents.schemes.append(Codelist(ref, codes, bool(artefact.get("isPartial")), names))


def _enumeration(item: JsonMapping) -> Ref | None:
    for key in ("localRepresentation", "coreRepresentation", "representation"):
        held = item.get(key)
        if isinstance(held, dict):
            return _parsed(held.get("enumeration") or held.get("representation"))
    return None


def _is_uncoded(item: JsonMapping) -> bool:
    """Whether its own representation is a text or a number, which comes before that of its concept."""
    held = item.get("localRepresentation") or item.get("representation")
    if not isinstance(held, dict) or held.get("enumeration") or held.get("representation"):
        return False
    return isinstance(held.get("format") or held.get("textFormat"), dict)


# -- structures -------------------------------------------------------------------------------------------------------


def _dimensions(artefact: JsonMapping) -> Iterator[Dimension]:
    components = artefact.get("dataStructureComponents")
    held = artefact.get("dimensionList") or (components.get("dimensionList") if isinstance(components, dict) else None)
    if not isinstance(held, dict):
        return
    for key in ("dimensions", "measureDimensions", "measureDimension", "timeDimensions", "timeDimension"):
        one = held.get(key)
        for item in _objects(held, key) if isinstance(one, list) else [one] if isinstance(one, dict) else []:
            concept = _parsed(item.get("conceptIdentity") or item.get("concept"))
            name = _text(item.get("id")) or ((concept.item or concept.id) if concept else "")
            time = key.startswith("time") or item.get("type") in ("TimeDimension", "TIME_DIMENSION") or _timed(item)
            position = item.get("position")
            if name:
                number = position if isinstance(position, int) else None
                yield Dimension(name, _enumeration(item), concept, number, time, _is_uncoded(item))


def _timed(item: JsonMapping) -> bool:
    return item.get("isTimeDimension") is True


def _hierarchy(artefact: JsonMapping, contents: Contents) -> None:
    """The codes above each code. In 1.0 a code may be named by the alias of its list."""
    included = [(_text(one.get("alias")), _parsed(one.get("codelist"))) for one in _objects(artefact, *INCLUDED)]
    aliases = {alias: ref for alias, ref in included if ref is not None}
    waiting: list[tuple[JsonMapping, str]] = [(artefact, "")]
    while waiting:
        one, above = waiting.pop()
        ref = _parsed(one.get("code"))
        code, alias = _text(one.get("codeID")), _text(one.get("codelistAliasRef"))
        if code and (listed := aliases.get(alias) or next(iter(aliases.values()), None)) is not None:
            ref = Ref(listed.id, listed.agency, listed.version, code)
        here = above
        if ref is not None and ref.item:
            here = ref.item
            held = contents.parents.setdefault(Ref(ref.id, ref.agency, ref.version), {})
            if above and here != above and above not in held.get(here, ()):
                held[here] = (*held.get(here, ()), above)
        for key in ("hierarchies", "hierarchicalCodes", "codes"):
            waiting.extend((child, here) for child in reversed(_objects(one, key)))


# -- constraints ------------------------------------------------------------------------------------------------------


def _constraint(artefact: JsonMapping, under: str) -> Constraint:
    """``under``: the key of the list that it is in."""
    said = _text(artefact.get("role")) or _text(artefact.get("type"))
    held = artefact.get("constraintAttachment")
    attached: list[tuple[str, Ref]] = []
    for key, value in held.items() if isinstance(held, dict) else ():
        kind = str(ATTACHED.get(key.removesuffix("s"), key))
        urns = value if isinstance(value, list) else [value]
        attached += [(kind, ref) for urn in urns if (ref := _parsed(urn)) is not None]
    regions = [_region(one, one) for one in _objects(artefact, "cubeRegions")]
    keys = [_region(key, one) for one in _objects(artefact, "dataKeySets") for key in _objects(one, "keys")]
    return Constraint(
        _ref(artefact),
        constraint_role(under, said),
        tuple(attached),
        of_series(regions),
        of_series(keys),
    )


def _region(given: JsonMapping, holder: JsonMapping) -> tuple[Region, bool]:
    """(the region, whether more than a series key bounds it: time, or attributes and measures)."""
    values: dict[str, Values] = {}
    bounded = bool(_list(given, "components", "attributes"))
    for one in _items(given, "keyValues"):
        bounded = bounded or "timeRange" in one
        cascading = [{"value": value, "cascadeValues": True} for value in _list(one, "cascadeValues")]
        members = _members([*_list(one, "values"), *([one["value"]] if "value" in one else []), *cascading])
        if members:
            values[_text(one["id"])] = Values(members, one.get("include", one.get("isIncluded")) is not False)
    return Region(values, holder.get("isIncluded", holder.get("include")) is not False), bounded
