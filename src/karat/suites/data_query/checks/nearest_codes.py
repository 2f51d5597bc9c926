"""What was probably meant by an id that is not in its codelist."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from karat.suites.data_query.selection.selection import Term


def hints_in(codes: Mapping[str, str], terms: Sequence[Term]) -> Iterator[tuple[Term, str]]:
    def shown(code: str) -> str:
        name = codes[code] if len(codes[code]) <= 100 else f"{codes[code][:99]}…"
        return f"{code} ({name})" if name else code

    ids = list(codes)
    by_folded = {code.casefold(): code for code in ids}
    by_name = _near_names(codes, terms)
    by_id = _near_ids(ids, terms)
    for term, named, like in zip(terms, by_name, by_id, strict=True):
        bare = term.id.strip()
        twin = by_folded.get(bare.casefold())
        near = list(dict.fromkeys([*named, *like]))[:3]
        if twin is not None:
            ways = [*(["case"] if bare != twin else []), *(["surrounding spaces"] if bare != term.id else [])]
            yield term, f"It differs from {shown(twin)} only by {' and '.join(ways)}."
        elif near:
            yield term, f"Nearest: {', '.join(map(shown, near))}."
        else:
            yield term, f"Its codes: {', '.join(map(shown, ids))}." if len(ids) <= 8 else ""


def _near_ids(ids: Sequence[str], terms: Sequence[Term]) -> Iterator[list[str]]:
    """For each term the three codes whose ids are most like its own."""
    import numpy as np
    from rapidfuzz import fuzz, process

    folded = [code.casefold() for code in ids]
    for start in range(0, len(terms), 256):  # 256 rows of 20,000 codes are 5 MB
        words = [term.id.strip().casefold() for term in terms[start : start + 256]]
        for row in process.cdist(words, folded, scorer=fuzz.ratio, score_cutoff=60, dtype=np.uint8):
            found = np.flatnonzero(row)
            yield [ids[index] for index in found[np.argsort(-row[found].astype(int), kind="stable")[:3]]]


def _near_names(codes: Mapping[str, str], terms: Sequence[Term]) -> Iterator[list[str]]:
    """For each term at most two codes that have its name, or nearly."""
    from rapidfuzz import fuzz, process

    ids = list(codes)
    folded = [name.casefold() for name in codes.values()]
    same: dict[str, list[str]] = defaultdict(list)
    for code, name in zip(ids, folded, strict=True):
        same[name].append(code)
    for term in terms:
        name = term.name.strip().casefold()
        if not name or name in same:
            yield same[name][:2] if name else []
        else:
            found = process.extract(name, folded, scorer=fuzz.ratio, limit=2, score_cutoff=85.0)
            yield [ids[index] for _, _, index in found]
