"""An accepted answer goes into the gold of its instance.

- A table: one more gold file, with the next letter, of which any may pass. Conditions on columns are the old files'
  own; of the new file all columns count.
- A text or a number: one more entry of ``evaluation``, of which the best counts. The old entries stay as they are, so
  that they judge as before.
- What has no alternatives in the format (several files that must all pass, a DuckDB file, gold that is computed again)
  is refused in words.

Every change is judged before it is given out: the answer must be right, and every old gold file that was right must
stay so.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.case_files.case_checks import Edit
from karat.core.problems import UserError
from karat.core.records import Case, Prediction
from karat.core.suite import NotApplicable, Unreadable
from karat.suites.answers.comparison import Comparison, compare
from karat.suites.answers.gold.alternative_gold import has_table, with_table, with_text
from karat.suites.answers.gold.gold_entries import row_of, with_row
from karat.suites.answers.options import Options
from karat.suites.answers.records import Answer, Gold
from karat.suites.answers.spider2.judge import judge as judge_spider2
from karat.suites.answers.strict.judge import judge as judge_strict

States = tuple[bool, bool]
"""Right by the strict profile, right by the public evaluator."""


def accept(case: Case[Gold], prediction: Prediction, _cases: Path, options: Options) -> Sequence[Edit]:
    """The gold file and the new table, as far as they change; nothing when the answer is right already."""
    comparison = _compared(case, prediction, options)
    if comparison.queries is not None:
        if comparison.strict.state == "right":
            return ()
        hint = (
            f"To accept its query too, write both as a list in {case.source.file}:{case.source.line}: sql: [OLD, NEW]"
        )
        raise UserError(f'the gold of "{case.id}" is SQL, which Karat does not change', hint=hint)
    before = (comparison.strict.state == "right", comparison.spider2.state == "right")
    if all(before):
        return ()
    try:
        return _edits(case, comparison, before, options)
    except UserError:
        if before[0]:  # only the quirks of the public evaluator are against it, and they cannot be talked out of it
            return ()
        raise


def _edits(case: Case[Gold], comparison: Comparison, before: States, options: Options) -> Sequence[Edit]:
    gold, answer = comparison.gold, comparison.answer
    if gold.temporal:
        raise UserError("its gold is recomputed each time, so no other answer can be added to it")
    file = Path(case.source.file)
    data = file.read_bytes()
    row = row_of(data, case.id, file.name)
    changes = [with_table(gold, answer, row, file)] if answer.kind == "file" else with_text(gold, answer, row)
    judged = [(change, _states(change.gold, answer, options)) for change in changes]
    best, after = max(judged, key=lambda pair: pair[1])
    if not after[0]:
        raise UserError("even as an additional gold it would not be right by the strict profile")
    if after == before:
        return ()
    _old_stay_right(gold, best.gold, options)
    edits = [Edit(file, with_row(data, case.id, best.row, file.name))] if best.row else []
    return (*edits, best.table) if best.table is not None else tuple(edits)


def _compared(case: Case[Gold], prediction: Prediction, options: Options) -> Comparison:
    """The comparison, with an answer in SQL run."""
    try:
        comparison = compare(case, 0, prediction, options)
    except Unreadable as error:
        raise UserError(f"there is no answer to accept: {error}") from error
    except NotApplicable as error:
        raise UserError(str(error)) from error
    if comparison.answer.problem:
        raise UserError(f"there is no answer to accept: {comparison.answer.problem}")
    return comparison


def _states(gold: Gold, answer: Answer, options: Options) -> States:
    strict = judge_strict(gold, answer, options.compare_options())
    spider2 = judge_spider2(gold, answer, nulls=options.nulls_for(gold))
    return strict.state == "right", spider2.state == "right"


def _old_stay_right(old: Gold, new: Gold, options: Options) -> None:
    """Raises UserError when a gold file that was right would not be any more."""
    if not has_table(old):
        return
    entry = [one for one in old.entries if one.gold_files][-1]
    for file in entry.gold_files:
        answer = Answer(old.instance_id, "file", paths=(file,))
        before, after = _states(old, answer, options), _states(new, answer, options)
        if any(was and not is_now for was, is_now in zip(before, after, strict=True)):
            raise UserError(f"with it the gold file {Path(file).name} would no longer be right")
