"""Tables as people write them: no header line, white space in cells, times of day; each with a true name or a true
reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.suites.answers.records import Verdict
from karat.suites.answers.strict.tables import table_match
from karat.tables.options import CompareOptions

GOLD = "region,total\nnorth,10.5\nsouth,7\neast,3\n"


def judged(folder: Path, given: str, gold: str = GOLD, *, ignore_order: bool = True, **switches: bool) -> Verdict:
    (folder / "gold.csv").write_text(gold)
    (folder / "given.csv").write_text(given)
    options = CompareOptions().switched(switches)
    return table_match(str(folder / "given.csv"), str(folder / "gold.csv"), ignore_order=ignore_order, options=options)


@pytest.mark.parametrize(
    "given", ["north,10.5\nsouth,7\neast,3\n", "south,7\nnorth,10.5\neast,3\n", "7,south,x\n3,east,y\n10.5,north,z\n"]
)
def test_a_file_without_a_header_is_read_without_one(tmp_path: Path, given: str) -> None:
    verdict = judged(tmp_path, given)
    assert (verdict.state, verdict.normalised) == ("right", ("no_header",))
    assert judged(tmp_path, given, no_header=False).reason == "row_count"


@pytest.mark.parametrize(
    "given",
    [
        "north,10.5\nsouth,7\n",
        "north,10.5\nsouth,7\neast,4\n",
        "north,7\nsouth,10.5\neast,3\n",
        "north\nsouth\neast\n",
        "region,total\nsouth,7\neast,3\n",
        "north,10.5\nsouth,7\neast,3\nwest,1\n",
    ],
)
def test_a_wrong_table_stays_wrong_without_its_header(tmp_path: Path, given: str) -> None:
    assert judged(tmp_path, given).state == "wrong"


def test_without_a_header_the_order_still_counts(tmp_path: Path) -> None:
    assert judged(tmp_path, "south,7\nnorth,10.5\neast,3\n", ignore_order=False).state == "wrong"


def test_a_large_file_without_a_header(tmp_path: Path) -> None:
    rows = "".join(f"n{number},{number}\n" for number in range(25_000))
    verdict = judged(tmp_path, rows, f"name,number\n{rows}")
    assert (verdict.state, verdict.normalised) == ("right", ("no_header",))


@pytest.mark.parametrize("cell", ["Harbour ", " Harbour", "Harbour  Pier", "HARBOUR"])
def test_white_space_and_case_in_a_cell_have_their_own_reason(tmp_path: Path, cell: str) -> None:
    gold = "Harbour  Pier" if "Pier" in cell else "Harbour"
    verdict = judged(tmp_path, f'name,n\n"{cell}",1\nPark,2\n', f"name,n\n{gold.replace('  ', ' ')},1\nPark,2\n")
    assert (verdict.state, verdict.reason) == ("wrong", "case_or_space")
    forgiven = judged(
        tmp_path, f'name,n\n"{cell}",1\nPark,2\n', f"name,n\n{gold.replace('  ', ' ')},1\nPark,2\n", case_or_space=True
    )
    assert (forgiven.state, forgiven.normalised) == ("right", ("case_or_space",))


@pytest.mark.parametrize(
    ("gold", "given", "reason"),
    [
        ("1998-05-01", "1998-05-01 12:00", "values_differ"),
        ("1998-05-01 12:00", "1998-05-01 13:00", "values_differ"),
        ("1998-05-01", "01/05/1998", "date_format"),
        ("1998-05-01 00:00:00", "1 May 1998", "date_format"),
        ("1998-05-01 12:00", "1 May 1998", "values_differ"),
    ],
)
def test_a_wrong_time_of_day_is_another_value(tmp_path: Path, gold: str, given: str, reason: str) -> None:
    verdict = judged(tmp_path, f"day,n\n{given},1\n2001-02-03,2\n", f"day,n\n{gold},1\n2001-02-03,2\n")
    assert (verdict.state, verdict.reason) == ("wrong", reason)


def test_separators_signs_and_currencies_have_their_own_names(tmp_path: Path) -> None:
    gold = "a,b,c\n12480,-5.2,0.574\n1234567,-6.25,0.25\n"
    given = "a,b,c\n12 480,(5.2),57.4 pct\n1 234 567,minus 6.25,25 percent\n"
    verdict = judged(tmp_path, given, gold)
    assert (verdict.state, verdict.normalised) == ("right", ("negative", "percent", "separators"))
