"""Cases as they would be written in a file of their suite, to start a new case from, or to keep a set of cases as a
file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import UnknownName

if TYPE_CHECKING:
    import yaml


class CaseFile(msgspec.Struct, frozen=True):
    """Cases as text, the ending of such a file, and what to do with it."""

    text: str
    ending: str
    note: str


def case_file(suite: str, cases: Sequence[JsonMapping]) -> CaseFile | None:
    """Stored cases as one file of their suite; None where that cannot be done."""
    from karat.core.plugins import load_suite

    try:
        write = load_suite(suite).case_file
    except UnknownName:
        return None
    return write(cases) if write is not None and cases else None


def base_name(path: object) -> str:
    """A file's name without the folders of this machine."""
    return str(path).replace("\\", "/").rpartition("/")[2]


def as_yaml(value: object) -> str:
    """The value as a person would write it: text of several lines as a block, no anchors."""
    import yaml

    return yaml.dump(value, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100, default_flow_style=False)


def _dumper() -> type[yaml.SafeDumper]:
    import yaml

    class Blocks(yaml.SafeDumper):
        """Text of several lines as a block, without anchors: as a person would write it."""

        def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 (PyYAML's signature)
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Blocks.add_representer(str, text)
    return Blocks
