"""The type of numpy arrays, for the type checker alone: small tables are compared without importing numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    """Numbers, hashes, places or truth values, one per row: which of them differs from one use to the next."""
