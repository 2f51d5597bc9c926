"""Live use: an application that writes code for its own users has every generation scored and kept.

    session = karat.Session("2024-11-ana")
    session.record("What is the total price?", code, {"sales": "sales.csv"})

Under ``chat_history/{session_id}/`` lie ``metrics.json``, a list with an entry for each generation, and
``metrics_summary.json``. Several processes may record at once: a lock file orders them, and each file is replaced in
one step, so that a crash leaves the one before. A file that cannot be read is set aside under another name and named in
the error; nothing is ever written over it. A list with an entry of another shape stays as it is: nothing is recorded
until it is fixed.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.core.suite import NotApplicable
from karat.suites.codegen.comparison import Comparison, judged
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Cell, Expected, TableSource, Task
from karat.suites.codegen.running.code_blocks import code_in
from karat.suites.codegen.running.environments import box_for

METRICS_FILE = "metrics.json"
SUMMARY_FILE = "metrics_summary.json"
LOCK_FILE = ".lock"
LONGEST_ID = 128

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]*")

Tables = Mapping[str, str | Path | Mapping[str, Sequence[Cell]]]


class Session:
    """The generations of one conversation, scored as they come.

    >>> import karat
    >>> session = karat.Session("first", root="doctest_sessions")
    >>> session.entries()
    []
    """

    def __init__(self, session_id: str, root: str | Path = "chat_history", *, options: Options | None = None) -> None:
        self.id = _checked(session_id)
        self.folder = Path(root) / self.id
        self._options = options or Options()

    def record(
        self,
        question: str,
        code: str,
        tables: Tables,
        *,
        attempts: Sequence[str] = (),
        expected: object = None,
        reference: str = "",
    ) -> JsonObject:
        """Score one generation and keep its entry, which is returned.

        ``code`` is the first try, ``attempts`` are the repairs that followed it. ``expected`` is the right result: a
        value, or a table as a mapping of columns; ``reference`` is code that makes it.
        """
        question, *codes = (text.encode(errors="replace").decode() for text in (question, code, *attempts))
        task = Task(
            tables={name: _source(table) for name, table in tables.items()},
            expected=_expected(expected),
            reference=reference,
        )
        box = box_for(task, self._options)
        try:
            comparison = judged(question, task, [code_in(text) for text in codes], self._options, box, live=True)
        except NotApplicable as error:
            raise UserError(f"this generation cannot be judged: {error}", hint="Fix the reference.") from error
        entry = _entry(question, comparison)
        with self._locked():
            entries = [*self._read(), entry]
            metrics, summary = _json(entries), _json(self._summary(entries))  # both are made before one is written
            write_bytes(self.folder / METRICS_FILE, metrics)
            write_bytes(self.folder / SUMMARY_FILE, summary)
        return entry

    def entries(self) -> list[JsonObject]:
        """Everything recorded so far, oldest first."""
        with self._locked():
            return self._read()

    def summary(self) -> JsonObject:
        """The summary of everything recorded so far."""
        return self._summary(self.entries())

    def _summary(self, entries: Sequence[Json]) -> JsonObject:
        try:
            return summary_of(entries)
        except msgspec.ValidationError as error:
            raise UserError(
                f"{self.folder / METRICS_FILE}: {error}",
                hint="Nothing was recorded, and the file is as it was. Fix or remove that entry, move the file away, "
                "or use another session id.",
            ) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """One writer at a time, also between processes; the lock goes with the process that held it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = (self.folder / LOCK_FILE).open("a")
        except OSError as error:
            raise UserError(f"cannot write to {self.folder}: {error.strerror or error}") from error
        with handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield

    def _read(self) -> list[JsonObject]:
        """The entries on disk. What is no list of entries is set aside, and said."""
        file = self.folder / METRICS_FILE
        try:
            return msgspec.json.decode(file.read_bytes(), type=list[Json])
        except FileNotFoundError:
            return []
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            aside = _aside(file)
            file.rename(aside)
            raise UserError(
                f"{file} could not be read and was set aside as {aside.name}: {error}",
                hint="Nothing was recorded. Fix that file and rename it back, or record again to start a new one.",
            ) from error
        except OSError as error:
            raise UserError(f"cannot read {file}: {error.strerror or error}") from error


class _Understanding(msgspec.Struct):
    understanding_score: float


class _Coverage(msgspec.Struct):
    coverage_score: float


class _Recovery(msgspec.Struct):
    has_error: bool
    recovery_success: bool | None = None
    recovery_attempts_count: int = 0
    recovery_score: float | None = None


class _Entry(msgspec.Struct):
    """What the summary needs of an entry. Whatever else it holds is left alone."""

    prompt_understanding: _Understanding
    requirement_coverage: _Coverage
    error_recovery: _Recovery
    overall_score: float | None = None


def summary_of(entries: Sequence[JsonMapping]) -> JsonObject:
    """The contract's summary. An average without a value is null; so is the rate when there was no error."""
    found = [_summed(entry, number) for number, entry in enumerate(entries, 1)]
    recoveries = [entry.error_recovery for entry in found if entry.error_recovery.has_error]
    recovered = sum(bool(recovery.recovery_success) for recovery in recoveries)
    return {
        "summary": {
            "average_understanding_score": _mean([entry.prompt_understanding.understanding_score for entry in found]),
            "average_coverage_score": _mean([entry.requirement_coverage.coverage_score for entry in found]),
            "average_recovery_score": _mean([recovery.recovery_score for recovery in recoveries]),
            "errors_encountered": len(recoveries),
            "total_recovery_attempts": sum(recovery.recovery_attempts_count for recovery in recoveries),
            "successful_recoveries": recovered,
            "recovery_success_rate": recovered / len(recoveries) if recoveries else None,
            "average_overall_score": _mean([entry.overall_score for entry in found]),
            "entries": len(found),
        }
    }


def _summed(entry: object, number: int) -> _Entry:
    try:
        return msgspec.convert(entry, _Entry)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(f"entry {number} has the wrong shape: {error}") from error


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _entry(question: str, comparison: Comparison) -> JsonObject:
    plain = msgspec.to_builtins
    last = comparison.last
    result = comparison.result
    return {
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "question": question,
        "code": last.code,
        "result_digest": hashlib.sha256(result.encode(errors="replace")).hexdigest()[:16] if last.ran else None,
        "prompt_understanding": plain(comparison.understanding),
        "requirement_coverage": plain(comparison.coverage),
        "error_recovery": plain(comparison.recovery),
        "correctness_score": comparison.correctness.score,
        "quality_score": comparison.quality.score,
        "performance_score": comparison.performance.score,
        "overall_score": comparison.overall.score,
        "left_out": dict(comparison.overall.left_out),
        "error_class": last.error_class,
        "error": last.error or None,
    }


def _checked(session_id: str) -> str:
    """The id is the name of a folder: no way out of the root, nothing hidden."""
    if not _ID.fullmatch(session_id) or len(session_id) > LONGEST_ID:
        shown = repr(session_id)[:60]
        hint = f"It is the name of a folder: letters, digits and . _ @ + -, at most {LONGEST_ID}, no leading dot."
        raise UserError(f"{shown} cannot be the id of a session", hint=hint)
    return session_id


def _source(table: str | Path | Mapping[str, Sequence[object]]) -> TableSource:
    if isinstance(table, str | Path):
        return TableSource(path=str(Path(table).resolve()))
    return TableSource(columns={str(name): list(values) for name, values in table.items()})


def _expected(right: object) -> Expected | None:
    if right is None or isinstance(right, Expected):
        return right
    if isinstance(right, Mapping) and right and all(isinstance(values, list | tuple) for values in right.values()):
        return Expected(table={str(name): list(values) for name, values in right.items()})
    return Expected(value=right)


def _aside(file: Path) -> Path:
    """A name beside the file that is not taken."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    names = (file.with_name(f"{file.stem}.unreadable-{stamp}{n}{file.suffix}") for n in ("", *range(1, 10_000)))
    return next(name for name in names if not name.exists())


def _json(value: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
