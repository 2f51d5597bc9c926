"""Large files settled by their lines: the verdicts are the literal algorithm's, and pandas is left out where it can
be."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from karat.suites.answers.spider2 import same_lines, table_match, tables_match
from karat.suites.answers.spider2.same_lines import width_of_same
from tests.suites.answers.spider2 import literal
from tests.suites.answers.spider2.agreeing import assert_tables_agree, literally
from tests.suites.answers.spider2.test_agreement_on_drawn_tables import BOOLEANS, INTEGERS, NUMBERS, PIECES, WORDS


@pytest.fixture(autouse=True, params=[2**21, 5])
def every_file_is_large(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """No file is small, and lines are looked at all together, or about one at a time."""
    monkeypatch.setattr("karat.suites.answers.spider2.csv_files.SMALL", -1)
    monkeypatch.setattr(same_lines, "BLOCK", request.param)
    yield


def write(folder: Path, gold: bytes, found: bytes) -> tuple[str, str]:
    (folder / "gold.csv").write_bytes(gold)
    (folder / "found.csv").write_bytes(found)
    return str(folder / "gold.csv"), str(folder / "found.csv")


def agreed(folder: Path, gold: bytes, found: bytes, *args: Any, **options: Any) -> bool:
    one, other = write(folder, gold, found)
    return assert_tables_agree(other, one, *args, **options)


PLAIN = b"id,city,share\n1,Paris,0.5\n2,,0.25\n3,\xc3\x89vian,0.125\n"
SHUFFLED = b"nr,town,part\n3,\xc3\x89vian,0.125\n1,Paris,0.5\n2,,0.25\n"


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [b"", b"\n", b"\r\n"])
def test_the_same_lines_are_known(tmp_path: Path, ending: bytes, last: bytes) -> None:
    gold, found = (data.replace(b"\n", ending).removesuffix(last) for data in (PLAIN, SHUFFLED))
    paths = write(tmp_path, gold, found)
    assert width_of_same(*paths, in_order=False) == 3
    assert width_of_same(*paths, in_order=True) is None
    assert width_of_same(paths[0], paths[0], in_order=True) == 3
    assert agreed(tmp_path, gold, found, [], True)
    assert not agreed(tmp_path, gold, found, [], False)
    assert agreed(tmp_path, gold, gold, [], False)


def test_one_file_may_end_without_a_line_feed(tmp_path: Path) -> None:
    assert width_of_same(*write(tmp_path, PLAIN, SHUFFLED[:-1]), in_order=False) == 3
    assert width_of_same(*write(tmp_path, PLAIN[:-1], PLAIN), in_order=True) == 3


@pytest.mark.parametrize(
    ("gold", "found"),
    [
        (PLAIN, SHUFFLED.replace(b"0.25", b"0.75")),
        (PLAIN, SHUFFLED.replace(b"1,Paris", b"2,Paris")),
        (PLAIN, SHUFFLED.replace(b"3,", b"30,")),
        (PLAIN + b"2,,0.25\n2,,0.25\n", PLAIN + b"1,Paris,0.5\n"),
        (b"\xef\xbb\xbf" + PLAIN, b"\xef\xbb\xbf" + SHUFFLED),
        (PLAIN.replace(b"Paris", b'"Paris"'), SHUFFLED.replace(b"Paris", b'"Paris"')),
        (PLAIN.replace(b"city", b'"a,b"'), SHUFFLED),
        (PLAIN.replace(b"\xc3\x89", b"\xc9"), SHUFFLED.replace(b"\xc3\x89", b"\xc9")),
        (PLAIN.replace(b"id", b"\xc9"), SHUFFLED),
        (PLAIN.replace(b"Paris", b"Pa\0is"), SHUFFLED.replace(b"Paris", b"Pa\0is")),
        (PLAIN.replace(b"Paris", b"Pa\ris"), SHUFFLED.replace(b"Paris", b"Pa\ris")),
        (PLAIN + b"4,5\n", b"a,b,c\n4,5\n" + PLAIN.partition(b"\n")[2]),
        (PLAIN + b"4,5,6,7\n", b"a,b,c\n4,5,6,7\n" + PLAIN.partition(b"\n")[2]),
        (PLAIN + b"4,5,6,7\n1,2\n", b"a,b,c\n1,2\n4,5,6,7\n" + PLAIN.partition(b"\n")[2]),
        (PLAIN, SHUFFLED.replace(b"nr,", b"")),
        (PLAIN, SHUFFLED.replace(b"nr,", b",nr,")),
        (b"\n" + PLAIN, b"\n" + SHUFFLED),
        (b" " + PLAIN, b" " + SHUFFLED),
        (b"a\n99999999999999999999\n1.5\n", b"a\n1.5\n99999999999999999999\n"),
        (b"a\n +99999999999999999999\n1.5\n", b"a\n1.5\n +99999999999999999999\n"),
        (b"a\n1.5\n9007199254740993\n", b"a\n9007199254740993\n1.5\n"),
        (b"a,b\n1,2", b"a,b\n2,1"),
        (b"a,b", b"a,b"),
        (b"", b""),
    ],
)
def test_what_is_not_sure_goes_to_pandas(tmp_path: Path, gold: bytes, found: bytes) -> None:
    assert width_of_same(*write(tmp_path, gold, found), in_order=False) is None
    for ignore_order in (True, False):
        agreed(tmp_path, gold, found, [], ignore_order)


@pytest.mark.parametrize(
    "odd", [b'1,"Paris",0.5\n', b"1,P\0,0.5\n", b"1,\xc9,0.5\n", b"1,2\n", b"1,2,3,4\n", b"1,\r2,3\n"]
)
def test_the_same_bytes_are_settled_only_where_pandas_can_read_them(tmp_path: Path, odd: bytes) -> None:
    paths = write(tmp_path, PLAIN + odd, PLAIN + odd)
    assert width_of_same(*paths, in_order=True) is None
    agreed(tmp_path, PLAIN + odd, PLAIN + odd, [], False)


def test_long_integers_do_not_matter_where_the_order_is_the_same(tmp_path: Path) -> None:
    data = b"a,b\n99999999999999999999,1\n1.5,1\n"
    assert width_of_same(*write(tmp_path, data, data), in_order=False) == 2
    assert agreed(tmp_path, data, data, [], True)


def test_moments_and_long_fractions_are_no_long_integers(tmp_path: Path) -> None:
    rows = [b"2020-01-01 00:00:00,0.12345678901234567890", b"2020-01-01T00:00:00Z,-12.12345678901234567890"]
    gold, found = b"a,b\n" + b"\n".join(rows), b"a,b\n" + b"\n".join(rows[::-1])
    assert width_of_same(*write(tmp_path, gold, found), in_order=False) == 2
    assert agreed(tmp_path, gold, found, [], True)


def test_columns_are_chosen_as_ever(tmp_path: Path) -> None:
    assert agreed(tmp_path, PLAIN, SHUFFLED, [0, -1], True)
    assert not agreed(tmp_path, PLAIN, SHUFFLED, [3], True)
    gold, found = write(tmp_path, PLAIN, SHUFFLED)
    assert table_match(found, gold, [3], True).reason == "gold_error"
    assert assert_tables_agree(found, [found + "x", gold], [], True) is False
    assert assert_tables_agree(found, [gold, found], [[0], [1]], True)


def test_files_read_in_pieces_are_settled_in_order_only(tmp_path: Path) -> None:
    gold, found = write(tmp_path, PLAIN, SHUFFLED)
    for other in (gold, found):
        assert assert_tables_agree(other, gold, [], True, family="flat")
        for ignored in (True, False):
            expected = literally(literal.tables_match, [other], [gold], None, [ignored])
            assert bool(tables_match([other], [gold], None, [ignored])) == expected


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    gold, _ = write(tmp_path, PLAIN, SHUFFLED)
    os.mkfifo(tmp_path / "pipe.csv")
    assert table_match(str(tmp_path / "pipe.csv"), gold, [], True).reason == "unreadable_prediction"
    assert table_match(str(tmp_path / "none.csv"), gold, [], True).reason == "unreadable_prediction"


def test_many_lines_of_many_kinds(tmp_path: Path) -> None:
    """More than a block; one changed line among them is found."""
    chance = random.Random(4)
    lines = [f"{n},{chance.choice('abc')},{chance.random()},{chance.choice(['', 'NA', 'é', '7'])}" for n in range(400)]
    others = chance.sample(lines, len(lines))
    gold, found = (("a,b,c,d\n" + "\n".join(rows)).encode() for rows in (lines, others))
    paths = write(tmp_path, gold, found)
    assert width_of_same(*paths, in_order=False) == 4
    assert agreed(tmp_path, gold, found, [], True)
    changed = found.replace(b"123,", b"124,", 1)
    assert width_of_same(*write(tmp_path, gold, changed), in_order=False) is None


CELLS = tuple(word for word in WORDS if not {",", '"', "\n"} & set(word))
a_kind = st.sampled_from((CELLS, CELLS, NUMBERS, INTEGERS, BOOLEANS))


@st.composite
def two_files(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Lines with fields of all kinds, and the same lines in any order; some changed, ragged or blank."""
    kinds = [draw(a_kind) for _ in range(draw(st.integers(1, 3)))]
    lines = draw(st.lists(st.tuples(*map(st.sampled_from, kinds)).map(",".join), max_size=6))
    lines += draw(st.lists(st.sampled_from(["", " ", ",", "1", "1,2", "1,2,3,4", " 1,2", '"1",2', "\t"]), max_size=1))
    others = draw(st.permutations(lines))
    if others and draw(st.integers(0, 3)) == 0:
        others[draw(st.integers(0, len(others) - 1))] = draw(st.sampled_from(lines))
    ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    headers = [",".join(draw(st.sampled_from("aab")) for _ in kinds) for _ in range(2)]
    files = [ending.join([header, *rows]) for header, rows in zip(headers, (lines, others), strict=True)]
    one, other = ((file + draw(st.sampled_from(["", ending]))).encode() for file in files)
    return one, other


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=two_files(),
    chosen=st.sampled_from([[], [], [0], [-1]]),
    ignore_order=st.booleans(),
    nulls=st.sampled_from(["equal", "zero"]),
    family=st.sampled_from(["contract", "contract", "flat"]),
)
@example((b"a,b\n10000000000000001,1\n2,0.5", b"a,b\n2,0.5\n10000000000000001,1"), [0], True, "equal", "contract")
def test_drawn_lines(
    tmp_path: Path, files: tuple[bytes, bytes], chosen: list[int], ignore_order: bool, nulls: str, family: str
) -> None:
    agreed(tmp_path, *files, chosen, ignore_order, nulls=nulls, family=family)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.randoms(use_true_random=False),
    st.booleans(),
    st.booleans(),
)
def test_drawn_bytes(tmp_path: Path, gold: str, chance: random.Random, same: bool, ignore_order: bool) -> None:
    """Any bytes, and their lines in another order."""
    header, *lines = gold.split("\n")
    if not same:
        chance.shuffle(lines)
    agreed(tmp_path, gold.encode(), "\n".join([header, *lines]).encode(), [], ignore_order)
