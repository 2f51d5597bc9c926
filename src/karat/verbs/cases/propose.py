"""``karat cases draft`` and ``variants``: cases that a configured system proposes. All of them are drafts.

Every proposal is read and checked as a case file is, and its target is executed or looked up where the suite can. What
does not pass is reported and not written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.drafts import is_draft
from karat.core.files.limits import FILE_MB
from karat.core.files.reading import read_bytes
from karat.core.json_types import Json, JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase
from karat.core.system import SystemConfig
from karat.verbs.cases.ask_system import asked, lists_in, texts_in
from karat.verbs.cases.entries import contents_with, entry_of, good_entries, id_key, replaced, with_ids, write_entries
from karat.verbs.cases.listing import FoundCase, loaded
from karat.verbs.cases.try_change import write_tried
from karat.verbs.inputs.work import Work

MOST_MATERIAL = 24_000
"""Characters of structures, schemas and sample values that are sent."""
EXAMPLES = 3


class Proposed(msgspec.Struct, frozen=True):
    """Drafts that were written, and proposals that were not, with the reason."""

    written: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    rejected: tuple[tuple[str, tuple[Problem, ...]], ...] = ()


def draft(work: Work, config: SystemConfig, count: int, *, about: str = "", to: Path | None = None) -> Proposed:
    """Ask a system for new cases, from the material that the suite has for its prompts, and the cases there are."""
    cases = [case for case in loaded(work).cases if not is_draft(case)]
    if not cases:
        raise UserError("there is no accepted case to start from", hint="Write one by hand first: it shows the format.")
    key = id_key(work, cases)
    reply = asked(config, work.suite, draft_prompt(work, cases, count, about))
    entries = [entry for entry in lists_in(reply) if isinstance(entry, dict)][:count]
    if not entries:
        hint = f"A JSON list of cases was expected. It began: {reply[:200]!r}"
        raise UserError("no case can be read from the reply", hint=hint)
    return _written(work, with_ids(entries, key, {case.id for case in loaded(work).cases}, "draft"), key, to)


def draft_prompt(work: Work, cases: Sequence[AnyCase], count: int, about: str) -> str:
    """What the system is asked: the material, cases as examples of the form, and what to write."""
    chosen = cases[:: max(len(cases) // EXAMPLES, 1)][:EXAMPLES]
    examples = json.dumps([entry_of(work, case) for case in chosen], ensure_ascii=False, indent=1)
    asked_before = "\n".join(f"- {case.question}" for case in cases[:200])
    wish = f"\nWrite them about: {about}" if about else ""
    return (
        f"You write test cases for a data assistant ({work.suite.summary}).\n\n"
        f"The data there is:\n{material(work, cases)}\n\n"
        f"Cases in the form that is needed:\n{examples}\n\n"
        f"These questions are there already; do not repeat them:\n{asked_before}\n\n"
        f"Write {count} new cases with other questions, each with a target that is right by the data above.{wish}\n"
        "Reply with one JSON list of cases in exactly this form, each with an id of its own, and nothing else."
    )


def material(work: Work, cases: Sequence[AnyCase]) -> str:
    """What the suite tells its prompts of the data: structures, table schemas, sample values; each once."""
    found: dict[str, None] = {}
    size = 0
    for case in cases[:50]:
        for name, hint in work.suite.prompting.hints.items():
            try:
                value = hint.of(case, work.options)
            except UserError:
                continue
            text = f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}"
            if value and text not in found and size + len(text) <= MOST_MATERIAL:
                found[text] = None
                size += len(text)
    return "\n".join(found) or "(only what the cases below show)"


def variants(found: FoundCase, config: SystemConfig, count: int, *, to: Path | None = None) -> Proposed:
    """Ask a system to rephrase the question of a case. The case and its rephrasings become one cluster."""
    work, case = found.work, found.case
    if not case.question.strip():
        raise UserError(f'the case "{case.id}" has no question to rephrase')
    key, original = id_key(work, [case]), entry_of(work, case)  # before the call: it costs money
    reply = asked(config, work.suite, variants_prompt(case.question, count))
    known = {one.question.casefold().strip() for one in loaded(work).cases}
    texts = [text for text in texts_in(reply) if text.casefold() not in known][:count]
    if not texts:
        raise UserError("no new wording can be read from the reply", hint=f"It began: {reply[:200]!r}")
    cluster = work.suite.cluster(case) or case.id
    entries = [_reworded(original, case.question, text) | {key: "", "cluster": cluster} for text in texts]
    if not work.suite.cluster(case):
        _name_cluster(found, cluster)
    taken = {one.id for one in loaded(work).cases}
    return _written(work, with_ids(entries, key, taken, f"{case.id}-v"), key, to)


def variants_prompt(question: str, count: int) -> str:
    """What the system is asked for rephrasings."""
    return (
        f"Rephrase this question in {count} ways, as different people would ask it. Keep its meaning exactly: "
        "the same things, places, times, numbers and conditions.\n\n"
        f"Question: {question}\n\nReply with one JSON list of texts and nothing else."
    )


def _reworded(entry: JsonObject, old: str, new: str) -> JsonObject:
    changed, done = replaced(entry, old, new)
    if not done or not isinstance(changed, dict):
        raise UserError("the question of the case was not found in its file, so no variant can be made")
    return changed


def _name_cluster(found: FoundCase, cluster: str) -> None:
    """Put the name of the cluster into the case itself."""
    from karat.core.case_files.case_checks import Fix
    from karat.core.case_files.case_text import case_text, path_of_case
    from karat.core.yaml.edit import roots_of
    from karat.core.yaml.insert import with_keys

    case, work = found.case, found.work
    file, line = Path(case.source.file), case.source.line
    if work.suite.status_file is not None:
        file, line = work.suite.status_file(case)
    data = read_bytes(file, FILE_MB)
    piece = case_text(data, msgspec.structs.replace(case.source, file=str(file), line=line))
    if piece.form == "line":
        entry: Json = json.loads(piece.text)
        content = piece.with_text(json.dumps({**entry, "cluster": cluster}, ensure_ascii=False))
    else:
        path = path_of_case(roots_of(data), case.source) or ()
        fix = Fix(str(file), case.source.document, (*path, "cluster"), "", cluster, insert=True)
        content = with_keys(data, [fix])
    write_tried(work, {file: content}, f'naming the cluster of "{case.id}"')


def _written(work: Work, entries: Sequence[JsonObject], key: str, to: Path | None) -> Proposed:
    good, bad = good_entries(work, entries, to)
    rejected = tuple((json.dumps(entry, ensure_ascii=False), tuple(problems)) for entry, problems in bad)
    if not good:
        return Proposed(rejected=rejected)
    files = list(contents_with(work, good, to))
    write_entries(work, good, to)
    return Proposed(tuple(str(entry[key]) for entry in good), tuple(str(file) for file in files), rejected)
