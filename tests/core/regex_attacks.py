"""Every regular expression in ``src``, strings that may make one run away, and how its time grows with their length."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import karat

codes: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

ROOT = Path(karat.__file__).parent
CALLS = {
    "compile": 1,
    "match": 2,
    "search": 2,
    "fullmatch": 2,
    "findall": 2,
    "finditer": 2,
    "split": 3,
    "sub": 4,
    "subn": 4,
}
"""The functions of ``re`` that take a pattern, and the place of their flags."""
STAND_IN = "abc"
"""Stands for a part of a pattern that is only known when the program runs."""


@dataclass(frozen=True)
class Found:
    """A pattern and where it is."""

    place: str
    pattern: re.Pattern[Any]
    way: str = "search"
    """How it is looked for: ``match`` and ``fullmatch`` try one place, all other ways try every place."""


# -- finding them -----------------------------------------------------------------------------------------------------


@cache
def all_patterns() -> list[Found]:
    """Every pattern that a module of karat compiles, holds or passes to ``re``, and the terminals of the sheet
    grammar."""
    found = [item for file in sorted(ROOT.rglob("*.py")) for item in _in_module(file)]
    found += _grammar()
    first: dict[tuple[Any, int, str], Found] = {}
    for item in found:
        first.setdefault((item.pattern.pattern, item.pattern.flags, item.way), item)
    return list(first.values())


def _in_module(file: Path) -> Iterator[Found]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _function_of_re(node)]
    if not calls:
        return
    name = ".".join(("karat", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    module = importlib.import_module(name)
    ways = _ways(tree)
    named = {
        id(node.value): str(getattr(node.targets[0], "id", ""))
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
    }
    for call in calls:
        function = _function_of_re(call)
        for text, flags in _pattern_of(call, module):
            key = named.get(id(call), "")
            used = ways.get(key, {"search"}) if function == "compile" else {function}
            place = f"{name}:{call.lineno}"
            yield from (Found(place, re.compile(text, flags), way) for way in sorted({_way(word) for word in used}))
    for key, value in vars(module).items():
        if not isinstance(value, re.Pattern):  # a lone one is found where it is compiled
            yield from (Found(f"{name}.{key}", pattern) for pattern in _held(value))


def _way(method: str) -> str:
    return method if method in ("match", "fullmatch") else "search"


def _ways(tree: ast.Module) -> dict[str, set[str]]:
    """The methods that a module uses of each of its names. A name that goes elsewhere as a value is looked for in every
    way."""
    ways: dict[str, set[str]] = {}
    owned = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            ways.setdefault(node.value.id, set()).add(node.attr)
            owned.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in owned:
            ways.setdefault(node.id, set()).add("search")
    return ways


def _function_of_re(call: ast.Call) -> str:
    function = call.func
    known = isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re"
    return function.attr if known and isinstance(function, ast.Attribute) and function.attr in CALLS else ""


class _Names(dict[str, Any]):
    """The names of a module; any other is text that nobody knows yet."""

    def __missing__(self, key: str) -> Any:
        return getattr(builtins, key, STAND_IN)


def _pattern_of(call: ast.Call, module: ModuleType) -> Iterator[tuple[Any, int]]:
    names = _Names(vars(module))
    given = {word.arg: word.value for word in call.keywords}
    text = _value(call.args[0] if call.args else given["pattern"], names)
    place = CALLS[_function_of_re(call)]
    flags = call.args[place] if len(call.args) > place else given.get("flags")
    if isinstance(text, str | bytes):  # else it is a compiled pattern, which is found where it is compiled
        known = 0 if flags is None else _value(flags, names)
        yield text, known if isinstance(known, int) else 0  # those chosen when the program runs are left out


def _value(node: ast.expr, names: _Names) -> Any:
    try:
        return eval(compile(ast.Expression(node), "<pattern>", "eval"), names)
    except Exception:
        parts = node.values if isinstance(node, ast.JoinedStr) else []
        return "".join(str(part.value) if isinstance(part, ast.Constant) else STAND_IN for part in parts)


def _held(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from (found for item in value.values() for found in _held(item))
    elif isinstance(value, list | tuple | set | frozenset):
        yield from (found for item in value for found in _held(item))


def _grammar() -> Iterator[Found]:
    from lark import Lark

    for file in sorted(ROOT.rglob("*.lark")):
        start = next(
            word.partition(":")[0].strip() for word in file.read_text().splitlines() if re.match(r"\w+\s*:", word)
        )
        for terminal in Lark(file.read_text(encoding="utf-8"), start=start, parser="lalr").terminals:
            yield Found(f"{file.name}:{terminal.name}", re.compile(terminal.pattern.to_regexp()))


# -- strings that may make one run away -------------------------------------------------------------------------------

COMMON = ("\n", " ", "\t", "0", "a", "A", "a ", "0,", '"', "\\", "é")
ENDS = ("", "\x00", "\n")
CANDIDATES = "aA0 -_.\n\t\"'=&?/<>:;,()[]{}\\é\x00"
VARIANTS = 3
MOST = 90


def attacks(pattern: re.Pattern[Any]) -> list[tuple[Any, Any, Any]]:
    """(beginning, what is repeated, end) for this pattern, in its own kind of text."""
    tree = list(parser.parse(pattern.pattern, pattern.flags))
    found: dict[tuple[str, str, str], None] = {}
    for variant in range(VARIANTS):
        whole = _sample(tree, variant)
        for pump in (whole, whole[:-1], whole[1:], *_beginnings(tree, "", variant)):
            found.update(dict.fromkeys(("", pump, end) for end in ENDS))
        for before, body in _repeats(tree, "", variant):
            found.update(dict.fromkeys((start, body, end) for start in (before, "") for end in ENDS))
    for sign in (*_signs(tree), *COMMON):
        found.update(dict.fromkeys(("", sign, end) for end in ("", "\x00")))
    kept = [attack for attack in found if attack[1]][:MOST]
    if isinstance(pattern.pattern, bytes):
        encoded = (tuple(part.encode("utf-8", "replace") for part in attack) for attack in kept)
        return [(before, body, end) for before, body, end in encoded]
    return kept


def _sample(tree: Iterable[tuple[Any, Any]], variant: int) -> str:
    """A text that the parts match, as far as that can be had without trying."""
    return "".join(_part(code, value, variant) for code, value in tree)


def _part(code: Any, value: Any, variant: int) -> str:
    if code is codes.LITERAL:
        return chr(value)
    if code is codes.NOT_LITERAL:
        return next(sign for sign in CANDIDATES[variant:] if ord(sign) != value)
    if code is codes.ANY:
        return "a0 "[variant % 3]
    if code is codes.IN:
        members = _members(value)
        return str(members[variant % len(members)]) if members else ""
    if code is codes.BRANCH:
        return _sample(value[1][variant % len(value[1])], variant)
    if code in _REPEATS:
        return _sample(value[2], variant) * max(1, min(int(value[0]), 3))
    if code in (codes.SUBPATTERN, codes.ASSERT):
        return _sample(value[-1], variant)
    return _sample(value, variant) if code is codes.ATOMIC_GROUP else ""


_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)


def _members(items: list[tuple[Any, Any]]) -> list[str]:
    """Signs that a class admits: its own where it names some, else of the usual ones."""
    named = [chr(value) for code, value in items if code is codes.LITERAL]
    named += [chr(end) for code, value in items if code is codes.RANGE for end in value]
    wanted = not any(code is codes.NEGATE for code, _ in items)
    usual = [sign for sign in CANDIDATES if any(_admits(item, sign) for item in items) == wanted]
    return list(dict.fromkeys((*(named if wanted else ()), *usual)))


def _admits(item: tuple[Any, Any], sign: str) -> bool:
    code, value = item
    if code is codes.LITERAL:
        return bool(ord(sign) == value)
    if code is codes.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    if code is codes.CATEGORY:
        name = str(value).lower()
        kind = next(test for word, test in _CATEGORIES.items() if word in name)
        return kind(sign) != ("not" in name)
    return False


_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "digit": str.isdigit,
    "space": str.isspace,
    "word": lambda sign: sign.isalnum() or sign == "_",
    "linebreak": lambda sign: sign == "\n",
}


def _repeats(tree: Iterable[tuple[Any, Any]], before: str, variant: int) -> Iterator[tuple[str, str]]:
    """(what stands before, one round) for each repetition without a bound, at any depth."""
    for code, value in tree:
        if code in _REPEATS:
            if value[1] is codes.MAXREPEAT or value[1] > 50:
                yield before, _sample(value[2], variant)
            yield from _repeats(value[2], before, variant)
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _repeats(branch, before, variant)
        elif code in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT):
            yield from _repeats(value[-1], before, variant)
        elif code is codes.ATOMIC_GROUP:
            yield from _repeats(value, before, variant)
        before += _part(code, value, variant)


def _beginnings(tree: Iterable[tuple[Any, Any]], before: str, variant: int) -> Iterator[str]:
    """A text up to each part, at any depth: what nearly matches."""
    for code, value in tree:
        inner = value[-1] if code in (codes.SUBPATTERN, codes.ASSERT, *_REPEATS) else ()
        yield from _beginnings(inner, before, variant)
        before += _part(code, value, variant)
        yield before


def _signs(tree: Iterable[tuple[Any, Any]]) -> Iterator[str]:
    for code, value in tree:
        if code is codes.LITERAL:
            yield chr(value)
        elif code is codes.IN:
            yield from _members(value)[:3]
        elif code is codes.BRANCH:
            for branch in value[1]:
                yield from _signs(branch)
        elif code in _REPEATS:
            yield from _signs(value[2])
        elif code in (codes.SUBPATTERN, codes.ASSERT, codes.ASSERT_NOT):
            yield from _signs(value[-1])


# -- how its time grows -----------------------------------------------------------------------------------------------

LARGEST = 400
NOTABLE = 0.02
"""Seconds of CPU below which nothing is said: a short time has no growth that could be measured."""
FLOOR = 0.00005
LINEAR = 4
MARGIN = 10


def growth(found: Found, attack: tuple[Any, Any, Any]) -> float:
    """How many times as long four times the attack takes, at the first length where it takes a time worth measuring; 0
    when none does.

    The length goes up in small steps, so that also an exponential pattern is caught before it takes long.
    """
    rounds = 8
    while rounds <= LARGEST:
        seconds = _seconds(found, attack, rounds)
        if seconds > NOTABLE:
            long = min(_seconds(found, attack, rounds) for _ in range(2))
            short = min(_seconds(found, attack, rounds // 4) for _ in range(3))
            if long > NOTABLE:  # else the machine was busy for a moment: a longer text will tell
                return long / max(short, FLOOR)
        rounds = int(rounds * (1.5 if seconds < NOTABLE / 50 else 1.2))
    return 0.0


def _seconds(found: Found, attack: tuple[Any, Any, Any], rounds: int) -> float:
    start, pump, end = attack
    text, look = start + pump * rounds + end, getattr(found.pattern, found.way)
    began = time.thread_time()
    look(text)
    return time.thread_time() - began
