"""Whatever is thrown at the parser: a tree, or an error with a place. Never a traceback, never a hang."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError, problem_text
from karat.sheet.check.checker import check_sheet
from karat.sheet.functions import FUNCTIONS
from karat.sheet.text.formatter import format_sheet
from karat.sheet.text.parser import parse
from tests.sheet.contract import contract_example
from tests.sheet.drawn_sheets import sheets

VALID = """\
# A shop.
## What it sells.
!manual()
table 'The goods'
    key [name], [kind]
    [price] = IF([kind] = "sweet", 1.5, -2 ^ [x'[1']]) \\
        + 'The goods'[[name],[kind]].FILTER($[name] <> NA).COUNT()
    dim [r] = {1, 2, {TRUE}}
apply
    filter NOT [price] >= 3 MOD 2
    sort -[price], [name]
total
    [price] = SUM([price])
override
[name],[kind]
"Apple, red","sw""eet"
"two
lines",
{"a", "b"},007

table Next
    [x] = (
        1 # one
        & "it''s"
    )
"""

PIECES = [
    *"()[]{}!\"'\\#,.=+-*/^&<>$\n\t ;:%0\x00é",
    "##", "\r\n", '""', "''", "'[", "<>", "table ", "table T\n", "override\n", "[a],[b]\n", "[x] = ", "apply\n",
    "total\n", "filter ", "sort ", "key ", "dim ", "NOT ", " AND ", " MOD ", "F(", "T.F(", "T[x]", "[[", "]]", "1e9",
    ".5", "!manual()\n", "\\\n", "\ufeff", "\u2028",
]  # fmt: skip


def survives(text: str | bytes) -> None:
    """Read, and if it can be read, check it, write it and read it again."""
    try:
        sheet = parse(text, "f.sheet")
    except UserError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.line >= 1 and problem.column >= 1 and problem.width >= 1
            assert problem.message and "Token(" not in problem.message
            if isinstance(text, str):
                assert problem_text(problem, source=text).count("^") >= 1 or problem.line > text.count("\n")
        return
    hash(sheet)
    written = format_sheet(sheet)
    again = parse(written)
    assert again == sheet
    assert format_sheet(again) == written
    check_sheet(sheet, "f.sheet", FUNCTIONS)


def mutated(text: str, draw: random.Random) -> str:
    """The text with a few pieces cut, doubled, moved or put in."""
    for _ in range(draw.randint(1, 4)):
        start = draw.randint(0, len(text))
        end = min(len(text), start + draw.choice([0, 1, 1, 2, 5, 20]))
        inserted = draw.choice(["", draw.choice(PIECES), text[start:end] * 2, text[end : end + 10]])
        text = text[:start] + inserted + text[end:]
    return text


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfet\x00")
@example(b"table T\r[x] = 1\x00")
def test_any_bytes(data: bytes) -> None:
    survives(data)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    survives(text)
    survives(f"table T\n[x] = {text}")
    survives(f"table T\n[x]\noverride\n[x]\n{text}")


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
@example(["'", "\n"])
@example(["table T\n", "!", "\n", "table T\n"])
def test_any_row_of_pieces_of_the_language(pieces: list[str]) -> None:
    survives("".join(pieces))
    survives("table T\n" + "".join(pieces))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sheets, st.randoms(use_true_random=False))
def test_drawn_sheets_with_something_broken(sheet: object, draw: random.Random) -> None:
    survives(mutated(format_sheet(sheet), draw))  # type: ignore[arg-type]  # hypothesis names no type for draw


def _mutate_for(text: str, seconds: float, times: int) -> None:
    draw = random.Random(20_241_115)
    end = time.monotonic() + seconds
    for _ in range(times):
        survives(mutated(text, draw))
        if time.monotonic() > end:
            break


def test_a_valid_sheet_with_something_broken() -> None:
    survives(VALID)
    _mutate_for(VALID, seconds=6, times=500)


@pytest.mark.shared_data
def test_the_contract_with_something_broken(shared: Path) -> None:
    text = contract_example(shared)
    survives(text)
    _mutate_for(text, seconds=4, times=250)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 50_000,
        "table T\n[x] = " + "(" * 50_000,
        "table T\n[x] = " + "-" * 20_000 + "1",
        "table T\n[x] = " + "[" * 50_000,
        '"' * 50_001,
        "'" * 50_001,
        "[" * 50_000,
        "\x00" * 50_000,
        "!" * 50_000,
        "\\\n" * 50_000,
        "table T\n" + "[x] = 1 2\n" * 4_000,
        "table T\n" + "##\n" * 20_000,
        "table T\n[x]\noverride\n" * 3_000,
        "table T\n[x]\noverride\n[x]\n" + " " * 50_000 + 'a"',
        "table T\n[x]\noverride\n[x]\n" + '{"a",' * 20_000,
        "table T\n[x]\noverride\n[x]\n" + '"a\n' * 20_000,
        'table T\n[x]\noverride\n[x]\n"' + "'" * 50_001,
        "table T\n[x]\noverride\n[x]\n" + "#\n\n" * 20_000,
    ],
    ids=lambda text: repr(text[:30]) + f"… {len(text)}",
)
def test_long_runs_of_one_thing(text: str) -> None:
    survives(text)
