"""Names for values whose type only their content tells: what JSON and YAML hold. Whoever reads one checks it there.

``Any`` in Karat is one of these, or a value of an optional package that has no types, or one of a type parameter that a
caller does not need to know, such as the target of a case (:data:`karat.core.records.AnyCase`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A value of somebody's JSON or YAML: None, a bool, a number, a text, a list or an object of these."""
JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON that is being made: details, evidence, a line of an output, a row of the store."""
JsonMapping: TypeAlias = Mapping[str, Any]
"""An object of JSON that is only read."""
