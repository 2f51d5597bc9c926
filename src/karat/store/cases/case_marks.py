"""What the list of the cases of a scoring is filtered by, as codes: reasons, tags, and what wants a review. It is apart
from the texts of the lines, so that a list of 100,000 is opened without reading those."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.results.columns.packed_numbers import pack_whole, unpack_whole
from karat.store.cases.case_lines import CaseLine, Filtered, Lines
from karat.store.codec import from_text, has_marks, to_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]

MARKS = "marks"

Tags = tuple[str, ...]


class Marks(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Those of a block of cases: each reason and each set of tags once, and a code for each case."""

    reasons: list[str]
    reason_codes: bytes
    tags: list[Tags]
    tag_codes: bytes
    wants_review: bytes


_decoder = msgspec.msgpack.Decoder(Marks)


def pack_marks(lines: Sequence[CaseLine]) -> bytes:
    """Those of these lines, as one item of a block."""
    import numpy as np

    reasons: dict[str, int] = {}
    tags: dict[Tags, int] = {}
    reason_codes = [reasons.setdefault(line.reason, len(reasons)) for line in lines]
    tag_codes = [tags.setdefault(line.tags, len(tags)) for line in lines]
    return msgspec.msgpack.encode(
        Marks(
            [to_text(reason) for reason in reasons],
            pack_whole(np.array(reason_codes, np.int64)),
            [tuple(map(to_text, own)) for own in tags],
            pack_whole(np.array(tag_codes, np.int64)),
            bytes(line.wants_review for line in lines),
        )
    )


def unpack_marks(data: bytes) -> Marks:
    """What :func:`pack_marks` made."""
    found = _decoder.decode(data)
    if not has_marks(data):
        return found
    reasons, tags = map(from_text, found.reasons), (tuple(map(from_text, own)) for own in found.tags)
    return msgspec.structs.replace(found, reasons=list(reasons), tags=list(tags))


class MarksBuilder:
    """The marks of all cases of a scoring from those of its blocks, in order."""

    def __init__(self) -> None:
        import numpy as np

        self._reasons: dict[str, int] = {}
        self._tags: dict[Tags, int] = {}
        self._reason_codes: list[Codes] = [np.zeros(0, np.int32)]
        self._tag_codes: list[Codes] = [np.zeros(0, np.int32)]
        self._wants = bytearray()

    def add(self, found: Marks) -> None:
        """Those of the next block."""
        import numpy as np

        reasons = [self._reasons.setdefault(one, len(self._reasons)) for one in found.reasons]
        tags = [self._tags.setdefault(one, len(self._tags)) for one in found.tags]
        self._reason_codes.append(np.array(reasons, np.int32)[unpack_whole(found.reason_codes)])
        self._tag_codes.append(np.array(tags, np.int32)[unpack_whole(found.tag_codes)])
        self._wants += found.wants_review

    def add_lines(self, found: Lines | Filtered) -> None:
        """The same from the lines of an older store."""
        import numpy as np

        reasons = [self._reasons.setdefault(one, len(self._reasons)) for one in found.reasons]
        tags = [self._tags.setdefault(one, len(self._tags)) for one in found.tags]
        self._reason_codes.append(np.array(reasons, np.int32))
        self._tag_codes.append(np.array(tags, np.int32))
        self._wants += bytes(found.wants_review)

    def built(self) -> CaseMarks:
        """All of them."""
        import numpy as np

        return CaseMarks(
            list(self._reasons),
            np.concatenate(self._reason_codes),
            list(self._tags),
            np.concatenate(self._tag_codes),
            np.frombuffer(bytes(self._wants), np.bool_),
        )


class CaseMarks(msgspec.Struct, frozen=True):
    """``reasons[reason_codes[i]]`` is the reason of case i, and so on."""

    reasons: list[str]
    reason_codes: Codes
    tags: list[Tags]
    tag_codes: Codes
    wants_review: NDArray[np.bool_]
