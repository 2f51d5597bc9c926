"""What a suite is. The runner, the store, the reports and the command line know only this.

A suite is data and functions: how to load and check cases, how to read predictions, how to compare an answer with its
target, which metrics look at that comparison, how its report looks. Adding one is a folder with those functions and an
entry point in the group ``karat.suites``; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar  # Any: a plain ``Suite`` is one of any target

import msgspec

from karat.core.case_files.case_checks import CheckedCases, Edit
from karat.core.case_files.file_schemas import FileForm
from karat.core.case_files.import_rows import ImportColumns
from karat.core.case_files.loaded import CaseOrProblem, LoadedCases, LoadedPredictions, Said
from karat.core.case_form import ShowForm, no_form
from karat.core.expect.facts import NOTHING, AnswerFacts
from karat.core.explanation import Explain, unexplained
from karat.core.json_types import JsonMapping
from karat.core.metric import Comparison, Metric, in_sample
from karat.core.metrics.worked_examples import ReasonNote
from karat.core.presentation.choice import Choice
from karat.core.presentation.plain_report import plain_report
from karat.core.records import AnyCase, Case, NextCall, Prediction, any_expects, as_asked
from karat.core.suite_prompt import Prompting

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    from karat.core.case_files.case_file import CaseFile
    from karat.core.case_files.import_rows import Imported, ImportRow
    from karat.core.case_files.recorded import Recorded
    from karat.core.report import Report, Sheet
    from karat.core.results.result import CaseResult, Estimator, RepeatResult, RunResult
    from karat.core.run_notes.scores_from_notes import Noted
    from karat.core.system import SystemConfig

if TYPE_CHECKING:  # a plain ``Suite`` is one of anything; only the type checker needs to know that
    Target = TypeVarWithDefault("Target", default=Any)
    Options = TypeVarWithDefault("Options", default=Any)
else:
    Target, Options = TypeVar("Target"), TypeVar("Options")


class SuiteOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Options that every suite has. A suite's own options extend this struct.

    >>> import karat
    >>> class Options(karat.SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    ...     ignore_case: bool = True
    >>> Options(errors="zero").ignore_case
    True
    """

    errors: Literal["leave_out", "zero"] = "leave_out"
    """A failed call is counted and shown, and not averaged in; ``zero`` scores it 0."""
    today: str = ""
    """The date that relative dates such as ``$TODAY`` mean, ``YYYY-MM-DD``; the day the run was started when left
    out."""

    def __post_init__(self) -> None:
        if self.today:
            date.fromisoformat(self.today)


EXPECTATIONS = "expectations"
"""The metric by which expectations are judged. A run whose headline has it has expectations."""


class Advice(msgspec.Struct, frozen=True):
    """A finding for the terminal that only the suite can see, and the command that deals with it."""

    label: str
    text: str
    command: tuple[str, ...] = ()
    note: str = ""
    """What the reader has to fill in."""


class Unreadable(Exception):
    """A response that the suite cannot read as an answer. The case becomes an error with this text.

    >>> import karat
    >>> def compare(answer: str) -> float:
    ...     if not answer.isdigit():
    ...         raise karat.Unreadable("expected a number")
    ...     return float(answer)
    >>> compare("many")
    Traceback (most recent call last):
        ...
    karat.core.suite.Unreadable: expected a number
    """


class NotApplicable(Exception):
    """A case that cannot be judged through no fault of the answer (its gold is unreadable). It leaves every figure.

    >>> import karat
    >>> raise karat.NotApplicable("the gold file is not there")
    Traceback (most recent call last):
        ...
    karat.core.suite.NotApplicable: the gold file is not there
    """


def no_sheets(_result: RunResult, _estimate: Estimator) -> Sequence[Sheet]:
    """For a suite that counts nothing over all cases."""
    return ()


@dataclass(frozen=True)
class Suite(Generic[Target, Options, Comparison]):
    """One kind of question and answer, from files to report.

    The type checker holds the parts together: what ``compare`` returns is what the metrics take and ``details``
    describes.

    >>> from karat.core.plugins import load_suite
    >>> suite = load_suite("retrieval")
    >>> suite.name, suite.metrics[0].name
    ('retrieval', 'passed')
    """

    name: str
    summary: str
    target: type[Target]
    options: type[Options]
    metrics: tuple[Metric[Comparison], ...]
    load_cases: Callable[[Path], LoadedCases]
    read_predictions: Callable[[Path], LoadedPredictions]
    compare: Callable[[Case[Target], int, Prediction, Options], Comparison]
    """(case, user turn, prediction, options) → the comparison that the metrics look at. Pure. May raise Unreadable."""
    prepare: Callable[[Sequence[tuple[Case[Target], Sequence[Prediction]]], Options], None] | None = None
    """(some cases with their predictions, options): called before these are compared, to do together what each would do
    alone. It changes no comparison, and what goes wrong in it is left for ``compare`` to say."""
    report: Callable[[RunResult, Estimator], Report] = plain_report
    """A row for each case with its metrics, the averages and what failed, unless the suite has more to tell."""
    details: Callable[[Sequence[tuple[int, Comparison]]], msgspec.Struct | JsonMapping] = lambda _turns: {}
    """What is kept of a case's (user turn, comparison) pairs. Its JSON form is ``cases[].details``."""
    explain: Explain = unexplained
    """(details, target) → what people are shown of the case, see ``core.explanation``."""
    form: ShowForm = no_form
    """(details, target, answer) → how the case is drawn where it is opened, see ``core.case_form``. Only called then.
    None: from the explanation."""
    headline: Callable[[Sequence[Case[Target]]], Sequence[str]] = lambda _: ()
    """The names of the metrics that these cases are judged by first, where that depends on the cases; empty: those that
    say so themselves."""
    example: Path | None = None
    """A folder with a project to start from: a ``karat.yaml``, cases, and recorded answers or a system. ``karat init
    --suite NAME`` copies it."""
    rubric: str = ""
    """What is right, for a judge that is asked where no rule decides; empty: a general text."""
    placeholder_answer: str = ""
    """An answer in the right form that says nothing, for the assistant that ``karat init`` writes."""
    cpu_heavy: bool = False
    """Score on a process pool by default."""
    check_cases: Callable[[Sequence[Case[Target]], Sequence[Path], Options], CheckedCases] = (
        lambda _cases, _paths, _options: CheckedCases()
    )
    """(cases, structure files, options) → findings that reading the files alone does not give."""
    truth: Callable[[Case[Target]], object] = as_asked
    """What is asked and expected of a case, for the hash of the truth set; the conversation with its targets by
    default."""
    short_keys: Mapping[str, str] = field(default_factory=dict)
    """Keys that an entry of karat.yaml may have for this suite: ``cases`` under another name (``questions: cases``), or
    an option (``databases: options``)."""
    recognises: Callable[[Path], bool] = lambda _: False
    """Whether a path looks like cases of this suite, for ``karat check PATH``."""
    highlights: Callable[[RunResult], Sequence[str]] = lambda _: ()
    """Lines for the terminal that only this suite can say."""
    advice: Callable[[RunResult, str], Sequence[Advice]] = lambda _result, _cases: ()
    """(result, the path of its cases where it is known) → what to do about it."""
    run_sheets: Callable[[RunResult, Estimator], Sequence[Sheet]] = no_sheets
    """The sheets of the report that say over all cases where answers go wrong. Pages of a run draw their matrices,
    their bars with intervals and their ``swaps``."""
    figures: Callable[[RunResult, Estimator], JsonMapping] = lambda _result, _estimate: {}
    """What only this suite counts over a whole run, by name, as plain JSON values."""
    reasons: tuple[str, ...] = ()
    """The closed list of reasons why a case is not right, for gates: ``SUITE.reason.CODE``."""
    reason_notes: Mapping[str, ReasonNote] = field(default_factory=dict)
    """Reason → what it means, what usually causes it, and an example, for ``karat explain``."""
    group_notes: Mapping[str, ReasonNote] = field(default_factory=dict)
    """Notes on failure groups and report notes that are no reasons, by name; ``…`` in a name stands for a part of the
    answer."""
    worked_examples: Path | None = None
    """A JSON file of cases with answers and the value of each metric, for ``karat explain``; see
    ``core.metrics.worked_examples``."""
    reasons_of: Callable[[CaseResult | RepeatResult], Sequence[str]] = lambda _: ()
    """Which of them a case has; also for one that failed."""
    notes: Callable[[], Mapping[str, type[msgspec.Struct]]] = dict
    """The notes that a run of this suite may have, name → struct: what belongs to a run as a whole and to none of its
    cases. Its systems bring them, its report finds them in ``RunResult.notes``, and its ``read_predictions`` reads back
    the line of an export; see ``core.run_notes.notes``."""

    noted: Callable[[JsonMapping], Noted | None] = lambda _: None
    """(the notes of a run) → scores of its cases that only the notes can give.
    See ``core.run_notes.scores_from_notes``."""

    choice: Callable[[RunResult], Choice | None] = lambda _: None
    """How the settings of a run were chosen under a budget, from its notes and cases, for pages that draw it; None
    where nothing was chosen. See ``core.presentation.choice``."""

    extras: Callable[[Sequence[Case[Target]], Options], Sequence[str]] = lambda _cases, _options: ()
    """(cases, options) → the extras (``core.installed.extras``) without which these cases cannot be scored; asked for
    before anything runs."""
    needed_options: Callable[[Sequence[Case[Target]], Options], Sequence[str]] = lambda _cases, _options: ()
    """(cases, options) → the names of options that have no value, and without which these cases cannot be scored."""
    check_options: Callable[[Sequence[Case[Target]], Options], None] = lambda _cases, _options: None
    """(cases, options) → UserError where a file that the options name cannot be used; asked before anything runs."""
    files: Callable[[Case[Target], Sequence[Prediction], Options], Iterable[str]] = lambda _case, _given, _options: ()
    """(case, its predictions, options) → the files that ``compare`` reads, so that a worker on another machine can say
    which one it does not have. Only files that the user named, never one that a system's answer names."""
    perfect: Callable[[Case[Target], int, Options], Sequence[Comparison]] = lambda _case, _turn, _options: ()
    """(case, user turn, options) → the comparisons of answers that are right in everything. A metric without a value in
    all of them is one that the case cannot have, so that a failed call does not count 0 there. Empty: the case can have
    every metric."""
    answer_facts: Callable[[Case[Target], int, Prediction, Options], AnswerFacts] = (
        lambda _case, _turn, _prediction, _options: NOTHING
    )
    """(case, user turn, prediction, options) → what only the suite can read from an answer, for the expectations of the
    turn (``Turn.expect``): its SQL, the datasets it selects, whether it refuses. May raise Unreadable."""
    cluster: Callable[[Case[Target]], str] = lambda case: case.cluster
    """What cases that are variants of one have in common; empty: the case is alone. See
    ``core.results.clusters``."""
    group: Callable[[Case[Target], Options], str] | None = None
    """(case, options) → what cases have in common that are best scored one after the other, such as a server that has
    to be started. It changes no result and no order of results."""
    follow_up: Callable[[Case[Target], int, Sequence[bytes], Options], str | None] | None = None
    """(case, user turn, responses so far, options) → what to say to the system next, such as an error to fix; None: its
    answer is final. All responses to a turn are one prediction, see ``records.join_attempts``."""
    next_call: Callable[[Case[Target], int, bytes, Options], NextCall | None] = (
        lambda _case, _turn, _response, _options: None
    )
    """(case, user turn, all responses so far, options) → what to ask beside the answer once that is final, to compare
    ways of asking again; None: nothing more. See ``records.Branch``."""
    spent: Callable[[Prediction, Options], str] = lambda _prediction, _options: ""
    """(all responses to a turn so far, options) → the budget that they have used up, so that the system is not asked
    again; empty: it may go on."""
    default_system: Callable[[Path, Options], SystemConfig | None] = lambda _path, _options: None
    """(cases, options) → what answers the cases when no system and no predictions are named; None: somebody must be
    named."""

    cases_from: Callable[[Sequence[JsonMapping], Path], LoadedCases] | None = None
    """(cases as Python values, the folder that file names in them are relative to) → cases. The line of a problem is
    the number of its case, from 1. None: the cases of this suite come from files only."""
    predictions_from: Callable[[Sequence[JsonMapping], Path], LoadedPredictions] | None = None
    """The same for recorded predictions. None: they are read as the lines of a JSONL file."""
    stream_cases: Callable[[Path], Iterator[CaseOrProblem]] | None = None
    """What ``load_cases`` loads, one case or problem after the other, so that a file of a million cases need not be
    held. None: ``load_cases`` is asked for all of them."""
    stream_predictions: Callable[[Path], Iterator[Said]] | None = None
    """The same for ``read_predictions``: answers, problems, and notes of the run as a mapping."""
    pair: Callable[[Sequence[Case[Target]], LoadedPredictions], LoadedPredictions] | None = None
    """(all cases, recorded predictions) → the same predictions with the ids of their cases, for files that name rows
    and not ids. None: predictions name their cases."""
    prompting: Prompting = field(default_factory=Prompting)
    """The default prompt, and what prompt templates of live systems can use."""
    understand: Callable[[bytes, Options], JsonMapping] | None = None
    """(response, options) → what the suite reads from one response, as plain JSON values, for ``karat check
    --response``. May raise Unreadable."""

    accept: Callable[[Case[Target], Prediction, Path, Options], Sequence[Edit]] | None = None
    """(case, the answer that a person accepts, the path of the cases, options) → what to change in the case files so
    that the answer is right by the rule too, and the old ones stay so. Reads files, writes none. May raise UserError
    where it cannot be said there."""

    case_forms: tuple[FileForm, ...] = ()
    """The forms of an entry of a case file, for the JSON Schema that editors use. None: any object."""
    prediction_forms: tuple[FileForm, ...] = ()
    """The same for a line of recorded predictions."""
    covers: Callable[[Case[Target], Options], Mapping[str, Iterable[str]]] = lambda _case, _options: {}
    """(case, options) → kind of thing → what of it the case touches (codes, tables, functions), for ``karat cases
    coverage``."""
    coverable: Callable[[Sequence[Case[Target]], Options], Mapping[str, Iterable[str]]] = lambda _cases, _options: {}
    """(cases, options) → kind of thing → all that there is of it, where the suite knows."""
    entry: Callable[[Case[Target]], JsonMapping] | None = None
    """(case) → the same as an entry that ``add_entries`` takes, where a case is not in one piece in its file. None, or
    an empty one: it is."""
    add_entries: Callable[[Path, Sequence[JsonMapping]], Mapping[Path, bytes]] | None = None
    """(path of the cases, new entries) → what to change in which files, where a case is not in one piece. None, or an
    empty one: it is added to its file."""
    try_target: Callable[[Case[Target], Options], str] = lambda _case, _options: ""
    """(case, options) → why its target cannot be right, found by executing it or by looking it up; empty where nothing
    is wrong. Asked of every draft before it is written."""
    status_file: Callable[[Case[Target]], tuple[Path, int]] | None = None
    """(case) → the JSONL file and the line that hold its ``status``, where that is not where the case itself is."""

    case_file: Callable[[Sequence[JsonMapping]], CaseFile | None] | None = None
    """(stored cases as JSON values) → the same as a case file of the suite. None: its cases are not one by one in
    a text file."""

    import_columns: ImportColumns = field(default_factory=ImportColumns)
    """The columns that ``karat import`` looks for, beside those that every suite has."""
    import_rows: Callable[[Sequence[ImportRow], Path], Imported] | None = None
    """(rows of a foreign file, the folder of that file) → cases and predictions in the suite's own form, for ``karat
    import``."""

    notebook: Callable[[CaseResult], JsonMapping | None] | None = None
    """A judged case as a Jupyter notebook (nbformat 4), for ``karat export --notebook``; None: it has no
    answer."""
    export_row: Callable[[Case[Target], int, Prediction | None, Options], JsonMapping] | None = None
    """(case, user turn, the answer to it where there is one, options) → ``expected``, ``reference`` and ``answer`` as
    cells that ``import_rows`` reads back, and ``error`` where the answer cannot be read."""

    export_predictions: Callable[[Sequence[Prediction], JsonMapping], Recorded] | None = None
    """(answers of a run, the options it was scored with) → the files that ``read_predictions`` reads back, for ``karat
    export --predictions``. None: one JSON line per answer."""

    def metrics_for(self, headline: Sequence[str]) -> tuple[Metric[Comparison], ...]:
        """The metrics as a run has them (``RunInfo.headline``): these first, in this order, and no others as
        headlines."""
        usual = [metric for metric in self.metrics if not metric.noted or metric.name in headline]
        if EXPECTATIONS in headline:
            from karat.core.expect.metrics import METRICS

            usual += METRICS
        known = {metric.name: in_sample(metric, headline) for metric in usual}
        first = [replace(known[name], headline=True) for name in headline if name in known]
        if not first:
            return tuple(usual)
        return (*first, *(replace(known[one.name], headline=False) for one in usual if one.name not in headline))

    def headline_of(self, cases: Sequence[Case[Target]]) -> tuple[str, ...]:
        """The names of the metrics that a run of these cases is judged by first; empty: those that say so themselves.
        With them the run says that its cases have expectations."""
        own = tuple(self.headline(cases))
        if not any_expects(cases):
            return own
        if not any(turn.target is not None for case in cases for turn in case.conversation):
            return (EXPECTATIONS,)
        return (*(own or tuple(metric.name for metric in self.metrics if metric.headline)), EXPECTATIONS)

    def each_case(self, path: Path) -> Iterator[CaseOrProblem]:
        """Every case under a path and every problem, one by one where the suite can."""
        if self.stream_cases is not None:
            return self.stream_cases(path)
        loaded = self.load_cases(path)
        return iter((*loaded.cases, *loaded.problems))

    def each_prediction(self, path: Path) -> Iterator[Said]:
        """The same for recorded answers, with the traces that lie beside them, and what is said of their run."""
        from karat.core.trace.files import with_traces

        if self.stream_predictions is not None:
            return with_traces(self.stream_predictions(path), path)
        loaded = self.read_predictions(path)
        said: tuple[Said, ...] = (*loaded.predictions, *loaded.problems, *((loaded.notes,) if loaded.notes else ()))
        return with_traces(said, path)

    def decode_cases(self, data: Iterable[bytes]) -> tuple[Case[Target], ...]:
        """Cases as the store keeps them, back as structs."""
        kind = Case[self.target]  # type: ignore[name-defined]  # a run-time type
        decoder: msgspec.json.Decoder[AnyCase] = msgspec.json.Decoder(kind)
        return tuple(decoder.decode(item) for item in data)
