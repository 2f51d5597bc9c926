"""How an answer is shown: tables cell by cell, values and texts beside each other, SQL as queries and their results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any  # Any: parameters of gold, as its file has them

import msgspec

from karat.core.case_form import CaseForm, Grids, Listed, Texts, View
from karat.core.presentation.code_views import Code, Codes, code_lines, more_lines
from karat.core.problems import count_of
from karat.core.records import Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.details import Details
from karat.suites.answers.evidence import clipped, evidence_in_short
from karat.suites.answers.records import Answer, Gold
from karat.suites.answers.responses import stored_answer
from karat.suites.answers.text_to_sql.form import sql_views, unjudged_results
from karat.tables.explain.cells import cell_text, listed, mappings
from karat.tables.explain.reason_sentences import table_sentence
from karat.tables.explain.sample import TablePair
from karat.tables.explain.sample_grid import sample_grid
from karat.tables.explain.table_view import table_view

_SENTENCES = {
    "missing_prediction": "there is no answer",
    "unreadable_prediction": "the answer cannot be read",
    "wrong_number": "the number is not in the answer",
    "wrong_text": "the text is not in the answer",
    "extra_match_excluded": "the answer says what it must not say",
    "several_answers": "the answer gives several values and does not choose",
    "hedged": "the answer hedges",
    "negated": "the answer denies what it names",
    "two_readings": "the number can be read in two ways",
    "no_value": "the query returned no value",
    "sql_error": "the query does not run",
    "timeout": "the query did not finish in time",
    "gold_error": "gold cannot be used",
    "gold_unstable": "gold gives another result each time",
    "empty_gold": "gold has no result that proves anything",
    "lucky": "right on the data at hand, refuted by made rows",
}
MOST_TEXT = 20_000
_TEXT = ("string_match", "number_match")


def form(details: Details, gold: Gold | None, prediction: Prediction | None) -> CaseForm:
    """The reason as a sentence; what the profiles say, where they disagree, below it."""
    answer = _stored(prediction)
    views: list[View] = []
    table = table_view(details.evidence)
    tables = tuple(_pair(pair, folded=table is not None) for pair in details.tables)
    if details.sql is not None:
        views += sql_views(details.sql, details.evidence, table)
    elif table is not None or details.tables:
        views += [*([table] if table is not None else []), *tables]
    elif (texts := _texts(details, gold, answer, prediction)) is not None:
        views.append(texts)
    if details.sql is None and answer is not None and answer.kind == "sql" and answer.text:
        lines = code_lines(answer.text)
        code = Code("Submitted SQL", lines, count_of(len(lines), "line"), folded=True, more=more_lines(answer.text))
        views.append(Codes("", (code,)))
    if details.strict.normalised:
        applied = tuple((rule.replace("_", " "), None) for rule in details.strict.normalised)
        views.append(Listed("Rules applied", applied))
    sentence = _sentence(details)
    unjudged: tuple[Grids | Texts, ...] = unjudged_results(details.sql) if details.sql is not None else tables
    if not unjudged and gold is not None and gold.entries and all(entry.func in _TEXT for entry in gold.entries):
        said = _texts(details, gold, answer, prediction)  # of every such case, whatever came of it
        unjudged = () if said is None else (msgspec.structs.replace(said, right=None, missing=()),)
    return CaseForm(sentence, _because(details), tuple(views), _facts(details, gold), _in_words(answer), unjudged)


def _pair(pair: TablePair, *, folded: bool) -> Grids:
    """Both tables as they are in their files, with what a person must know to compare them."""
    said = ["rows in any order" if pair.rows_in_any_order else "the order of rows counts"]
    if pair.compared_columns:
        said.append(
            f"only {', '.join(pair.compared_columns)} {'is' if len(pair.compared_columns) == 1 else 'are'} compared"
        )
    if pair.gold_tables > 1:
        said.append(f"the nearest of {pair.gold_tables} accepted tables")
    grids = (sample_grid("Expected", pair.gold), sample_grid("Given", pair.answer))
    return Grids(pair.table or "Both tables", grids, " · ".join(said), folded=folded)


def _stored(prediction: Prediction | None) -> Answer | None:
    if prediction is None or prediction.error is not None:
        return None
    try:
        return stored_answer(prediction.response, live=prediction.latency is not None)
    except Unreadable:
        return None


def _in_words(answer: Answer | None) -> str | None:
    """A stored answer without the folders of the machine that read it."""
    if answer is None:
        return None
    names = ", ".join(PurePath(path).name for path in answer.paths)
    return answer.raw or answer.text or names


def _texts(details: Details, gold: Gold | None, answer: Answer | None, prediction: Prediction | None) -> Texts | None:
    """Gold values beside the words of the answer; None where gold is a table."""
    entries = [entry for entry in gold.entries if entry.func in _TEXT] if gold is not None else []
    given = details.evidence.get("given")
    if not entries and not isinstance(given, str):
        return None
    if answer is not None:
        said = answer.text
    elif prediction is not None and prediction.error is None:
        said = prediction.response.decode("utf-8", "replace")
    else:
        said = given if isinstance(given, str) else ""
    expected = tuple(text for entry in entries for text in _gold_texts(entry.parameters))
    missing = tuple(cell_text(one) for one in listed(details.evidence.get("missing")))
    right = {"right": True, "wrong": False}.get(details.strict.state)
    every = any(str(entry.parameters.get("conj", "or")).lower() == "and" for entry in entries)
    note = "" if len(expected) < 2 else "all of these" if every else "any of these"
    return Texts(expected or missing, clipped(said, MOST_TEXT), right, note, () if right else missing)


def _gold_texts(parameters: Mapping[str, Any]) -> list[str]:
    gold = parameters.get("gold")
    return [cell_text(one) for one in (gold if isinstance(gold, list) else [gold]) if one is not None]


# -- in words ---------------------------------------------------------------------------------------------------------


def _sentence(details: Details) -> str:
    state = details.strict.state
    if state == "right" and (not details.reason or details.sql is None):
        return "the answer holds what gold holds"
    if details.sql is not None and details.sql.sentence and state != "right":
        return f"the query {details.sql.sentence}".replace("`", "")
    if details.reason in ("wrong_number", "wrong_text") and (missing := listed(details.evidence.get("missing"))):
        found = [cell_text(one) for one in listed(details.evidence.get("found"))[:3]]
        said = f"expected {', '.join(cell_text(one) for one in missing[:3])}"
        return f"{said}, the answer says {', '.join(found)}" if found else f"{said}, which the answer does not say"
    said = table_sentence(details.reason, details.evidence) or _SENTENCES.get(details.reason, "")
    return said or details.reason.replace("_", " ")


def _because(details: Details) -> str:
    if details.strict.state == "right" and details.spider2.state == "wrong":
        return "; ".join(_objections(details))
    said = []
    problem = next((details.evidence[key] for key in ("problem", "why", "error") if details.evidence.get(key)), "")
    if isinstance(problem, str) and problem:
        said.append(problem)
    elif details.reason and table_view(details.evidence) is None and "given" not in details.evidence:
        said.append(evidence_in_short(details.evidence))
    if details.flips and details.spider2.state != "not_judged":
        said.append(f"strict says {_state(details.strict.state)}, spider2 says {_state(details.spider2.state)}")
    if details.sql is not None and (other := details.sql.against(details.strict.state == "right")):
        says = "wrong" if details.strict.state == "right" else "right"
        said.append(f"{', '.join(other)} {'says' if len(other) == 1 else 'say'} {says}")
    if details.sql is not None and details.sql.counterexample is not None:
        said.append("made rows refute it, see below")
    if details.gold_problem:
        said.append(f"gold is doubtful: {details.gold_problem}")
    return "; ".join(one for one in said if one)


def _objections(details: Details) -> list[str]:
    """Why spider2 rejects what strict accepts; the columns of gold that it finds nowhere by their names."""
    why = table_sentence(details.reason, details.evidence) or _SENTENCES.get(details.reason, "")
    names = [cell_text(one.get("name")) for one in mappings(details.evidence.get("unmatched"))[:3]]
    where = f" in {', '.join(names)}" if names and details.reason == "values_differ" else ""
    said = [f"spider2 says wrong: {why or details.reason.replace('_', ' ')}{where}"]
    return [*said, *([f"gold is doubtful: {details.gold_problem}"] if details.gold_problem else [])]


def _state(word: str) -> str:
    return word.replace("_", " ")


def _facts(details: Details, gold: Gold | None) -> tuple[str, ...]:
    facts = [", ".join(details.functions)] if details.functions else []
    if gold is not None and details.sql is None:
        for entry in gold.entries[-1:]:
            if entry.func not in _TEXT and "ignore_order" in entry.parameters:
                counts = "does not count" if entry.parameters["ignore_order"] in (True, 1) else "counts"
                facts.append(f"order {counts}")
    if details.as_of is not None:
        facts.append(f"gold is for {details.as_of.gold}, the data for {details.as_of.data}")
    return tuple(facts)
