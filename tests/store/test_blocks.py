"""Blocks: what goes in comes out, and a byte that changed is noticed."""

from __future__ import annotations

import zlib
from typing import Any  # Any: a module that has another name in Python 3.14
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import karat.store.blocks.block as block_module
from karat.store.blocks.block import BYTES, ROWS, Block, DamagedBlock, check_block, in_blocks, pack_block

zstd: Any = vars(block_module)["zstd"]


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=50), st.sampled_from([50, 500, block_module.FRAME]))
def test_what_goes_in_comes_out(items: list[bytes], frame: int) -> None:
    with patch.object(block_module, "FRAME", frame):
        block = pack_block(items)
    assert (block.rows, block.items()) == (len(items), items)
    data, ends = block.joined()
    assert [data[begin:end] for begin, end in zip([0, *ends], ends, strict=False)] == items
    assert block.items_at(range(len(items) - 1, -1, -1)) == items[::-1]
    assert check_block(block.rows, block.checksum, block.data) == ""


def test_a_row_of_a_large_block_is_read_without_the_others() -> None:
    items = [bytes([n]) * 100_000 for n in range(9)]
    block = pack_block(items)
    read: list[int] = []

    def reading(data: bytes) -> bytes:
        found: bytes = zstd.decompress(data)
        read.append(len(found))
        return found

    with patch.object(block_module, "_read", reading):
        assert block.items_at([4, 1, 4]) == [items[4], items[1], items[4]]
    assert read == [40, 300_000, 300_000]


def test_a_frame_that_is_missing_is_noticed() -> None:
    items = [b"a" * 300_000, b"b" * 300_000]
    whole, header = pack_block(items), pack_block(items).data
    cut = header[: zstd.get_frame_size(header) + zstd.get_frame_size(header[zstd.get_frame_size(header) :])]
    damaged = Block(whole.rows, zlib.crc32(cut), cut)
    for read in (damaged.items, lambda: damaged.items_at([0])):
        with pytest.raises(DamagedBlock):
            read()


def test_columns_are_one_item_for_all_rows() -> None:
    block = pack_block([b"columns"], 1000)
    assert (block.rows, block.items()) == (1000, [b"columns"])


@given(st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=20), st.data())
def test_a_changed_byte_is_noticed(items: list[bytes], data: st.DataObject) -> None:
    block = pack_block(items)
    place = data.draw(st.integers(0, len(block.data) - 1))
    changed = bytearray(block.data)
    changed[place] ^= data.draw(st.integers(1, 255))
    assert "checksum" in check_block(block.rows, block.checksum, bytes(changed))


def test_a_block_that_was_never_one() -> None:
    assert "decompressed" in check_block(1, zlib.crc32(b"x"), b"x")
    short = pack_block([b"ab", b"c"])
    assert "holds 2 items" in check_block(3, short.checksum, short.data)
    with pytest.raises(DamagedBlock, match="checksum"):
        Block(1, 0, short.data).items()


def test_a_block_is_bounded_by_rows_and_by_bytes() -> None:
    assert [len(chunk) for chunk in in_blocks(range(2 * ROWS + 1), lambda _: 1)] == [ROWS, ROWS, 1]
    assert [len(chunk) for chunk in in_blocks(range(5), lambda _: BYTES // 2)] == [2, 2, 1]
    assert list(in_blocks([], len)) == []
