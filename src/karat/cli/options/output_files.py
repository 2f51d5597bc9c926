"""Output files named on the command line. A path that cannot be written is reported before anything runs, and so are
two outputs with one destination."""

from __future__ import annotations

from pathlib import Path

import typer

from karat.core.files.destinations import refuse_same, why_not_writable
from karat.core.remote.address import address_of, is_url


def text_output(context: typer.Context, out: str | None) -> str | None:
    """An output that is a file, or printed: ``-``."""
    if out is not None and out != "-":
        _writable(context, Path(out))
    return str(Path(out)) if out is not None and is_url(out) else out


def file_output(context: typer.Context, out: Path | None) -> Path | None:
    """An output that is never printed: ``-`` would be a file of that name."""
    if out is not None:
        if str(out) == "-":
            raise typer.BadParameter("this output cannot be printed; give a file name.")
        _writable(context, out)
    return out


def _writable(context: typer.Context, path: Path) -> None:
    address = address_of(path)
    if address is not None:
        from karat.core.remote.upload import check_writable

        check_writable(address)
    elif why := why_not_writable(path):
        raise typer.BadParameter(why)
    earlier: list[Path] = context.meta.setdefault(__name__, [])
    earlier.append(path)
    refuse_same(earlier)
