"""Whatever bytes a child sends: an outcome comes out, never an exception, and ``ok`` only for a message in the right
form."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.sandbox import Limits, Other, Outcome
from karat.sandbox.messages import bounds
from karat.sandbox.messages.messages import Facts, judge

LIMITS = Limits()
SEEN = Facts(parts=(0, 0, 0), begun=True, exit=0)
VALUE = {
    "k": "table",
    "height": 1,
    "counted": True,
    "index": [],
    "columns": [{"name": "a", "dtype": "int64", "values": [1]}],
}


def outcome(data: bytes, facts: Facts = SEEN) -> Outcome:
    return judge(facts, b"", b"", data, LIMITS, out_of_memory=False)


def framed(message: object) -> bytes:
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("<I", len(text)) + text


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    assert outcome(data).status in ("bad_message", "no_result")
    assert outcome(framed(data)).status in ("bad_message", "no_result")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["k", "v", "type", "height"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(
        st.sampled_from(["status", "result", "error", "what"]), json_values | st.sampled_from(["ok", "error"])
    )
)
def test_any_json(message: dict[str, object]) -> None:
    seen = outcome(framed(message))
    assert seen.status != "ok" or message["status"] == "ok"


@given(st.integers(0, 200), st.binary(min_size=1, max_size=3))
def test_a_good_message_with_some_bytes_changed(place: int, change: bytes) -> None:
    data = bytearray(framed({"status": "ok", "result": VALUE}))
    data[place : place + len(change)] = change
    assert outcome(bytes(data)).status in ("ok", "bad_message", "no_result", "result_too_large")


@pytest.mark.parametrize(
    "result",
    [
        {"k": "datetime", "v": "yesterday"},
        {"k": "date", "v": "2020-13-01"},
        {"k": "decimal", "v": "one"},
        {"k": "integer", "v": "many"},
        {"k": "bytes", "v": "xyz"},
        {"k": "timedelta", "v": 1e300},
        {"k": "nonsense"},
        {"v": 1},
        [1],
        {**VALUE, "height": -1},
        {**VALUE, "height": 2},
        {**VALUE, "index": [{"name": "i", "dtype": "int64", "values": [1]}]},
        {**VALUE, "counted": False, "index": [{"name": "i", "dtype": "int64", "values": []}]},
        {**VALUE, "more": 1},
    ],
)
def test_records_that_no_honest_writer_sends(result: object) -> None:
    assert outcome(framed({"status": "ok", "result": result})).status == "bad_message"


class Key:
    """A key that counts how often it is compared."""

    compared = 0

    def __init__(self, name: int, number: int = 0) -> None:
        self.name, self.number = name, number

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        Key.compared += 1
        return isinstance(other, Key) and self.name == other.name


@pytest.mark.parametrize("groups", [1, 100, 1_000])
def test_keys_that_collide_are_refused_before_they_are_compared_with_each_other(groups: int) -> None:
    keys = [Key(n, n % groups) for n in range(20 * groups)]
    Key.compared = 0
    with pytest.raises(bounds.BadValue, match="one hash"):
        bounds.mapping(keys, keys)
    assert Key.compared <= len(keys)


def test_equal_keys_are_no_collision_but_no_dictionary_either() -> None:
    Key.compared = 0
    keys = [Key(1, 5) for _ in range(5_000)]
    assert bounds.mapping(keys, keys) is None
    assert Key.compared <= 3 * len(keys)
    few = [Key(n, 5) for n in range(bounds.SAME_HASH)]
    assert bounds.mapping(few, few) == dict(zip(few, few, strict=True))


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = {"k": "list", "type": "list", "v": [value]}
    return value


COLLIDING = [{"k": "integer", "v": hex(n * (2**61 - 1))} for n in range(1, 100)]


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ({"k": "dict", "v": [[key, 1] for key in COLLIDING]}, "bad_message"),
        ({"k": "dict", "v": [[{"k": "list", "type": "tuple", "v": [key]}, 1] for key in COLLIDING]}, "bad_message"),
        ({"k": "dict", "v": [[{"k": "decimal", "v": str(int(key["v"], 16))}, 1] for key in COLLIDING]}, "bad_message"),
        ({"k": "integer", "v": "f" * 5_000}, "bad_message"),
        ({"k": "decimal", "v": "1" * 10_000}, "bad_message"),
        ({"k": "decimal", "v": "1E+999999999"}, "bad_message"),
        ({"k": "decimal", "v": "1E-999999999"}, "bad_message"),
        (nested(65), "bad_message"),
        (nested(24), "ok"),
        ({"k": "list", "type": "list", "v": [1] * 12_000}, "result_too_large"),
        ({"k": "list", "type": "list", "v": [{"k": "list", "type": "list", "v": [1] * 100}] * 120}, "result_too_large"),
        ({**VALUE, "height": 20_000, "columns": []}, "result_too_large"),
        (
            {"k": "series", "counted": True, "index": [], "name": None, "dtype": "x", "values": [1] * 12_000},
            "result_too_large",
        ),
        ({"k": "list", "type": "list", "v": [1] * 10_000}, "ok"),
    ],
)
def test_what_would_take_the_host_long_is_refused_by_its_size(result: object, status: str) -> None:
    few = Limits(cells=10_000)
    data = framed({"status": "ok", "result": result})
    assert judge(SEEN, b"", b"", data, few, out_of_memory=False).status == status


def test_equal_keys_make_a_result_without_a_plain_form() -> None:
    seen = outcome(framed({"status": "ok", "result": {"k": "dict", "v": [[None, 1], [None, 2]]}}))
    assert seen.result == Other("dict with equal keys", "two of its keys are the same as plain data")


def test_the_good_one() -> None:
    assert outcome(framed({"status": "ok", "result": VALUE})).result.columns[0].values == [1]


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        (Facts(parts=(), begun=True, exit=-1, signal=9), "killed"),
        (Facts(parts=(), begun=True, exit=-1, signal=24), "timeout"),
        (Facts(parts=(), begun=True, exit=-1, signal=31), "refused"),
        (Facts(parts=(), begun=True, exit=0, stopped="time"), "timeout"),
        (Facts(parts=(), begun=True, exit=0, stopped="files"), "output_limit"),
        (Facts(parts=(), begun=True, exit=1), "bad_message"),
    ],
)
def test_what_the_server_saw_outweighs_what_the_child_says(facts: Facts, status: str) -> None:
    assert outcome(framed({"status": "ok", "result": 1}), facts).status == status


def test_out_of_memory_is_told_from_another_kill() -> None:
    facts = Facts(parts=(), begun=True, exit=-1, signal=9)
    assert judge(facts, b"", b"", b"", LIMITS, out_of_memory=True).status == "memory"
