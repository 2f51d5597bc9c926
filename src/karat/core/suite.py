"""What a metric is and what a suite is. The runner, the store, the reports and the command line know only this.

A suite is data and functions: how to load and check cases, how to read predictions, how to compare an answer with its
target, which metrics look at that comparison, how its report looks. Adding one is a folder with those functions and an
entry point in the group ``karat.suites``; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from karat.core.problems import Problem
from karat.core.prompting import Prompting
from karat.core.records import Case, Prediction, as_asked
from karat.core.scores import Score

if TYPE_CHECKING:
    from karat.core.importing import Imported, ImportRow
    from karat.core.report import Report
    from karat.core.result import Estimator, RunResult
    from karat.core.system import SystemConfig

Kind = Literal["share", "rate", "quantity"]
"""``share``: a number in 0…1. ``rate``: 0 or 1 a case, so the mean is a pass rate. ``quantity``: seconds, tokens, money."""


@dataclass(frozen=True)
class Metric:
    """A named number of one comparison, with its whole meaning in ``formula``."""

    name: str
    title: str
    formula: str
    score: Callable[[Any], Score]
    kind: Kind = "share"
    higher_is_better: bool = True
    headline: bool = False
    """Shown in the terminal's table; the others are in the reports."""
    zero_on_error: bool = True
    """Whether ``errors: zero`` gives a failed call 0 here. False where the case may not ask for this at all."""
    counts_all: bool = False
    """A failed or missing answer is simply not right here: it counts 0, so that the mean is over all cases."""
    noise: float = 0.0
    """How far apart the values of one case may be when nothing has changed: more than 0 where time is measured."""


class SuiteOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options that every suite has. A suite's own options extend this struct."""

    errors: Literal["leave_out", "zero"] = "leave_out"
    """A failed call is counted and shown, and not averaged in; ``zero`` scores it 0."""
    today: str = ""
    """The date that relative dates such as ``$TODAY`` mean, ``YYYY-MM-DD``; the day the run was started when left out."""

    def __post_init__(self) -> None:
        if self.today:
            date.fromisoformat(self.today)


class LoadedCases(msgspec.Struct, frozen=True):
    """Every case that could be read, every problem of every file, and how many files there were."""

    cases: tuple[Case[Any], ...]
    problems: tuple[Problem, ...] = ()
    files: int = 0


GIVEN = "given"
"""Stands for the file of cases that were given as Python values."""


class LoadedPredictions(msgspec.Struct, frozen=True):
    """Every prediction that could be read, and every problem."""

    predictions: tuple[Prediction, ...]
    problems: tuple[Problem, ...] = ()


class Fix(msgspec.Struct, frozen=True):
    """A replacement of one scalar in one case file, addressed by its path in the document."""

    file: str
    document: int
    path: tuple[str | int, ...]
    old: str
    new: str


class Edit(msgspec.Struct, frozen=True):
    """A new content for one file. A file that is not there yet is made."""

    file: Path
    content: bytes


class CheckedCases(msgspec.Struct, frozen=True):
    """What a check against the outside world (codelists, gold files) found, and what it could mend."""

    problems: tuple[Problem, ...] = ()
    fixes: tuple[Fix, ...] = ()


class Unreadable(Exception):
    """A response that the suite cannot read as an answer. The case becomes an error with this text."""


class NotApplicable(Exception):
    """A case that cannot be judged through no fault of the answer (its gold is unreadable). It leaves every figure."""


@dataclass(frozen=True)
class Suite:
    """One kind of question and answer, from files to report."""

    name: str
    summary: str
    target: type[msgspec.Struct]
    options: type[SuiteOptions]
    metrics: tuple[Metric, ...]
    load_cases: Callable[[Path], LoadedCases]
    read_predictions: Callable[[Path], LoadedPredictions]
    check_cases: Callable[[Sequence[Case[Any]], Sequence[Path], Any], CheckedCases]
    """(cases, structure files, options) → findings."""
    compare: Callable[[Case[Any], int, Prediction, Any], Any]
    """(case, user turn, prediction, options) → the comparison that the metrics look at. Pure. May raise Unreadable."""
    details: Callable[[Sequence[tuple[int, Any]]], Mapping[str, Any]]
    """What a report tells of a case: its (user turn, comparison) pairs as plain JSON values."""
    report: Callable[[RunResult, Estimator], Report]
    cpu_heavy: bool = False
    """Score on a process pool by default."""
    truth: Callable[[Case[Any]], Any] = as_asked
    """What is asked and expected of a case, for the hash of the truth set; the conversation with its targets by default."""
    recognises: Callable[[Path], bool] = lambda _: False
    """Whether a path looks like cases of this suite, for ``karat check PATH``."""
    highlights: Callable[[RunResult], Sequence[str]] = lambda _: ()
    """Lines for the terminal that only this suite can say."""
    figures: Callable[[RunResult, Estimator], Mapping[str, Any]] = lambda _result, _estimate: {}
    """What only this suite counts over a whole run, by name, as plain JSON values."""

    extras: Callable[[Sequence[Case[Any]], Any], Sequence[str]] = lambda _cases, _options: ()
    """(cases, options) → the extras (``core.extras``) without which these cases cannot be scored; asked for before anything runs."""
    cluster: Callable[[Case[Any]], str] = lambda _: ""
    """What cases that are variants of one have in common; empty: the case stands alone. See ``core.clusters``."""
    follow_up: Callable[[Case[Any], int, Sequence[bytes], Any], str | None] | None = None
    """(case, user turn, responses so far, options) → what to say to the system next, such as an error to mend; None: its answer stands.
    All responses to a turn are one prediction, see ``records.join_attempts``."""
    default_system: Callable[[Path, Any], SystemConfig | None] = lambda _path, _options: None
    """(cases, options) → what answers the cases when no system and no predictions are named; None: somebody must be named."""

    cases_from: Callable[[Sequence[Mapping[str, Any]], Path], LoadedCases] | None = None
    """(cases as Python values, the folder that file names in them are relative to) → cases. The line of a problem is the number of its case,
    from 1. None: the cases of this suite come from files only."""
    predictions_from: Callable[[Sequence[Mapping[str, Any]], Path], LoadedPredictions] | None = None
    """The same for recorded predictions. None: they are read as the lines of a JSONL file."""
    prompting: Prompting = field(default_factory=Prompting)
    """The default prompt, and what prompt templates of live systems can use."""
    understand: Callable[[bytes, Any], Mapping[str, Any]] | None = None
    """(response, options) → what the suite reads from one response, as plain JSON values, for ``karat check --response``. May raise
    Unreadable."""

    accept: Callable[[Case[Any], Prediction, Path, Any], Sequence[Edit]] | None = None
    """(case, the answer that a person accepts, the path of the cases, options) → what to change in the case files so that the answer is
    right by the rule too, and the old ones stay so. Reads files, writes none. May raise UserError where it cannot be said there."""

    import_rows: Callable[[Sequence[ImportRow], Path], Imported] | None = None
    """(rows of a foreign file, the folder of that file) → cases and predictions in the suite's own form, for ``karat import``."""

    export_row: Callable[[Case[Any], Prediction | None], Mapping[str, Any]] | None = None
    """(case, its answer where there is one) → ``expected``, ``reference`` and ``answer`` as cells that ``import_rows`` reads back."""

    def decode_cases(self, data: Sequence[bytes]) -> tuple[Case[Any], ...]:
        """Cases as the store keeps them, back as structs."""
        decoder: msgspec.json.Decoder[Case[Any]] = msgspec.json.Decoder(Case[self.target])  # type: ignore[name-defined]
        return tuple(decoder.decode(item) for item in data)
