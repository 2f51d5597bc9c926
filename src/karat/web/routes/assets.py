"""The styles, the script and the icon: read once at the start, found by name. No route takes a path."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

router = APIRouter(include_in_schema=False)

_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_PLACES = {
    "viewer.css": ("karat.web", "static"),
    "karat.js": ("karat.web", "static"),
    "icon.svg": ("karat.web", "static"),
    "tokens.css": ("karat.reports", "look"),
    "components.css": ("karat.reports", "look"),
}
"""What the reports share with the viewer lies with the reports."""


@cache
def _contents() -> dict[str, bytes]:
    return {name: (files(package) / folder / name).read_bytes() for name, (package, folder) in _PLACES.items()}


@router.get("/static/{name}")
def asset(name: str) -> Response:
    """One of the files above."""
    if name not in _PLACES:
        raise HTTPException(404)
    return Response(_contents()[name], media_type=_TYPES[name[name.rindex(".") :]])
