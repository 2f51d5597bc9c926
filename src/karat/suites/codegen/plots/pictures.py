"""Pictures for reports: PNG files made here, from raw pixels; no picture of the box is ever decoded.

A report carries at most 60 kB a picture: colours are rounded, then the picture is made smaller, until it fits.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from karat.suites.codegen.plots.records import Picture

WIDTH, HEIGHT = 800, 600
LARGEST = 60_000
"""Bytes of a picture in a report."""
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB = 2
Image = NDArray[np.uint8]


class Pixels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raw pixels as the box sent them."""

    width: Annotated[int, msgspec.Meta(ge=1, le=WIDTH)]
    height: Annotated[int, msgspec.Meta(ge=1, le=HEIGHT)]
    rgba: Annotated[bytes, msgspec.Meta(max_length=4 * WIDTH * HEIGHT)]


def picture_of(pixels: Pixels | None) -> Picture | None:
    """A PNG of these pixels that a report can carry; None when they are not as many as they say."""
    if pixels is None or len(pixels.rgba) != 4 * pixels.width * pixels.height:
        return None
    rgba = np.frombuffer(pixels.rgba, dtype=np.uint8).reshape(pixels.height, pixels.width, 4)
    image = _on_white(rgba)
    made = _png(image)
    if len(made) > LARGEST:
        image = ((image >> 4) * 17).astype(np.uint8)
        made = _png(image)
    while len(made) > LARGEST and min(image.shape[:2]) > 1:
        image = _halved(image)
        made = _png(image)
    return Picture(image.shape[1], image.shape[0], base64.b64encode(made).decode("ascii"))


def _on_white(rgba: Image) -> Image:
    alpha = rgba[..., 3:].astype(np.uint16)
    mixed = (rgba[..., :3].astype(np.uint16) * alpha + 255 * (255 - alpha) + 127) // 255
    return mixed.astype(np.uint8)


def _halved(image: Image) -> Image:
    height, width = image.shape[0] // 2, image.shape[1] // 2
    blocks = image[: 2 * height, : 2 * width].reshape(height, 2, width, 2, 3)
    halved: Image = blocks.mean(axis=(1, 3)).round().astype(np.uint8)
    return halved


def _png(image: Image) -> bytes:
    """An RGB picture as a PNG file."""
    height, width = image.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)
    rows[:, 1:] = image.reshape(height, 3 * width)
    head = struct.pack(">IIBBBBB", width, height, 8, _RGB, 0, 0, 0)
    return b"".join(
        (_SIGNATURE, _chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)), _chunk(b"IEND", b""))
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
