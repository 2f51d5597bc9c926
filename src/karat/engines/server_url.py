"""The URL of a database on a server, with ``${NAME}`` filled in, and what in it must not be seen."""

from __future__ import annotations

from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets
from karat.engines.secrets import filled, shown_url, url_secrets


class ServerUrl:
    """A URL for a driver. Its representation shows the host and the database alone."""

    def __init__(self, url: str, schemes: tuple[str, ...], place: str) -> None:
        text, values = filled(url, place)
        self.secrets = Secrets([*values, *url_secrets(text), *url_secrets(url)])
        self.shown = self.secrets.text(shown_url(text))
        scheme, mark, self.rest = text.partition("://")
        if not mark or scheme.partition("+")[0].lower() not in schemes:
            raise UserError(
                f"the url of {place} does not begin with {schemes[0]}://",
                hint=f"Write {schemes[0]}://USER:${{PASSWORD}}@HOST/DATABASE.",
            )

    def __repr__(self) -> str:
        return f"ServerUrl({self.shown!r})"

    def text(self, scheme: str) -> str:
        """The whole URL, secrets included: for the driver and nobody else."""
        return f"{scheme}://{self.rest}"
