"""Numbers of a block of cases as few bytes, for a store to keep. A column of figures has few different values, and
counts are small: fewer bytes are read and decompressed many times faster than eight for each number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.uint8]

MOST = 255
"""Different values up to which a column is kept as a code for each number."""
RAW = b"\0"
"""What follows numbers of eight bytes each."""
FOUR_BYTES = b"\4"
"""What follows whole numbers of four bytes each."""


class Coded(msgspec.Struct, frozen=True):
    """``table[codes]`` are the numbers."""

    table: Floats
    codes: Codes


def pack_floats(values: Floats) -> bytes:
    """The numbers, to the last bit. The last byte says how many different ones there are; 0: too many to count."""
    import numpy as np

    distinct, codes = np.unique(np.ascontiguousarray(values, dtype="<f8").view("<i8"), return_inverse=True)
    if not 0 < len(distinct) <= MOST:
        return values.astype("<f8").tobytes() + RAW
    return distinct.tobytes() + codes.astype(np.uint8).tobytes() + bytes([len(distinct)])


def unpack_floats(data: bytes) -> Floats | Coded:
    """What :func:`pack_floats` was given, as codes where it was kept as codes."""
    import numpy as np

    size = data[-1]
    if not size:
        return np.frombuffer(data, "<f8", (len(data) - 1) // 8)
    return Coded(np.frombuffer(data, "<f8", size), np.frombuffer(data, np.uint8, len(data) - 1 - 8 * size, 8 * size))


def float_values(data: bytes) -> Floats:
    """The numbers that :func:`pack_floats` was given."""
    found = unpack_floats(data)
    return found.table[found.codes] if isinstance(found, Coded) else found


def pack_whole(numbers: NDArray[np.integer]) -> bytes:
    """Whole numbers from 0 on, each in one, two or four bytes, as the last byte says."""
    most = int(numbers.max(initial=0))
    width = 1 if most < 2**8 else 2 if most < 2**16 else 4
    return numbers.astype(f"<u{width}").tobytes() + bytes([width])


def unpack_whole(data: bytes) -> NDArray[np.unsignedinteger]:
    """What :func:`pack_whole` was given."""
    import numpy as np

    width = data[-1]
    if width not in (1, 2, 4):
        raise ValueError(f"whole numbers of {width} bytes each")
    found: NDArray[np.unsignedinteger] = np.frombuffer(data, f"<u{width}", (len(data) - 1) // width)
    return found
