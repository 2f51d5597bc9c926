"""The sentences of a tuning, said alike in the terminal and in the workbook."""

from __future__ import annotations

from karat.core.problems import count_of
from karat.search.choose.limits import Unit
from karat.search.choose.next_questions import More
from karat.search.choose.outcome import Pick
from karat.search.choose.reporting.result import Missing, QuestionDetail, Tuning

NUMBERS = {1: "one", 2: "two"}
SHOWN_QUESTIONS = 8
SHOWN_KEYS = 4
LONGEST_QUESTION = 60
LEFT_OUT = "(left out)"


def proof_words(tuning: Tuning) -> str:
    """Whether the choice is the best, and if that is not proven by how much it may be off."""
    if tuning.optimal:
        return f"optimal, proven in {_seconds(tuning.seconds)}"
    gap = f"{tuning.gap:.4f}" if tuning.gap_in == "mean recall" else f"{tuning.gap:,.0f}"
    words = f"not proven optimal in {_seconds(tuning.seconds)}: {tuning.gap_in} could be better by up to {gap}"
    if tuning.passed_bound is None or tuning.recall_bound is None:
        return words
    return f"{words} (at most {tuning.passed_bound:,} can pass, with a recall of at most {tuning.recall_bound:.3f})"


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def more_sentence(more: More, unit: Unit = "tokens") -> str:
    """What one or two more questions would cost."""
    count = NUMBERS.get(more.questions, str(more.questions))
    asked = f"{count} more question{'s' if more.questions > 1 else ''}"
    if more.outcome == "all_pass":
        return "every question passes"
    if more.outcome == "never":
        return f"no n passes {asked}: the others have truths that are not among the values"
    if more.outcome == "beyond":
        return f"{asked} would need a larger n than was tried"
    if more.tokens is None or more.more_tokens is None:
        return f"no time left to compute the cost of {asked}"
    picks = ", ".join(_pick(pick) for pick in more.fields)
    about = "at most " if more.at_most else ""
    return f"{asked} would cost {about}{more.more_tokens:,} more {unit} ({picks})"


def _pick(pick: Pick) -> str:
    return f"{pick.field}: n = {pick.n} with {pick.model}" if pick.model is not None else f"{pick.field}: left out"


def missing_words(detail: QuestionDetail) -> str:
    """``missing Capers (rank 41), Lemon (rank 17)``"""
    shown = [_missing(gone) for gone in detail.missing[:SHOWN_KEYS]]
    if len(detail.missing) > SHOWN_KEYS:
        shown.append(f"and {len(detail.missing) - SHOWN_KEYS:,} more")
    return f"missing {', '.join(shown)}"


def _missing(gone: Missing) -> str:
    if gone.rank is not None:
        return f"{gone.key} (rank {gone.rank:,})"
    if gone.deeper:
        return f"{gone.key} (below the depth of the ranking)"
    return f"{gone.key} (not a value{f'; nearest: {gone.nearest}' if gone.nearest else ''})"


# -- the whole of it for a terminal -----------------------------------------------------------------------------------


def heading_of(name: str, tuning: Tuning) -> str:
    """``Evaluation · 20 questions · 2 fields · budget 2,000 tokens · bm25, wordllama``"""
    parts = [name, count_of(tuning.questions, "question"), count_of(len(tuning.fields), "field")]
    parts += [f"budget {tuning.budget_tokens:,} {tuning.unit}"] + (
        [f"n up to {tuning.max_n:,}"] if tuning.max_n else []
    )
    parts += [passes_words(tuning.passes)] if tuning.passes != "all" else []
    return " · ".join([*parts, ", ".join(tuning.asked or tuning.models)])


def passes_words(passes: str) -> str:
    """When a question passes, in a few words."""
    if passes == "any":
        return "a question passes with any of its truths"
    return f"a question passes with {'all' if passes == 'all' else passes} of its truths"


def lines_of(tuning: Tuning) -> list[str]:
    """The answer first (n and model of each field), then how good it is, what is missing, and what more would cost."""
    return [
        *_field_lines(tuning),
        *_headline(tuning),
        *_stability_line(tuning),
        *_failed_lines(tuning),
        _more_line(tuning),
        *tuning.notes,
    ]


def _field_lines(tuning: Tuning) -> list[str]:
    field = max(len("field"), *(len(one.field) for one in tuning.fields))
    model = max(len("model"), *(len(one.model or LEFT_OUT) for one in tuning.fields))
    unit = "tokens" if tuning.unit == "tokens" else "docs"
    lines = [f"{'field':<{field}}   {'model':<{model}}  {'n':>5}   {unit:>6}   {'recall':>6}   MRR (Σ 1/rank)"]
    for one in tuning.fields:
        recall = "n/a" if one.recall is None else f"{one.recall:.2f}"
        mrr = "n/a" if one.mrr is None else f"{one.mrr:.2f}"
        lines.append(
            f"{one.field:<{field}}   {one.model or LEFT_OUT:<{model}}  {one.n:>5,}   {one.tokens:>6,}   {recall:>6}   "
            f"{mrr:>4}"
        )
    return lines


def _headline(tuning: Tuning) -> list[str]:
    """Held out first: it is what to expect of new questions. The other is on the questions that were chosen on."""
    lines = []
    if (out := tuning.held_out) is not None:
        passed = f"{out.passed:,.1f}".removesuffix(".0")
        lines += [
            f"held out     passed {passed} of {out.questions:,} ({out.passed_low:.1f} – {out.passed_high:.1f}) · "
            f"recall {out.mean_recall:.3f} ({out.recall_low:.3f} – {out.recall_high:.3f}) · {out.method}"
        ]
    recall = "n/a" if tuning.mean_recall is None else f"{tuning.mean_recall:.3f}"
    asked = "" if tuning.recall_asked is None else f" · recall_asked {tuning.recall_asked:.3f}"
    passed = f"passed {tuning.passed:,} of {tuning.questions:,}"
    return [*lines, f"in-sample    {passed} · recall {recall}{asked} · {proof_words(tuning)}"]


def _stability_line(tuning: Tuning) -> list[str]:
    if not tuning.stability:
        return []
    shares = ", ".join(f"{one.field} {one.same_option:.0%}" for one in tuning.stability)
    return [f"chosen again in {tuning.stability[0].resamples} resamples of the questions: {shares}"]


def _failed_lines(tuning: Tuning) -> list[str]:
    failed = [detail for detail in tuning.questions_detail if detail.passed is False]
    asked = [f'"{shortened(detail.question)}"' for detail in failed[:SHOWN_QUESTIONS]]
    width = max(map(len, asked), default=0)
    lines = [
        f"{'not passed' if not index else '':<10}   {question:<{width}}   {missing_words(detail)}"
        for index, (question, detail) in enumerate(zip(asked, failed, strict=False))
    ]
    if len(failed) > SHOWN_QUESTIONS:
        lines.append(f"{'':<10}   … and {len(failed) - SHOWN_QUESTIONS:,} more: --xlsx or --json has all of them")
    return lines


def _more_line(tuning: Tuning) -> str:
    """The sentence about two more questions; where they cannot pass, the one about a single one."""
    if tuning.passed == tuning.questions:
        return "every question passes"
    one, two = tuning.more[0], tuning.more[-1]
    return more_sentence(one if two.outcome == "never" else two, tuning.unit)


def shortened(text: str) -> str:
    """A question on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_QUESTION else f"{flat[: LONGEST_QUESTION - 1]}…"
