"""``karat answers``: a submission folder against gold, by both profiles."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from karat.core.case_files.drafts import without_drafts
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.remote.address import is_url
from karat.core.remote.display_names import shown
from karat.core.remote.paths import local_path, rooted_text
from karat.core.results.result import RunResult
from karat.runs.executors.choice import scoring_executor
from karat.runs.project_file.project import from_settings
from karat.suites.answers.options import Options
from karat.suites.answers.spider2.questions import with_questions
from karat.verbs.inputs.loading import nothing_read
from karat.verbs.inputs.projects import project_here
from karat.verbs.inputs.step_timing import step

Profile = Literal["spider2", "strict"]


class ScoredSubmission(msgspec.Struct, frozen=True):
    """The result, and how many answers are to questions that the gold does not have."""

    result: RunResult
    unknown: int


def score_submission(
    submission: Path,
    gold: Path,
    *,
    profile: Profile | None = None,
    nulls: Literal["equal", "zero"] | None = None,
    mode: Literal["results", "sql"] = "results",
    questions: Path | None = None,
    databases: str = "",
    others: Sequence[Path] = (),
    settings: Sequence[str] = (),
    workers: int | None = None,
    executor: Executor | str | None = None,
) -> ScoredSubmission:
    """Score a submission folder against gold answers. ``questions`` is Spider2's question file, which says what each
    instance asks and on which of the ``databases``; ``settings`` are further ``KEY=VALUE`` options of the suite."""
    from karat.runs.scores.run_scoring import score_recorded

    suite = load_suite("answers")
    fixed = {"databases": databases} if databases else {}
    more = [*settings, f"mode={mode}", *([f"nulls={nulls}"] if nulls else [])]
    options = from_settings(Options, more, "--option", fixed)
    submission, gold, others = local_path(submission), local_path(gold), [local_path(folder) for folder in others]
    loaded = without_drafts(suite.load_cases(gold))
    if questions is not None:
        loaded = with_questions(loaded, local_path(questions))
    if not loaded.cases:
        said = f"none of the gold in {gold} can be read" if loaded.problems else f"there is no gold in {gold}"
        hint = "To see an example, run: karat init --suite answers FOLDER"
        raise UserError(said, hint=hint, problems=loaded.problems)
    submitted = suite.read_predictions(submission)
    if not submitted.predictions:
        raise nothing_read("predictions", suite, submission, submitted.problems)
    if (
        not options.engines
        and not options.databases
        and (mode == "sql" or any(b'"kind":"sql"' in one.response for one in submitted.predictions))
    ):
        options = _with_engines_here(options, gold)
    with step("scored"), scoring_executor(suite, workers, executor) as pool:
        result = score_recorded(
            suite,
            loaded.cases,
            submitted.predictions,
            options,
            problems=(*loaded.problems, *submitted.problems),
            source=str(submission),
            executor=pool,
        )
    if profile:
        result = _judged_first_by(result, profile)
    if others:
        from karat.suites.answers.predictions import read_submission
        from karat.suites.answers.submission.cross_submission import with_suspects

        result = with_suspects(result, read_submission(submission), [read_submission(folder) for folder in others])
    unknown = {one.case_id for one in submitted.predictions} - {case.id for case in loaded.cases}
    return ScoredSubmission(result, len(unknown))


def _with_engines_here(options: Options, gold_dir: Path) -> Options:
    """The options with the engines of karat.yaml: of the suite with this gold, else of the first one that has
    engines."""
    project = project_here(None)
    if project is None:
        return options
    suites = [(entry, own) for entry, own in project.suites if isinstance(own, Options) and own.engines]
    here = _known_as(str(gold_dir))
    suites.sort(key=lambda one: _known_as(rooted_text(one[0].cases, project.root)) != here)
    if not suites:
        return options
    return replace(options, engines=suites[0][1].engines)


def _known_as(place: str) -> str:
    """A folder by the same name however it was given; a copy by its URL."""
    return place.rstrip("/") if is_url(place) else shown(str(Path(place).resolve())).rstrip("/")


def _judged_first_by(result: RunResult, profile: str) -> RunResult:
    """The result with the profile that was asked for in front, in every file that is written."""
    from karat.suites.answers.gold.headline_profile import BY_STRICT

    return replace(result, run=replace(result.run, headline=BY_STRICT if profile == "strict" else ()))
