"""What the HTTP library logs, without secrets: it writes the whole address of every request, keys and passwords
included."""

from __future__ import annotations

import logging
from weakref import WeakSet

from karat.core.secrets.masking import Secrets, plain

LOGGERS = ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")))


class _Masked(logging.Filter):
    """Rewrites a record before any handler sees it."""

    def __init__(self) -> None:
        super().__init__()
        self.known: WeakSet[Secrets] = WeakSet()

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        for secrets in list(self.known):
            text = secrets.text(text)
        # Where a server redirects to, nobody knew before.
        record.msg, record.args = plain(text), None
        return True


_masked = _Masked()


def mask_logs(secrets: Secrets) -> None:
    """Keep these secrets out of what the HTTP library logs, as long as somebody holds them."""
    _masked.known.add(secrets)
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_masked)  # once, however often it is called
