"""Whatever bytes a child sends: an outcome comes out, never an exception, and ``ok`` only for a message in the right form."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.sandbox import Limits, Outcome
from karat.sandbox.messages import Facts, judge

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
    assert outcome(bytes(data)).status in ("ok", "bad_message", "no_result", "output_limit")


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
