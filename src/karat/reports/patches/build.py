"""From reviews to changed case files: which answers go into their cases, which reviews become comments, and which stay
out, with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.case_checks import Edit
from karat.core.problems import UserError
from karat.core.records import AnyCase, Prediction, default_turn, truth_hash
from karat.core.suite import Suite, SuiteOptions
from karat.reports.patches.comments import Comment, has_comments, standing, with_comments
from karat.reports.patches.file_edits import ChangedFiles
from karat.reports.patches.head import Reviewed, comment_text
from karat.store.verdicts.reviews import Review

RIGHT_ALREADY = "the rule already counts the answer as right"
CHANGED = "the case has changed since the run"
GONE = "the case is no longer in the files"
NO_ALTERNATIVES = "cases of this suite cannot list other right answers"
NOTED_ALREADY = "the comment already exists"
NO_PLACE = "no comment can be placed above the case"


class Patching(msgspec.Struct, frozen=True):
    """Everything that is known of the cases: as they are in their files now, as they were in the run, and what was
    answered."""

    suite: Suite
    options: SuiteOptions
    base: Path
    """The folder that holds the case files."""
    now: Mapping[str, AnyCase]
    then: Mapping[str, AnyCase]
    answers: Mapping[str, Sequence[Prediction]]

    def patched(self, reviews: Sequence[Review], folder: Path) -> tuple[tuple[Reviewed, ...], ChangedFiles]:
        """What becomes of each review, and the files with the changes.

        Comments are put in first, for their lines are those of the files as they are. Which reviews become comments is
        known only when every answer has been tried, so that is done twice: on the files as they are, each by itself;
        then one after the other.
        """
        untouched = ChangedFiles(self.base, folder / "untouched")
        tried = [self._tried(review, untouched) for review in reviews]
        files = ChangedFiles(self.base, folder / "changed")
        noted = self._noted(tried, files)
        return tuple(self._accepted(one, files) if one.fate == "accepted" else one for one in noted), files

    # -- accepted answers ---------------------------------------------------------------------------------------------

    def _tried(self, review: Review, files: ChangedFiles) -> Reviewed:
        """What is to become of a review."""
        case = self.now.get(review.case_id)
        if case is None:
            return Reviewed(review, "left_out", GONE)
        if review.verdict != "accept":
            return Reviewed(review, "noted")
        try:
            edits = [self._edits(case, turn, files) for turn in case.target_turns]
        except UserError as error:
            return (
                Reviewed(review, "left_out", CHANGED)
                if self._changed(case)
                else Reviewed(review, "noted", _said(error))
            )
        if not any(edits):
            return Reviewed(review, "left_out", RIGHT_ALREADY)
        return Reviewed(review, "left_out", CHANGED) if self._changed(case) else Reviewed(review, "accepted")

    def _changed(self, case: AnyCase) -> bool:
        """Whether the case expects something else than it did in the run."""
        old = self.then.get(case.id)
        return old is None or truth_hash([case], self.suite.truth) != truth_hash([old], self.suite.truth)

    def _edits(self, case: AnyCase, turn: int, files: ChangedFiles) -> tuple[Edit, ...]:
        """What to change so that the answer to a turn is right; nothing when it is already. Raises UserError."""
        if self.suite.accept is None:
            raise UserError(NO_ALTERNATIVES)
        given = [one for one in self.answers.get(case.id, ()) if _turn(one, case) == turn]
        answered = [one for one in given if one.error is None]
        if not answered:
            raise UserError("there is no answer to accept: " + ("the call failed" if given else "none was given"))
        file = files.copy_of(Path(case.source.file))
        copied = msgspec.structs.replace(case, source=msgspec.structs.replace(case.source, file=str(file)))
        each = dict.fromkeys(tuple(self.suite.accept(copied, one, file, self.options)) for one in answered)
        each.pop((), None)
        if len(each) > 1:
            raise UserError(f"{len(answered)} tries gave different answers, and the review does not say which is meant")
        return next(iter(each), ())

    def _accepted(self, one: Reviewed, files: ChangedFiles) -> Reviewed:
        """The review with its changes made in the files; with none of them where one turn of several cannot be
        changed."""
        case = self.now[one.review.case_id]
        before = files.held()
        try:
            for turn in case.target_turns:
                files.write(self._edits(case, turn, files))
        except UserError as error:
            files.go_back(before)
            return Reviewed(one.review, "left_out", _said(error))
        return one

    # -- comments -----------------------------------------------------------------------------------------------------

    def _noted(self, reviews: Sequence[Reviewed], files: ChangedFiles) -> list[Reviewed]:
        """The reviews, with a comment in the file for each that is to be noted and can be."""
        by_file: dict[str, list[Reviewed]] = {}
        for one in reviews:
            if one.fate == "noted":
                by_file.setdefault(self.now[one.review.case_id].source.file, []).append(one)
        found = {one.review.id: one for name, held in by_file.items() for one in self._noted_in(name, held, files)}
        return [found.get(one.review.id, one) for one in reviews]

    def _noted_in(self, name: str, held: Sequence[Reviewed], files: ChangedFiles) -> list[Reviewed]:
        """The reviews of one file, after their comments were put there."""
        file = Path(name)
        if not has_comments(name):
            return [_left_out(one, f"{file.name} cannot contain comments") for one in held]
        try:
            copy = files.copy_of(file)
        except UserError as error:
            return [_left_out(one, _said(error)) for one in held]
        comments = [(one, Comment(self._line(one), one.review.case_id, comment_text(one))) for one in held]
        data = copy.read_bytes()
        there = standing(data, [comment for _, comment in comments])
        fresh = [(one, comment) for one, comment in comments if comment not in there]
        wanted = [comment for one, comment in fresh if not self._changed(self.now[one.review.case_id])]
        data, refused = with_comments(data, name, wanted)
        files.write((Edit(copy, data),))
        found = []
        for one, comment in comments:
            if comment in there:
                found.append(Reviewed(one.review, "left_out", NOTED_ALREADY))
            elif comment not in wanted:
                found.append(Reviewed(one.review, "left_out", CHANGED))
            else:
                found.append(_left_out(one, NO_PLACE) if comment in refused else one)
        return found

    def _line(self, one: Reviewed) -> int:
        return self.now[one.review.case_id].source.line


def _left_out(one: Reviewed, why: str) -> Reviewed:
    """Not in the files, for the reason that was known before, or for this one."""
    return Reviewed(one.review, "left_out", one.why or why)


def _turn(prediction: Prediction, case: AnyCase) -> int:
    return prediction.turn if prediction.turn is not None else default_turn(case)


def _said(error: UserError) -> str:
    return f"{error.message}. {error.hint}" if error.hint else error.message
