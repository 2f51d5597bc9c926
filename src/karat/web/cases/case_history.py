"""One case through the runs of its suite: right or wrong in each, where it broke, whether it is flaky."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.presentation.case_explanation import explanation_of
from karat.core.presentation.case_forms import form_of
from karat.core.results.result import CaseResult
from karat.store import RunRow, run_name
from karat.store.cases.case_history import CaseInRun
from karat.web.cases.case_verdict import Verdict, verdict_of
from karat.web.page import Viewer
from karat.web.run_page.figures import Figure, figures_of, headline, main_figure

STRIP = 12
"""Runs in the strip beside a case."""
MOST_RUNS = 200
"""Runs that the history looks at, the newest ones."""


class Past(msgspec.Struct, frozen=True):
    """A case in one run."""

    found: CaseInRun
    verdict: Verdict
    main: Figure | None

    @property
    def run(self) -> RunRow:
        """The run."""
        return self.found.run

    @property
    def name(self) -> str:
        """The run's name."""
        return run_name(self.found.run.id)


def strip_of(viewer: Viewer, row: RunRow, case_id: str, position: int) -> list[Past]:
    """The last runs up to this one, the oldest first; this one is the last."""
    rows = [one for one in viewer.store.runs(MOST_RUNS, row.suite) if one.id <= row.id][: 2 * STRIP]
    return history_of(viewer, rows, case_id, position)[-STRIP:]


def history_of(viewer: Viewer, rows: Sequence[RunRow], case_id: str, guess: int | None = None) -> list[Past]:
    """The case in each of these runs, given newest first; the oldest first."""
    return [_past(one) for one in reversed(viewer.viewing.case_history(rows, case_id, guess))]


def _past(found: CaseInRun) -> Past:
    main = main_figure(figures_of(found.run))
    value = found.figures.get(main.name) if main is not None else None
    return Past(found, verdict_of(found.status, value, rate=main is None or main.kind == "rate"), main)


# -- in words ---------------------------------------------------------------------------------------------------------


def strip_words(past: Sequence[Past]) -> str:
    """``right in 9 of 12 · wrong again since r-0147``."""
    judged = [one for one in past if one.verdict.mark != "e"]
    right = [one for one in judged if one.verdict.word == "right"]
    if not judged:
        return "no verdict yet"
    if len(right) == len(judged):
        return f"right in all {len(judged)}" if len(judged) > 1 else "right in the one run so far"
    if not right and len(judged) == 1:
        return "wrong in the one run so far"
    if not right:
        return f"never right yet: {len(judged)} of {len(judged)} wrong"
    said = f"right in {len(right)} of {len(judged)}"
    since = wrong_since(judged)
    if since is None:
        return f"{said} · right again since {_turned(judged).name}"
    again = any(one.verdict.word != "right" for one in judged[: judged.index(since)])
    return f"{said} · {'wrong again since' if again else 'first wrong at'} {since.name}"


def wrong_since(judged: Sequence[Past]) -> Past | None:
    """The first run of the wrong ones at the end; None where the last is right."""
    found = None
    for one in reversed(judged):
        if one.verdict.word == "right":
            break
        found = one
    return found


def _turned(judged: Sequence[Past]) -> Past:
    """The first run of the right ones at the end."""
    found = judged[-1]
    for one in reversed(judged):
        if one.verdict.word != "right":
            break
        found = one
    return found


def first_broken(past: Sequence[Past]) -> Past | None:
    """The first run in which the case was wrong after it had been right."""
    seen = False
    for one in past:
        if one.verdict.word == "right":
            seen = True
        elif seen and one.verdict.mark == "w":
            return one
    return None


def flaky(past: Sequence[Past], settings: dict[int, tuple[str, str]]) -> tuple[Past, Past] | None:
    """A run where the case was right and one where it was wrong, with the same truth and the same system settings."""
    by_settings: dict[tuple[object, ...], dict[str, Past]] = {}
    for one in past:
        own = settings.get(one.run.id)
        if own is None or one.verdict.word not in ("right", "wrong", "partly"):
            continue
        key = (one.run.truth_set, *own)
        if not own[0].strip() or not one.run.truth_set:
            continue
        verdicts = by_settings.setdefault(key, {})
        verdicts[one.verdict.mark] = one
        if len(verdicts) == 2:
            return verdicts["r"], verdicts["w"]
    return None


# -- answers ----------------------------------------------------------------------------------------------------------


class GivenAnswer(msgspec.Struct):
    """What several runs gave alike: the letter it is called by, how it differs from what is expected, and the runs."""

    letter: str
    verdict: Verdict
    sentence: str
    runs: list[Past]
    which: str = ""
    """The runs in words, neighbours as one stretch: ``0101 – 0128, 0133``."""


def answers_of(suite: str, past: Sequence[Past], results: Sequence[CaseResult | None]) -> list[GivenAnswer]:
    """The different answers, the most frequent first. Two are alike when they differ from gold in the same way."""
    found: dict[object, GivenAnswer] = {}
    for one, result in zip(past, results, strict=True):
        if result is None or result.status != "scored":
            continue
        right = one.verdict.word == "right"
        told = None if right else explanation_of(suite, result)
        key = None if told is None else (one.verdict.word, told.headline, told.parts, told.cells)
        if key in found:
            found[key].runs.append(one)
        else:
            sentence = "as gold" if right else form_of(suite, result).sentence or (told.reason if told else "")
            found[key] = GivenAnswer("", one.verdict, sentence, [one])
    ordered = sorted(found.values(), key=lambda one: (-len(one.runs), one.runs[0].run.id))
    places = {one.run.id: place for place, one in enumerate(past)}
    for place, answer in enumerate(ordered):
        answer.letter, answer.which = _letter(place), _which(answer.runs, places)
    return ordered


def _which(given: Sequence[Past], places: dict[int, int], most: int = 6) -> str:
    stretches: list[list[Past]] = []
    for one in given:
        if stretches and places[one.run.id] == places[stretches[-1][-1].run.id] + 1:
            stretches[-1].append(one)
        else:
            stretches.append([one])
    short = [run_name(part[0].run.id)[2:] + (f" – {run_name(part[-1].run.id)[2:]}" if part[1:] else "")
             for part in stretches]  # fmt: skip
    rest = len(short) - most
    return ", ".join(short[:most]) + (f" and {rest} more" if rest > 0 else "")


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else f"A{place - 25}"


def tries_right(result: CaseResult | None, main: Figure | None) -> str:
    """``1 of 3``; empty for a case that was tried once."""
    if result is None or not result.repeats or main is None:
        return ""
    scores = [one.scores.get(main.name) for one in result.repeats]
    return f"{sum(score is not None and score.value == 1 for score in scores)} of {len(scores)}"


def shown_figures(past: Sequence[Past]) -> list[Figure]:
    """The headline shares of the newest run: a row each."""
    if not past:
        return []
    return [item for item in headline(figures_of(past[-1].run)) if item.kind == "share"][:2]
