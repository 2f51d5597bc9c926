"""Failures of a remote store: which are worth another try, and what the error message says.

The clients of the stores raise errors of their own classes. They are recognised by name, so that none of those packages
needs to be imported.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from karat.core.problems import UserError
from karat.core.remote.address import Address
from karat.core.secrets.quoting import hidden

T = TypeVar("T")

PAUSES = (0.5, 1.0, 2.0, 4.0)
"""Seconds before each further try after a lost connection."""
_TRANSIENT = frozenset(
    (
        "ConnectionError",
        "TimeoutError",
        "ClientConnectionError",  # aiohttp
        "ClientPayloadError",
        "HTTPClientError",  # botocore
        "IncompleteReadError",
        "ResponseStreamingError",
        "TransportError",  # httpx
        "ServiceRequestError",  # azure
        "ServiceResponseError",
        "Changed",
    )
)
_BUSY = (errno.EBUSY, getattr(errno, "EREMOTEIO", 121))
_NO_CREDENTIALS = frozenset(
    (
        "NoCredentialsError",
        "PartialCredentialsError",
        "ProfileNotFound",
        "CredentialRetrievalError",
        "DefaultCredentialsError",
        "RefreshError",
        "CredentialUnavailableError",
        "ClientAuthenticationError",
    )
)
_CREDENTIALS = {
    "s3": "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE; for a public bucket set "
    "FSSPEC_S3_ANON=true.",
    "gs": "Set GOOGLE_APPLICATION_CREDENTIALS, or log in: gcloud auth application-default login; for a public bucket "
    "set FSSPEC_GS_TOKEN=anon.",
    "az": "Set AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME with AZURE_STORAGE_ACCOUNT_KEY or "
    "AZURE_STORAGE_SAS_TOKEN.",
    "web": "Put them into the URL (https://user:password@server/file) or use a signed URL; neither is stored or shown.",
}


class Changed(Exception):
    """A remote file is no longer what it was when it was looked at."""


class Status(Exception):
    """What a web server answered instead of the file."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the server answered {code}")
        self.code = code


def with_tries(
    action: Callable[[], T], address: Address, verb: str = "read", *, passing: tuple[type[Exception], ...] = ()
) -> T:
    """Do it, again after a pause where a connection was lost or the store is busy; what stays wrong is a UserError with
    the URL.

    ``passing``: errors that are somebody else's to deal with.
    """
    tries: Sequence[float | None] = (*PAUSES, None)
    for pause in tries:
        try:
            return action()
        except UserError:
            raise
        except Exception as error:
            if isinstance(error, passing):
                raise
            if pause is None or not is_transient(error):
                if not _is_known(error):
                    raise
                raise user_error(error, address, verb, len(tries) if pause is None else 1) from error
            time.sleep(pause)
    raise AssertionError("unreachable")


def is_transient(error: BaseException) -> bool:
    """Whether another try may go better."""
    code = _code(error)
    if code:
        return code in (408, 429) or code >= 500
    if isinstance(error, FileNotFoundError | PermissionError) or _NO_CREDENTIALS & _names(error):
        return False
    return bool(_TRANSIENT & _names(error)) or (isinstance(error, OSError) and error.errno in _BUSY)


def user_error(error: BaseException, address: Address, verb: str, tries: int = 1) -> UserError:
    """The failure in words: what, where, what to do. Nothing of it is secret."""
    code, shown = _code(error), address.shown
    credentials = _CREDENTIALS[address.kind]
    if _NO_CREDENTIALS & _names(error) or code == 401 or "Must provide either a connection_string" in str(error):
        return UserError(f"cannot {verb} {shown}: there are no valid credentials for it", hint=credentials)
    if isinstance(error, PermissionError) or code == 403:
        also = "The store answers this for a name that does not exist too, where it may not be listed. "
        return UserError(f"cannot {verb} {shown}: access is denied (403)", hint=also + credentials)
    if isinstance(error, FileNotFoundError) or code in (404, 410):
        return UserError(f"cannot {verb} {shown}: there is nothing there ({code or 404})", hint="Check the URL.")
    if isinstance(error, Changed):
        hint = "Wait until it has been written completely, then try again."
        return UserError(f"cannot {verb} {shown}: it changes while it is read", hint=hint)
    if code:
        return UserError(f"cannot {verb} {shown}: the server answered {code}{_after(tries)}")
    said = hidden(" ".join(str(error).split()))[:300] or type(error).__name__
    if is_transient(error):
        hint = "Check the network and the address of the store."
        return UserError(f"cannot {verb} {shown}: the connection was lost{_after(tries)} ({said})", hint=hint)
    return UserError(f"cannot {verb} {shown}: {said}")


def _after(tries: int) -> str:
    return f" in each of {tries} tries" if tries > 1 else ""


def _names(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _code(error: BaseException) -> int:
    """The HTTP status that an error tells; 0 when it tells none."""
    for name in ("code", "status_code", "status"):
        value = getattr(error, name, None)
        if isinstance(value, str) and value.isdigit():
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return 0


_OURS = frozenset(("TypeError", "AttributeError", "KeyError", "IndexError", "NameError", "AssertionError"))


def _is_known(error: BaseException) -> bool:
    """Whether an error came from the store or the network; what is left is a bug and shows as one."""
    return type(error).__name__ not in _OURS
