"""Names in several languages: which one is shown, and which languages a list has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from karat.suites.data_query.structures.records import Codelist, Names, clean

UNSAID = "en"
"""The language of a name that does not say it."""


def named(given: Iterable[tuple[str | None, str | None]]) -> dict[str, str]:
    """(language, name) pairs as names. Of two in one language the first counts; an empty name is none."""
    names: dict[str, str] = {}
    for language, text in given:
        if name := clean(text):
            names.setdefault((language or "").strip() or UNSAID, name)
    return names


def in_language(names: Names, language: str = "") -> str:
    """The name in a language: ``fr-CA`` falls back to ``fr``, and ``en`` to ``en-GB`` where nothing is nearer. Without
    one, English, else the first; empty when there is no name."""
    for wanted in (language, UNSAID):
        found = exactly(names, wanted)
        if found is None and wanted:
            regional = f"{wanted.casefold()}-"
            found = next((name for known, name in names.items() if known.casefold().startswith(regional)), None)
        if found is not None:
            return found
    return next(iter(names.values()), "")


def exactly(names: Names, language: str) -> str | None:
    """The name in a language or in the general form of it; None when there is none."""
    if not language:
        return None
    if language in names:
        return names[language]
    folded = {known.casefold().replace("_", "-"): known for known in names}
    wanted = language.casefold().replace("_", "-")
    while wanted:
        if wanted in folded:
            return names[folded[wanted]]
        wanted = wanted.rpartition("-")[0]
    return None


def codelist_names(codes: Iterable[tuple[str, Names]]) -> tuple[dict[str, str], dict[str, Names]]:
    """Codes with their names as a list keeps them: (id → name, id → all names where they say more). Of a code given
    twice the first counts."""
    shown: dict[str, str] = {}
    names: dict[str, Names] = {}
    for code, given in codes:
        if code in shown:
            continue
        shown[code] = in_language(given)
        if given and (len(given) > 1 or UNSAID not in given):
            names[code] = given
    return shown, names


def speaking(codelist: Codelist, language: str) -> Codelist:
    """The list with its names in a language."""
    if not language or not codelist.names:
        return codelist
    codes = {code: _shown(codelist.names, code, name, language) for code, name in codelist.codes.items()}
    return msgspec.structs.replace(codelist, codes=codes)


def _shown(names: Mapping[str, Names], code: str, name: str, language: str) -> str:
    held = names.get(code)
    return in_language(held, language) if held else name


def languages(codelist: Codelist) -> list[str]:
    """The languages that names of the list are in, sorted."""
    found = {language for held in codelist.names.values() for language in held}
    if any(name and code not in codelist.names for code, name in codelist.codes.items()):
        found.add(UNSAID)
    return sorted(found)
