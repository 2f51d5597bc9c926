"""Marks of Vega-Lite in the colour of the ground: they are drawn and cannot be seen."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.suites.codegen.plots.invisible import all_in, is_clear, is_zero, plain_colour
from karat.suites.codegen.plots.unreadable import CannotRead
from karat.suites.codegen.plots.vega.channels import SPLITTING, Channel

LINES = ("line", "trail", "rule")


class Look(msgspec.Struct, frozen=True):
    """What the whole specification says of colours."""

    ground: str = "ffffff"
    config: JsonMapping = {}


def look_of(spec: JsonMapping) -> Look:
    """The colour behind the data, and the settings of all marks."""
    config = _part(spec, "config")
    if any(name.startswith("axis") and "labelExpr" in _part(config, name) for name in config):
        raise CannotRead("an axis whose labels are computed")
    stated = (_part(spec, "view").get("fill"), _part(config, "view").get("fill"), spec.get("background"))
    found = next((one for one in (*stated, config.get("background")) if isinstance(one, str) and not is_clear(one)), "")
    return Look(plain_colour(found) or "ffffff", config)


def _part(found: Json, name: str) -> JsonMapping:
    stated = found.get(name) if isinstance(found, dict) else None
    return stated if isinstance(stated, dict) else {}


def styled(mark: JsonMapping, look: Look) -> JsonMapping:
    """A mark with what the settings say of all marks, of its kind and of its styles."""
    kind, styles = str(mark.get("type")), mark.get("style")
    names = [styles] if isinstance(styles, str) else styles if isinstance(styles, list) else []
    found: dict[str, Json] = {**_part(look.config, "mark"), **_part(look.config, kind)}
    for name in names:
        found |= _part(_part(look.config, "style"), str(name))
    return {**found, **mark}


def check_conditions(encoding: JsonMapping, look: Look) -> None:
    """Raise CannotRead for a condition that hides marks; one of a selection only says what a pointer does."""
    for name in ("opacity", "fillOpacity", "color", "fill", "size", "strokeWidth"):
        found = _part(encoding, name).get("condition")
        for one in found if isinstance(found, list) else [found]:
            if isinstance(one, dict) and "test" in one and "value" in one:
                value = one["value"]
                if is_zero(value) or (isinstance(value, str) and all_in(value, look.ground)):
                    raise CannotRead("marks that a condition hides")


def in_ground(mark: JsonMapping, channels: Mapping[str, Channel], look: Look) -> bool:
    """Whether a mark whose colours are stated has that of the ground, and no edge of another. A mark in no stated
    colour has another one."""
    kind = str(mark.get("type"))
    own = styled(mark, look)
    default = _part(look.config, "range").get("category")
    split = [channels[name].scale.get("range", default) for name in SPLITTING if name in channels and name != "detail"]
    if any(not isinstance(range_, list) or not all_in(range_, look.ground) for range_ in split):
        return False
    on_lines = kind in LINES
    colour = own.get("stroke" if on_lines else "fill", own.get("color"))
    if not split and not all_in(colour, look.ground):
        return False
    if on_lines:
        return not own.get("point") or own.get("point") is True
    edge = own.get("stroke")
    if kind in ("point",) and own.get("filled") is not True:
        edge = own.get("stroke", own.get("color"))
    return edge is None or is_zero(own.get("strokeWidth")) or all_in(edge, look.ground)
