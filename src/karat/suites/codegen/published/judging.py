"""What a published set's own rule says of a result, as correctness; the official figure is beside it in the
evidence."""

from __future__ import annotations

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.suite import NotApplicable
from karat.sandbox import Column, Outcome, Plain, Table
from karat.suites.codegen.metrics.correctness import PART, Correctness, judge
from karat.suites.codegen.metrics.correctness import as_gold as gold_from
from karat.suites.codegen.options import Options
from karat.suites.codegen.published import dabstep, dacode_sqlite, dacode_text, kramabench, models
from karat.suites.codegen.published.plain_answers import number_of, single, text_of
from karat.suites.codegen.records import Published
from karat.suites.codegen.results.tables import NoTableError

WRONG = "differs_from_the_answer"
WITH_OFFICIAL = ("dabstep", "dacode_csv", "dacode_text", "dacode_sqlite", "dacode_model", "dsbench_model")
MODELS = ("dacode_model", "dsbench_model")
OFFICIAL = "official"
"""Where the official figure is in the evidence."""


def judged_as_published(published: Published, outcome: Outcome) -> Correctness:
    """The strict verdict; ``evidence`` holds the official figure where the set has a scorer of its own."""
    if not outcome.ok:
        evidence: JsonObject = {OFFICIAL: 0.0} if published.scorer in WITH_OFFICIAL else {}
        return Correctness(0.0, reason="did_not_run", evidence=evidence)
    result = outcome.result
    if published.scorer == "dabstep":
        given, answer = text_of(result), text_of(published.answer)
        evidence = {OFFICIAL: float(dabstep.official(given, answer))}
        return _word(float(dabstep.strict(given, answer)), dabstep.strict(given, answer), evidence)
    if published.scorer == "kramabench":
        if published.kind == kramabench.REVIEW:
            return Correctness(None, reason="needs review: an answer in free words has no rule")
        accepted = published.options.get("accepted")
        answers = [published.answer, *(accepted if isinstance(accepted, list) else [])]
        found = [kramabench.share(published.kind, answer, result) for answer in answers]
        share, right = max(found, key=lambda one: (one[1], one[0]))
        return _word(share, right, {})
    if published.scorer == "dsbench":
        right = choice_or_number(published.answer, result)
        return _word(float(right), right, {})
    if published.scorer == "dacode_text":
        official, share = dacode_text.figures(published.answer, result, published.options)
        return _word(share, share == 1.0, {OFFICIAL: official})
    if published.scorer in MODELS:
        return _model(published, result)
    return _databases(published, result) if published.scorer == "dacode_sqlite" else _tables(published, result)


def _word(share: float, right: bool, evidence: JsonObject) -> Correctness:
    if right:
        return Correctness(1.0, passed=True, evidence=evidence, cell_f1=1.0)
    return Correctness(PART * share, reason=WRONG, evidence=evidence, cell_f1=share)


def _model(published: Published, result: Plain) -> Correctness:
    """Predictions: how far they came between two bounds. Right: as good as the better one."""
    rule = models.rule_of(published)
    if published.files:
        found = models.figures(rule, published.files[0], result)
    else:
        found = models.cluster_figure(rule, result)
    evidence: JsonObject = {OFFICIAL: found.official}
    if found.metric is not None:
        evidence["metric"] = {rule.metric: found.metric}
    if found.problem:
        evidence["problem"] = found.problem
    if found.strict is None:
        reason = "needs review: the answer brings the features that its clusters are measured by"
        return Correctness(None, reason=reason, evidence=evidence)
    return _word(found.strict, found.strict == 1.0, evidence)


def choice_or_number(answer: Json, result: Plain) -> bool:
    """A letter of a choice, a number to the digits of the answer, or the same text. A number without a sign is taken in
    the answer's currency, and as the percentage or the ratio that it is."""
    wanted, given = text_of(answer).strip(), text_of(single(result)).strip()
    (sign, digits), (own_sign, own_digits) = _amount(wanted), _amount(given)
    if number_of(digits) is not None:
        said = number_of(own_digits)
        if said is None or (sign and own_sign and sign != own_sign):
            return False
        right = digits.replace(",", "")
        as_share = sign == "%" and not own_sign and dabstep.strict(repr(said * 100), right)
        return as_share or dabstep.strict(repr(said), right)
    if len(wanted) == 1 and wanted.isalpha():
        return given[:1].casefold() == wanted.casefold() and (len(given) == 1 or not given[1].isalnum())
    return " ".join(wanted.split()).casefold() == " ".join(given.split()).casefold()


def _amount(text: str) -> tuple[str, str]:
    """The sign of a currency or of a percentage, and the text without it."""
    found = next((sign for sign in "$€£%" if text.lstrip("-").startswith(sign) or text.endswith(sign)), "")
    return found, text.replace(found, "", 1).strip() if found else text


def _tables(published: Published, result: Plain) -> Correctness:
    """DA-Code: the best of its gold files."""
    from karat.suites.codegen.published import dacode

    options = published.options
    if dacode.SEVERAL in options:
        return _several(msgspec.convert(options[dacode.SEVERAL], list[_Part]), result)
    found = [_table(dacode.gold_columns(file, options), result, options) for file in published.files]
    return max(found, key=lambda one: (one.passed, one.score or 0.0, one.evidence[OFFICIAL]))


class _Part(msgspec.Struct, frozen=True):
    """One of several tables."""

    name: str
    file: str
    options: dict[str, Json]


def _several(parts: list[_Part], result: Plain) -> Correctness:
    """Right when every table is; the shares, and the official figures, are means."""
    from karat.suites.codegen.published import dacode

    given = result if isinstance(result, dict) else {}
    found = [_table(dacode.gold_columns(one.file, one.options), given.get(one.name), one.options) for one in parts]
    official = sum(float(one.evidence[OFFICIAL]) for one in found) / len(found)
    if all(one.passed for one in found):
        return msgspec.structs.replace(found[0], evidence={OFFICIAL: official})
    share = sum(1.0 if one.passed else one.cell_f1 or 0.0 for one in found) / len(found)
    wrong = [part.name for part, one in zip(parts, found, strict=True) if not one.passed]
    evidence: JsonObject = {OFFICIAL: official, "problem": f"wrong: {', '.join(wrong)}"}
    return Correctness(PART * share, reason=WRONG, evidence=evidence, cell_f1=share)


def _table(columns: list[Column], result: Plain, options: dict[str, Json]) -> Correctness:
    """One table, strict, with the official figure in the evidence."""
    from karat.suites.codegen.published import dacode

    official = dacode.official_of(result, columns, options)
    gold = gold_from(Table(len(columns[0].values) if columns else 0, tuple(columns)), calls=False)
    rules = Options(extra_columns=bool(options.get("condition_cols")))
    ordered = not dacode.first(options.get("ignore_order", False))
    try:
        strict = judge(gold, result, ordered=ordered, options=rules)
    except NoTableError:
        strict = Correctness(0.0, reason=WRONG)
    return msgspec.structs.replace(strict, evidence={**strict.evidence, OFFICIAL: official})


def _databases(published: Published, result: Plain) -> Correctness:
    """Every table of the database, and the worst of them."""
    from karat.suites.codegen.published import dacode

    gold = dacode_sqlite.gold_tables(published.files[0], published.options)
    if gold is None:
        raise NotApplicable("gold_error: the gold database cannot be read")
    given = result if isinstance(result, dict) else {}
    found = []
    for place, (name, columns) in enumerate(gold.items()):
        options = dacode_sqlite.options_of(place, published.options)
        found.append(_table(dacode.chosen_columns(columns, options), given.get(name), options))
    if not found:
        raise NotApplicable("gold_error: the gold database has no table")
    worst = min(found, key=lambda one: (one.passed, one.score or 0.0))
    official = min(float(one.evidence[OFFICIAL]) for one in found)
    return msgspec.structs.replace(worst, evidence={**worst.evidence, OFFICIAL: official})
