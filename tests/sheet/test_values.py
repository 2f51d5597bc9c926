from __future__ import annotations

import pytest

from karat.sheet.truths import split_truths, truths_of
from karat.sheet.values import NA, Array, Failure, Row, TableValue, Wrong, depth, key_of, plain, shown, taken, whole

TABLE = TableValue({"name": ["a", "b", "c"], "price": [1, NA, 3]}, 3)


def test_depth() -> None:
    assert depth(5) == depth("a") == depth(NA) == 0
    assert depth(Array([])) == depth(Array([1, NA])) == depth(TABLE) == 1
    assert depth(Array([Array([1]), NA])) == depth(Array([TABLE])) == 2
    assert depth(Array([NA, NA], least=2)) == 2, "a column of arrays stays one where all of them are missing"


def test_taking_keeps_columns_together_and_remembers_which_rows_they_are() -> None:
    found = taken(TableValue(TABLE.columns, 3, "T"), [2, 0])
    assert isinstance(found, TableValue)
    assert found.columns == {"name": ["c", "a"], "price": [3, 1]}
    assert (found.layout, found.rows, found.whole) == ("T", [2, 0], False)
    again = taken(found, [1])
    assert isinstance(again, TableValue) and again.rows == [0]
    assert plain(taken(Array([5, 6, 7], "T"), [1, 1])) == [6, 6]


def test_a_number_is_its_text_to_the_letter_and_whole_floats_are_whole() -> None:
    assert key_of(1) == key_of(1.0)
    assert key_of(1) == key_of("1")
    assert key_of(1) != key_of("1.0") and key_of(7) != key_of("007")
    assert key_of(Array([1, "a"])) == key_of(Array([1, "a"]))
    assert whole(3.0, "F") == 3
    with pytest.raises(Wrong, match=r"F needs a whole number, but was given 2\.5"):
        whole(2.5, "F")


def test_as_json_has_it() -> None:
    assert plain(Array([1, NA, "a", Array([2])])) == [1, None, "a", [2]]
    assert plain(Row(TABLE, 1)) == {"name": "b", "price": None}
    assert plain(Failure("division by zero")) == {"error": "division by zero"}


def test_as_a_person_reads_it() -> None:
    assert shown(Array(["a", 2.0, NA])) == "a; 2; NA"
    assert shown(0.1) == "0.1"


@pytest.mark.parametrize(
    ("written", "truths"),
    [
        ("Carrots;Potatoes", ("Carrots", "Potatoes")),
        (" Carrots ; ;Potatoes;", ("Carrots", "Potatoes")),
        ("salt';pepper;oil", ("salt;pepper", "oil")),
        ("O'Brien;it's", ("O'Brien", "it's")),
        ("the farmers'';milk", ("the farmers'", "milk")),
        ("a''';b", ("a';b",)),
        ("ends with '", ("ends with '",)),
        ("a;a", ("a",)),
        ("';", (";",)),
        ("", ()),
    ],
)
def test_truths_are_parted_by_semicolons_and_an_escaped_one_stays(written: str, truths: tuple[str, ...]) -> None:
    assert split_truths(written) == truths


def test_truths_of_other_values() -> None:
    assert truths_of(NA) == ()
    assert truths_of(5) == ("5",)
    assert truths_of(Array(["a;b", 5, NA])) == ("a;b", "5"), "in an array every element is one truth"
