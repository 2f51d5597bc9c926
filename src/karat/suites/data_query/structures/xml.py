"""SDMX-ML structures, 2.1 and 3.0, by the local names of their elements. What is known is taken, the rest is skipped.

The two versions differ in how they refer to things: an element ``Ref`` with attributes, or a URN as text. Both are
read everywhere. What a reference points to follows from the element it is in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

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
    Ref,
    Region,
    Unusable,
    Values,
    constraint_role,
    of_series,
    ordered,
    parse_ref,
    utf8,
)
from karat.suites.data_query.structures.xml_tree import Element, read_tree

_DECLARED = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
ENCODINGS = re.compile(
    r"(iso[-_]?8859[-_]?\d{1,2}|latin-?\d|windows-125\d|cp125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|shift_jis|euc-(jp|kr))"
)
"""Encodings other than UTF-8 and UTF-16 that are read where the file declares them."""
_UTF = re.compile(r"utf-?(8|16|16[bl]e)|us-ascii|ascii")
DATA = re.compile(r".*(?:Data|Metadata|MetadataSet)")
"""Roots of messages with data, or with reference metadata."""
_OLD = re.compile(r"sdmx.*/v([12])_0/message", re.IGNORECASE)
CODES = ("Code", "GeoFeatureSetCode", "GeoGridCode", "ValueItem")


def xml_text(data: bytes) -> str:
    """The text of an XML file in an encoding that agencies use."""
    bare = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    declared = _DECLARED.match(bare)
    encoding = declared[1].decode().lower() if declared else "utf-8"
    # A mark says more than the declaration, and a declared UTF-16 is no more than what a program was told to write.
    if data.startswith(b"\xef\xbb\xbf") or _UTF.fullmatch(encoding):
        return utf8(data).lstrip()
    if not ENCODINGS.fullmatch(encoding):
        raise Unusable(f"the encoding {encoding} is not supported", hint="Save the file as UTF-8.")
    try:
        return data.decode(encoding).lstrip()
    except (UnicodeDecodeError, LookupError) as error:
        line = data.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        raise Unusable(
            f"the file says that it is {encoding} text, and is not", line=line, hint="Save the file as UTF-8."
        ) from error


def read_xml(text: str, contents: Contents) -> None:
    """Everything that a structure message says. Raises Unusable, and DataMessage for a message with data."""
    root = read_tree(text)
    if DATA.fullmatch(root.name):
        raise DataMessage(f"expected an SDMX structure message, found a <{root.name}> message")
    if root.name == "Error":
        said = " ".join(" ".join(one.text.split()) for one in _inside(root) if one.name == "Text")
        raise Unusable(
            f"it is an SDMX error message{f': {said[:200]}' if said else ''}",
            line=root.line,
            hint="The service found nothing, or failed. Ask it again.",
        )
    if old := _old_version(root):
        raise Unusable(
            f"it is an SDMX-ML {old} message, and only 2.1 and 3.0 are read",
            line=root.line,
            hint="Ask the agency's service for SDMX-ML 2.1 or 3.0.",
        )
    if not any(one.name == "Structures" for one in (root, *_inside(root))) and root.name != "Structure":
        raise Unusable(
            f"expected an SDMX structure message, found a <{root.name[:80]}> message",
            line=root.line,
            hint="Export the structures as SDMX-ML 2.1 or 3.0.",
        )
    for artefact in _artefacts(root):
        _READERS[artefact.name](artefact, contents)


def _old_version(root: Element) -> str:
    """``2.0`` or ``1.0`` where the message is of that version, by its namespaces or by what it holds."""
    for name, space in root.attributes.items():
        if name.startswith("xmlns") and (found := _OLD.search(space)):
            return f"{found[1]}.0"
    return "2.0" if any(one.name in ("KeyFamilies", "CodeLists") for one in _inside(root)) else ""


def _artefacts(root: Element) -> Iterator[Element]:
    """Elements that define something: an id of their own, not a reference."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if element.name in _READERS and element.get("id"):
            yield element
        else:
            waiting.extend(reversed(element.children))


def _inside(element: Element) -> Iterator[Element]:
    waiting = list(reversed(element.children))
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.children))


# -- references and names ---------------------------------------------------------------------------------------------


def _ref(element: Element | None) -> Ref | None:
    """What an element refers to: ``Ref``, ``URN``, or a URN or an id as its text."""
    if element is None:
        return None
    given = element.first("Ref")
    if given is not None and given.get("id"):
        parent = given.get("maintainableParentID")
        if parent:
            return Ref(parent, given.get("agencyID"), given.get("maintainableParentVersion"), given.get("id"))
        return Ref(given.get("id"), given.get("agencyID"), given.get("version"))
    urn = element.first("URN")
    text = (urn.text if urn is not None else element.text).strip()
    return parse_ref(text) if text else None


def _item(element: Element | None) -> str:
    """The id of an item that an element refers to, such as the code in ``Parent``."""
    ref = _ref(element)
    return "" if ref is None else ref.item or ref.id


def _own_ref(element: Element) -> Ref:
    return Ref(element.get("id"), element.get("agencyID"), element.get("version") or "1.0")


def _names(element: Element) -> dict[str, str]:
    return named((one.attributes.get("xml:lang"), one.text) for one in element.children if one.name == "Name")


def _true(element: Element, name: str, default: bool = False) -> bool:
    given = element.get(name).casefold()
    return given in ("true", "1") if given else default


# -- lists ------------------------------------------------------------------------------------------------------------


def _codelist(element: Element, contents: Contents) -> None:
    items = [one for one in element.children if one.name in CODES and one.get("id")]
    codes, names = codelist_names((one.get("id"), _names(one)) for one in items)
    parents: dict[str, tuple[str, ...]] = {}
    for one in items:
        above = _item(one.first("Parent"))
        if above:
            parents.setdefault(one.get("id"), (above,))
    external = _true(element, "isExternalReference")
    extensions = tuple(found for one in element.all("CodelistExtension") if (found := _extension(one)))
    partial = _true(element, "isPartial") or (external and not codes)
    contents.codelists.append(Codelist(_own_ref(element), codes, partial, names, parents, extensions, external))


def _extension(element: Element) -> Extension | None:
    other = _ref(element.first("Codelist"))
    if other is None:
        return None
    number = element.get("sequence")
    selection = element.first("InclusiveCodeSelection", "ExclusiveCodeSelection")
    return Extension(
        other,
        element.attributes.get("prefix", ""),
        int(number) if re.fullmatch(r"-?\d{1,9}", number) else None,
        None if selection is None else _members(selection.all("MemberValue")),
        selection is not None and selection.name == "ExclusiveCodeSelection",
    )


def _members(elements: list[Element]) -> tuple[Member, ...]:
    return tuple(Member(one.text.strip(), cascade(one.get("cascadeValues"))) for one in elements if one.text.strip())


def cascade(word: str) -> str:
    """What ``cascadeValues`` says."""
    return {"true": "with", "1": "with", "excluderoot": "without root"}.get(word.casefold(), "")


def _scheme(element: Element, contents: Contents) -> None:
    ref = _own_ref(element)
    concepts = [one for one in element.all("Concept") if one.get("id")]
    for concept in concepts:
        codelist = _enumeration(concept)
        if codelist is not None:
            contents.concepts.setdefault(Ref(ref.id, ref.agency, ref.version, concept.get("id")), codelist)
    codes, names = codelist_names((one.get("id"), _names(one)) for one in concepts)
    contents.schemes.append(Codelist(ref, codes, _true(element, "isPartial"), names))


def _enumeration(element: Element) -> Ref | None:
    for name in ("LocalRepresentation", "CoreRepresentation"):
        held = element.first(name)
        if held is not None:
            return _ref(held.first("Enumeration"))
    return None


def _is_uncoded(element: Element) -> bool:
    """Whether its own representation is a text or a number, which comes before that of its concept."""
    held = element.first("LocalRepresentation")
    return held is not None and held.first("TextFormat") is not None and held.first("Enumeration") is None


# -- structures -------------------------------------------------------------------------------------------------------


def _structure(element: Element, contents: Contents) -> None:
    found = [one for one in _inside(element) if one.name == "DimensionList"]
    held = [one for part in found for one in part.all("Dimension", "MeasureDimension", "TimeDimension")]
    dimensions = [dimension for one in held if (dimension := _dimension(one)) is not None]
    if dimensions or not _true(element, "isExternalReference"):
        contents.structures.append(DataStructure(_own_ref(element), ordered(dimensions)))


def _dimension(element: Element) -> Dimension | None:
    concept = _ref(element.first("ConceptIdentity"))
    name = element.get("id") or ((concept.item or concept.id) if concept else "")
    position = element.get("position")
    number = int(position) if re.fullmatch(r"\d{1,9}", position) else None
    if not name:
        return None
    time = element.name == "TimeDimension"
    return Dimension(name, _enumeration(element), concept, number, time, _is_uncoded(element))


def _dataflow(element: Element, contents: Contents) -> None:
    contents.dataflows.append(Dataflow(_own_ref(element), _ref(element.first("Structure"))))


# -- hierarchies ------------------------------------------------------------------------------------------------------


def _hierarchies(element: Element, contents: Contents) -> None:
    """The codes above each code. In 2.1 a code may be named by the alias of its list."""
    aliases = {one.get("alias"): ref for one in element.all("IncludedCodelist") if (ref := _ref(one)) is not None}
    waiting: list[tuple[Element, str]] = [(one, "") for one in reversed(element.children)]
    while waiting:
        one, above = waiting.pop()
        here = above
        if one.name == "HierarchicalCode":
            codelist, here = _hierarchical(one, aliases)
            held = contents.parents.setdefault(codelist, {}) if codelist else {}
            if here and above and here != above and above not in held.get(here, ()):
                held[here] = (*held.get(here, ()), above)
        waiting.extend((child, here) for child in reversed(one.children) if child.name not in ("Code", "CodeID"))


def _hierarchical(element: Element, aliases: Mapping[str, Ref]) -> tuple[Ref | None, str]:
    ref = _ref(element.first("Code"))
    if ref is not None and ref.item:
        return Ref(ref.id, ref.agency, ref.version), ref.item
    code, alias = element.first("CodeID"), element.first("CodelistAliasRef")
    name = _item(code) or (ref.id if ref else "")
    return aliases.get(alias.text.strip()) if alias is not None else next(iter(aliases.values()), None), name


# -- constraints ------------------------------------------------------------------------------------------------------


def _constraint(element: Element, contents: Contents) -> None:
    role = constraint_role(element.name, element.get("role") or element.get("type"))
    held = element.first("ConstraintAttachment")
    attached = tuple((one.name, ref) for one in (held.children if held else ()) if (ref := _ref(one)) is not None)
    regions = [_region(one, _true(one, "include", default=True)) for one in element.all("CubeRegion")]
    keys = [
        _region(key, _true(one, "isIncluded", default=True))
        for one in element.all("DataKeySet")
        for key in one.all("Key")
    ]
    contents.constraints.append(
        Constraint(
            _own_ref(element),
            role,
            attached,
            of_series(regions),
            of_series(keys),
        )
    )


def _region(element: Element, include: bool) -> tuple[Region, bool]:
    """(the region, whether more than a series key bounds it: time, or attributes and measures)."""
    held = [one for one in element.all("KeyValue") if one.get("id")]
    values = {
        one.get("id"): Values(_members(one.all("Value")), _true(one, "include", default=True))
        for one in held
        if one.all("Value")
    }
    bounded = element.first("Attribute", "Component") is not None
    return Region(values, include), bounded or any(one.first("TimeRange") is not None for one in held)


_READERS: dict[str, Callable[[Element, Contents], None]] = {
    **dict.fromkeys(("Codelist", "GeographicCodelist", "GeoGridCodelist", "ValueList"), _codelist),
    "ConceptScheme": _scheme,
    "DataStructure": _structure,
    "Dataflow": _dataflow,
    "HierarchicalCodelist": _hierarchies,
    "Hierarchy": _hierarchies,
    **dict.fromkeys(("ContentConstraint", "DataConstraint", "AvailabilityConstraint"), _constraint),
}
