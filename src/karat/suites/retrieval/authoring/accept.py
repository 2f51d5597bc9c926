"""An accepted retrieval goes into the truths of a question that has none: its values become the truths.

Where a question has truths, all of them are needed, and every one more would be needed too: what was right before would
not be any more. So an answer that misses a truth cannot be made right by adding to them, and that is said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.case_files.case_checks import Edit
from karat.core.problems import UserError, count_of
from karat.core.records import Case, Prediction
from karat.core.suite import Unreadable
from karat.suites.retrieval.cases import SHEET
from karat.suites.retrieval.comparison import compare_truths
from karat.suites.retrieval.formats.qrels_edit import with_judgements
from karat.suites.retrieval.metrics import passed
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.predictions import read_response
from karat.suites.retrieval.ranking import as_scores
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Truths

MOST = 50
"""This many values can be meant as the truths of a question. A longer ranking says nothing of which of them are."""
FEW = 3


def accept(case: Case[Truths], prediction: Prediction, _cases: Path, options: Options) -> Sequence[Edit]:
    """The sheet or the judgements with the truths; nothing when the answer is right already."""
    truths = next(turn.target for turn in case.conversation if turn.target is not None)
    try:
        retrieved = read_response(prediction.response)
        comparison = compare_truths(truths, retrieved, options)
    except Unreadable as error:
        raise UserError(f"there is no retrieval to accept: {error}") from error
    if any(field.relevant for field in comparison.fields):
        missing = [key for field in comparison.fields for key in field.missing]
        if not missing:
            return ()
        raise UserError(
            f"all truths of a question are needed, and the answer misses {_shown(missing)}, so accepting others "
            "changes nothing",
            hint="Remove the truths that are not needed.",
        )
    found = {name: _best(retrieved.fields[name], options) for name in truths.fields if name in retrieved.fields}
    found = {name: keys for name, keys in found.items() if keys}
    if not found:
        raise UserError("the answer is empty, so there is nothing to accept")
    if (most := max(len(keys) for keys in found.values())) > MOST:
        raise UserError(
            f"the answer ranks {count_of(most, 'value')}, and the review does not say which of them are right"
        )
    level = options.relevance_level
    fields = {name: {**old, **dict.fromkeys(found.get(name, ()), level)} for name, old in truths.fields.items()}
    if passed.score(compare_truths(Truths(fields), retrieved, options)).value != 1.0:
        raise UserError("even with its values as truths it would not be right")
    file = Path(case.source.file)
    if file.suffix == SHEET:
        from karat.suites.retrieval.sheets.edit import with_truths

        if level != 1:
            raise UserError("a truth of a sheet has the relevance 1, which is below the option relevance_level")
        return (Edit(file, with_truths(file.read_bytes(), case.question, found, file.name)),)
    return (Edit(file, with_judgements(file.read_bytes(), case.id, found[DOCUMENTS], level)),)


def _best(ranked: Ranked, options: Options) -> list[str]:
    """The values that count, best first."""
    keys = ranked.keys
    if ranked.scores is not None:
        scores = as_scores(ranked.scores)
        keys = [key for _, key in sorted(zip(scores.tolist(), keys, strict=True), reverse=True)]
    return keys[: options.max_results or len(keys)]


def _shown(keys: Sequence[str]) -> str:
    more = f" and {len(keys) - FEW:,} more" if len(keys) > FEW else ""
    return ", ".join(f'"{key}"' for key in keys[:FEW]) + more
