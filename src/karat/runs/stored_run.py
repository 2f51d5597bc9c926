"""What a stored run was started with, read back: its cases and its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

import msgspec

from karat.core.bulk.cases import held_cases
from karat.core.problems import UserError, count_of
from karat.core.records import AnyCase
from karat.core.suite import Suite
from karat.store.records import run_name

if TYPE_CHECKING:
    from karat.store.leases.leases import Lease
    from karat.store.store import Store

Settings = TypeVar("Settings", bound=msgspec.Struct)


def stored_cases(store: Store, run_id: int, suite: Suite) -> Sequence[AnyCase]:
    """The cases as they were when the run was started."""
    lease = store.lease(run_id)  # read first: the holder of the run may have stored missing cases since
    try:
        decoded = (case for chunk in store.case_chunks(run_id) for case in suite.decode_cases(chunk))
        cases = held_cases(decoded, suite.target)
    except msgspec.DecodeError as error:
        raise _unreadable(run_id, "cases", error) from error
    wanted = store.run(run_id).cases
    if not cases or len(cases) < wanted:
        raise _incomplete(run_id, lease, len(cases), wanted)
    return cases


def _incomplete(run_id: int, lease: Lease | None, there: int, wanted: int) -> UserError:
    """A run without all its cases: another process stores them just now, or was stopped while it did."""
    if lease is not None and not lease.over:
        message = f"{run_name(run_id)} is only being started: {lease.holder.shown} is storing its cases"
        done = f"{there:,} of {count_of(wanted, 'case is', 'cases are')} stored."
        return UserError(message, hint=f"{done} Try again when it has begun to call.")
    again = "It was stopped before its first call: start it again."
    if not there:
        return UserError(f"the run {run_name(run_id)} has no stored cases", hint=again)
    return UserError(f"the run {run_name(run_id)} has only {there:,} of its {count_of(wanted, 'case')}", hint=again)


def stored_settings(run_id: int, what: str, values: object, kind: type[Settings]) -> Settings:
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        raise _unreadable(run_id, what, error) from error


def _unreadable(run_id: int, what: str, error: Exception) -> UserError:
    hint = (
        "This part of the store is damaged. The answers can still be saved: "
        f"karat export {run_name(run_id)} --predictions FILE."
    )
    return UserError(f"the stored {what} of {run_name(run_id)} cannot be read: {error}", hint=hint)
