"""Names for values of JSON and YAML, whose type is known only when they are read. The code that reads one checks it.

Elsewhere ``Any`` is rare, and its reason is written where it is imported, or it is an alias with a docstring. A test
holds every module to that. A value that is only passed on, printed or compared is an ``object``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NewType, TypeAlias

Json: TypeAlias = Any
"""A value of somebody's JSON or YAML: None, a bool, a number, a text, a list or an object of these."""
JsonObject: TypeAlias = dict[str, Any]
"""An object of JSON that is being made: details, evidence, a line of an output, a row of the store."""
JsonMapping: TypeAlias = Mapping[str, Any]
"""An object of JSON that is only read."""
TypedObject = NewType("TypedObject", dict[str, Any])
"""An object of a YAML file whose plain scalars are numbers, booleans and null where they look so; elsewhere they are
read by the type of their field."""
