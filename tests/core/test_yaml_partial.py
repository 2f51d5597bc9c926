"""What can be read of a damaged value, with the paths of the rest unchanged."""

from __future__ import annotations

import msgspec

from karat.core.yaml.nodes import Findings, documents
from karat.core.yaml.partial import readable_part


class Inner(msgspec.Struct, frozen=True):
    id: str
    count: int = 7
    words: str | tuple[str, ...] | None = None


class Outer(msgspec.Struct, frozen=True):
    name: str
    inner: tuple[Inner, ...] = ()
    more: Inner | None = None

    def __post_init__(self) -> None:
        if self.name == "refused":
            raise ValueError("refused")


def part(text: str) -> Outer | None:
    [node] = documents(text.encode(), Findings(""))
    return readable_part(Outer, node)


def test_what_is_sound_is_read_as_always() -> None:
    assert part("{name: a, inner: [{id: b, count: 2}]}") == Outer("a", (Inner("b", 2),))


def test_a_wrong_value_is_its_default_and_a_list_keeps_its_length() -> None:
    found = part("{nam: x, inner: [{count: 3}, 5, {id: c, count: many, extra: 1}, {id: d, words: [e, [f]]}], more: 4}")
    assert found == Outer("", (Inner("", 3), Inner(""), Inner("c"), Inner("d", words=("e", ""))))


def test_where_nothing_can_be_read() -> None:
    assert part("[a, b]") is None
    assert part("{name: refused, inner: 3}") is None
