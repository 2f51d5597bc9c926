"""Names of codes: which have drifted, in which language, and what would be the right one.

A name that is equal to the code's name in any language has not drifted. A drifted one is fixed to the language of the
option, else to that of most undrifted names in the case; in a tie, or with none, to English where the code has it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable

from karat.suites.data_query.selection.selection import Term
from karat.suites.data_query.structures.languages import UNSAID, exactly
from karat.suites.data_query.structures.records import Codelist, Names


def spoken(terms: Iterable[tuple[Term, Codelist]]) -> str:
    """The language of most undrifted names of a case; empty in a tie or where there is none."""
    counts: Counter[str] = Counter()
    for term, codelist in terms:
        name = term.name.strip()
        if name and term.id in codelist.codes:
            counts.update(language for language, held in codelist.names_of(term.id).items() if held == name)
    best = counts.most_common(2)
    return best[0][0] if best and (len(best) == 1 or best[0][1] > best[1][1]) else ""


def drifted(term: Term, codelist: Codelist) -> bool:
    """Whether a term has another name than its code in every language. Blanks at its ends count, as they do when it is
    scored."""
    official = codelist.codes[term.id]
    name = term.name
    if name == official or not official:
        return False
    held = codelist.names.get(term.id)
    return held is None or name not in held.values()


def replacement(names: Names, option: str, most: str) -> str | None:
    """The name to write: in the language of the option, else in that of most names, else in English; None: none of
    these has one."""
    for language in (option, most, UNSAID):
        found = exactly(names, language)
        if found:
            return found
        if language == option and option:
            return None
    return None


def with_blanks(name: str, names: Names) -> str:
    """The name of a code that this one is but for blanks at its ends; empty where it is none."""
    bare = name.strip()
    return next((held for held in names.values() if bare and held.strip() == bare != name), "")


def look_alikes(name: str, official: str) -> str:
    """Which characters differ where two names look the same; empty where they do not."""
    if _folded(name) != _folded(official):
        return ""
    odd = [one for one in dict.fromkeys(name) if one not in official]
    missing = [one for one in dict.fromkeys(official) if one not in name]
    shown = [f"{', '.join(map(_called, odd[:3]))} in the case" if odd else ""]
    shown.append(f"{', '.join(map(_called, missing[:3]))} in the codelist" if missing else "")
    said = "; ".join(one for one in shown if one)
    return f"they differ only in characters that look the same: {said}" if said else ""


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _called(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, 'without a name')}"
