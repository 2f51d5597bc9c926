"""Reading a form, after its token was checked. Every route that writes depends on this."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import HTTPException, Request

from karat.web.page import viewer_of


async def checked_form(request: Request) -> dict[str, str]:
    """The fields of a form that this session's own page sent; a caller with the server's token needs no form token."""
    sessions = viewer_of(request).sessions
    text = (await request.body()).decode("utf-8", "replace")
    try:
        fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=20))
    except ValueError as error:
        raise HTTPException(400, "This form cannot be read.") from error
    bearer = request.headers.get("authorization", "").partition(" ")
    if sessions.token_valid(bearer[2]) and bearer[0] == "Bearer":
        return fields
    given = request.headers.get("x-csrf-token") or fields.get("csrf", "")
    if not sessions.form_valid(request.state.session, given):
        raise HTTPException(
            403,
            "This form is out of date: the viewer was restarted, or the form is from another site. Reload the page.",
        )
    return fields
