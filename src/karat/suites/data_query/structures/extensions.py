"""Codelist extensions of SDMX 3.0: a list takes codes of other lists.

Each extension takes the codes of another list, cut by its selection, with its prefix before the id. For one id in two
lists the later extension wins (by ``sequence``, else in file order), and the list's own codes win over all. Where a
list is not at hand, or lists extend each other in a circle, the rest is used and the list counts as partial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from karat.suites.data_query.structures.records import Codelist, Extension, Member, Names, Ref


def extended(codelists: Sequence[Codelist], find: Callable[[Ref], Codelist | None]) -> list[Codelist]:
    """The lists with the codes that they inherit. ``find`` gives the list that an extension refers to."""
    done: dict[Ref, Codelist] = {}
    for codelist in codelists:
        _resolve(codelist, find, done)
    return [done[codelist.ref] for codelist in codelists]


def _resolve(codelist: Codelist, find: Callable[[Ref], Codelist | None], done: dict[Ref, Codelist]) -> None:
    """The list and all that it builds on, without recursion: a chain may be long."""
    waiting = [codelist]
    open_now: set[Ref] = set()
    while waiting:
        one = waiting[-1]
        if one.ref in done:
            waiting.pop()
            continue
        others = [find(extension.codelist) for extension in one.extensions]
        missing = [o for o in others if o is not None and o.ref not in done and o.ref not in open_now and o is not one]
        if missing and one.ref not in open_now:
            open_now.add(one.ref)
            waiting += missing
            continue
        open_now.add(one.ref)
        found = [done.get(other.ref) if other is not None else None for other in others]
        done[one.ref] = _merged(one, found)
        open_now.discard(one.ref)
        waiting.pop()


def _merged(codelist: Codelist, others: Sequence[Codelist | None]) -> Codelist:
    if not codelist.extensions:
        return codelist
    codes: dict[str, str] = {}
    names: dict[str, Names] = {}
    parents: dict[str, tuple[str, ...]] = {}
    partial = codelist.partial
    lacking: list[Ref] = []
    pairs = sorted(
        zip(codelist.extensions, others, strict=True),
        key=lambda pair: (pair[0].sequence is not None, pair[0].sequence or 0),
    )
    for extension, other in pairs:
        if other is None or other.is_stub:
            partial = True
            lacking.append(extension.codelist)
            continue
        partial = partial or other.partial
        lacking += other.lacking
        for code in selected(other, extension):
            own = extension.prefix + code
            codes[own] = other.codes[code]
            names.pop(own, None)
            parents.pop(own, None)
            if code in other.names:
                names[own] = other.names[code]
            if code in other.parents:
                parents[own] = tuple(extension.prefix + above for above in other.parents[code])
    own_names = {code: held for code, held in names.items() if code not in codelist.codes}
    own_parents = {code: held for code, held in parents.items() if code not in codelist.codes}
    return msgspec.structs.replace(
        codelist,
        codes={**codelist.codes, **{code: name for code, name in codes.items() if code not in codelist.codes}},
        names={**own_names, **codelist.names},
        parents={**own_parents, **codelist.parents},
        partial=partial,
        lacking=tuple(dict.fromkeys(lacking)),
    )


def selected(codelist: Codelist, extension: Extension) -> list[str]:
    """The codes that an extension takes, in their order."""
    if extension.members is None:
        return list(codelist.codes)
    chosen = members_of(extension.members, codelist.codes, codelist.parents)
    return [code for code in codelist.codes if (code in chosen) != extension.exclusive]


def members_of(members: Iterable[Member], codes: Mapping[str, str], parents: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The codes that members name: ``%`` is any text, and a cascading one takes its descendants."""
    found: set[str] = set()
    below: dict[str, list[str]] | None = None
    for member in members:
        roots = [code for code in codes if fits(code, member.id)] if "%" in member.id else [member.id]
        if member.cascade != "without root":
            found.update(roots)
        if member.cascade:
            if below is None:
                below = children(parents)
            found |= descendants(roots, below)
    return found


def children(parents: Mapping[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Code → the codes right below it."""
    below: dict[str, list[str]] = {}
    for code, above in parents.items():
        for one in above:
            below.setdefault(one, []).append(code)
    return below


def descendants(roots: Iterable[str], below: Mapping[str, Sequence[str]]) -> set[str]:
    """All codes below some."""
    found: set[str] = set()
    waiting = [child for root in roots for child in below.get(root, ())]
    while waiting:
        code = waiting.pop()
        if code not in found:
            found.add(code)
            waiting.extend(below.get(code, ()))
    return found


def fits(code: str, pattern: str) -> bool:
    """Whether a code is what a value with ``%`` names."""
    first, *rest = pattern.split("%")
    if not rest:
        return code == pattern
    *middle, last = rest
    if len(code) < len(first) + len(last) or not code.startswith(first) or not code.endswith(last):
        return False
    at, end = len(first), len(code) - len(last)
    for part in middle:
        found = code.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
