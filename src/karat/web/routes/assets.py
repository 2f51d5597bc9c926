"""The style, the script and the icon: read once at the start, found by name. No route takes a path."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException
from starlette.responses import Response

router = APIRouter(include_in_schema=False)

_TYPES = {"karat.css": "text/css", "karat.js": "text/javascript", "icon.svg": "image/svg+xml"}


@cache
def _contents() -> dict[str, bytes]:
    folder = files("karat.web") / "static"
    return {name: (folder / name).read_bytes() for name in _TYPES}


@router.get("/static/{name}")
def asset(name: str) -> Response:
    """One of the three files."""
    if name not in _TYPES:
        raise HTTPException(404)
    return Response(_contents()[name], media_type=_TYPES[name])
