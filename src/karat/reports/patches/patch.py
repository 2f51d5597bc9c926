"""What people said of a run's cases, for the case files: as a patch to them, and as JSON lines.

The patch is a unified diff with a head in words. An answer that a person accepts goes into its case where the format
can say so (see ``Suite.accept``); a gold that is wrong is noted in a comment above its case. What cannot be said in the
files is in the head, which ``git apply`` and ``patch`` skip: nothing is lost, and nothing is silent.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.core.remote.address import is_url
from karat.core.remote.display_names import is_copy
from karat.core.remote.paths import local_path
from karat.core.results.verdicts import settled
from karat.core.suite import SuiteOptions
from karat.reports.patches.build import Patching
from karat.reports.patches.head import Reviewed, head_of
from karat.reports.patches.review_lines import CHANGES, review_lines
from karat.reports.patches.unified_diff import file_diff
from karat.store import RunRecord, Store, run_name
from karat.store.verdicts.reviews import Review, case_review

DISPUTED = "people disagree on this case, or somebody decided otherwise"

__all__ = ["Patch", "review_lines", "review_patch"]


class Patch(msgspec.Struct, frozen=True):
    """A patch to the case files, and what became of each review that asks for a change."""

    data: bytes
    """Head and diff. The diff is empty when no file changes."""
    files: tuple[str, ...]
    """The files that change, as they are named in the patch."""
    reviews: tuple[Reviewed, ...]


def review_patch(store: Store, run_id: int, *, cases: Path | None = None, root: Path | None = None) -> Patch:
    """The reviews of a run as a patch. ``cases``: where the case files are now, when they have moved.

    Paths in it are relative to ``root``, the current folder unless given; to the folder of the cases, where they lie
    elsewhere.
    """
    record = store.run(run_id)
    suite = load_suite(record.suite)
    found = store.reviews(run_id)
    wanted, disputed = _wanted(found)
    others = sum(review.verdict not in CHANGES for review in found)
    if not wanted:
        return Patch(head_of(run_name(run_id), suite.name, disputed, others), (), disputed)
    path = _case_path(cases, record.config, run_name(run_id))
    base = path if path.is_dir() else path.parent
    answers: dict[str, list[Prediction]] = {}
    for prediction in store.case_predictions(run_id, [review.case_id for review in wanted]):
        answers.setdefault(prediction.case_id, []).append(prediction)
    work = Patching(
        suite,
        _options(record, suite.options),
        base,
        {case.id: case for case in suite.load_cases(path).cases},
        {case.id: case for case in suite.decode_cases(store.cases(run_id))},
        answers,
    )
    with tempfile.TemporaryDirectory(prefix="karat-patch-") as folder:
        reviews, files = work.patched(wanted, Path(folder))
        changes = files.changes()
    reviews += disputed
    root, how = _root(base, (root or Path.cwd()).absolute())
    names = [(base / inside).relative_to(root).as_posix() for inside, _, _ in changes]
    diff = b"".join(file_diff(name, old, new) for name, (_, old, new) in zip(names, changes, strict=True))
    head = head_of(run_name(run_id), suite.name, reviews, others, how, applies=bool(diff))
    return Patch(head + diff, tuple(names), reviews)


def _wanted(found: Sequence[Review]) -> tuple[list[Review], tuple[Reviewed, ...]]:
    """(the reviews that ask for a change and count, the newest for each case; those that do not count, and why)."""
    counted = settled(map(case_review, found))
    wanted: dict[str, Review] = {}
    disputed = []
    for review in found:
        if review.verdict in CHANGES:
            if review.case_id in counted and counted[review.case_id].verdict == review.verdict:
                wanted[review.case_id] = review
            else:
                disputed.append(Reviewed(review, "left_out", DISPUTED))
    return list(wanted.values()), tuple(disputed)


def _options(record: RunRecord, kind: type[SuiteOptions]) -> SuiteOptions:
    """The options of the run, with the day that its relative dates mean."""
    options = msgspec.convert(record.options, kind)
    return options if options.today else msgspec.structs.replace(options, today=record.today)


def _case_path(cases: Path | None, config: JsonMapping, run: str) -> Path:
    """Where the case files are. Said without the folders of this machine: the message may be shown in a browser."""
    again = f"karat export {run} --cases PATH --patch cases.patch"
    if cases is not None:
        if not cases.exists():
            raise UserError(f"there are no cases at {cases}: no such file or folder")
        return cases.absolute()
    known = str(config.get("cases_path") or "")
    if not known:
        said = f"the run {run} does not say where its case files are: its cases were not read from files"
        raise UserError(said, hint=f"Say where they are: {again}")
    if is_url(known):
        return local_path(known)
    if not Path(known).exists():
        said = f'the case files of {run} have moved: "{Path(known).name}" no longer exists'
        raise UserError(said, hint=f"Say where they are now: {again}")
    return Path(known).absolute()


def _root(base: Path, root: Path) -> tuple[Path, str]:
    """What the paths are relative to, and how to apply the patch: ``git apply`` counts from the top of its
    repository."""
    inside = base.is_relative_to(root) and not is_copy(base)
    root = root if inside else base
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    option = f"--directory={shlex.quote(root.relative_to(top).as_posix())} " if top != root else ""
    where = "project folder" if inside else f'folder of the cases, "{root.name}"'
    return root, f"Apply it in the {where}: git apply {option}FILE, or patch -p1 < FILE."
