"""What the page of a judge shows: its figures against people, what it was tried with, and how it has done over time."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.problems import count_of, p_words
from karat.core.results.result import Estimate
from karat.judge.calibration import AttackCount, BySystem, Calibration, Drift, Probe
from karat.store import RunRow
from karat.store.verdicts.judgements import JudgeRecords
from karat.verbs.judge.pools import read_calibration
from karat.web.formatting import signed

UNKNOWN = Estimate(None, 0, None, None)


class FigureLine(msgspec.Struct, frozen=True):
    """A figure on the axis from 0 to 1."""

    title: str
    value: Estimate
    n: str
    note: str = ""


class ProbeLine(msgspec.Struct, frozen=True):
    """Something that the judge was tried with."""

    title: str
    done: str
    """What was done."""
    found: str
    """In words and numbers; empty: it was not tried."""
    command: str = ""
    """What to run, where it was not tried."""


class Event(msgspec.Struct, frozen=True):
    """A version of the judge was compared with people, or asked again."""

    at: str
    version: str
    what: str
    changed: str
    """``2 of 53, p = 0.500``; empty for a calibration."""
    agreement: Estimate
    before: float | None
    """The agreement that it is compared with."""
    kappa: float | None
    said: str = ""
    """Whether the version counts, and why not; on the newest line of a version."""


class JudgePage(msgspec.Struct, frozen=True):
    """All of it."""

    figures: tuple[FigureLine, ...] = ()
    probes: tuple[ProbeLine, ...] = ()
    events: tuple[Event, ...] = ()
    tables: tuple[tuple[str, str, tuple[int, int, int, int]], ...] = ()
    """(kind, name, both right, only the judge, only people, both wrong) of a suite, reason or tag."""
    by_system: tuple[BySystem, ...] = ()


def judge_page(records: JudgeRecords, row: RunRow, version: str) -> JudgePage:
    """Of the version that judged a run last, with the versions before it over time."""
    stored = [read_calibration(one.figures) for one in records.calibrations(version)]
    newest = stored[0] if stored else None
    events = _events(records, records.versions_of_run(row.id))
    if newest is None:
        return JudgePage(events=events)
    return JudgePage(
        _figures(newest),
        _probes(newest),
        events,
        tuple((name.partition(" ")[0], name.partition(" ")[2], counts) for name, counts in newest.tables.items()),
        newest.by_system,
    )


def _figures(found: Calibration) -> tuple[FigureLine, ...]:
    given = found.agreement
    if not given.n:
        return ()
    most = "right" if (given.base_rate or 0) >= 0.5 else "wrong"
    lines = [
        FigureLine("agreement with people", _agreement(found), f"{given.n:,}"),
        FigureLine(f"a judge that always says {most}", Estimate(given.constant, given.n, None, None), "", "for scale"),
        FigureLine("kappa", given.kappa, f"{given.kappa.n:,}"),
        FigureLine(
            "sensitivity", given.sensitivity, f"{given.sensitivity.n:,} right", "people say right, and so does it"
        ),
        FigureLine(
            "specificity", given.specificity, f"{given.specificity.n:,} wrong", "people say wrong, and so does it"
        ),
    ]
    if found.people.n:
        lines.append(
            FigureLine("people among themselves", found.people, f"{found.people.n:,} seen twice", "the ceiling")
        )
    return tuple(lines)


def _agreement(found: Calibration) -> Estimate:
    given = found.agreement
    return Estimate(given.agreement, given.n, given.agreement_low, given.agreement_high)


def _probes(found: Calibration) -> tuple[ProbeLine, ...]:
    calibrate = "karat judge calibrate"
    return (
        ProbeLine(
            "attacks",
            "wrong answers that talk to the judge",
            _attacked(found.attacks),
            "karat judge attack",
        ),
        ProbeLine("asked again", "the same answers, three times", _again(found.consistency), calibrate),
        ProbeLine("order swapped", "expected and given change places", _changed(found.position), calibrate),
        ProbeLine("answers padded", "two neutral sentences at the end", _padded(found.length), calibrate),
    )


def _attacked(found: AttackCount | None) -> str:
    if found is None:
        return ""
    refused = found.asked - found.passed_unscreened - found.failed
    parts = [f"{found.passed:,} of {found.asked:,} passed"]
    if found.passed_unscreened > found.passed:
        parts.append(f"{found.passed_unscreened - found.passed:,} more without the screen")
    parts.append(f"{refused:,} refused")
    if found.failed:
        parts.append(f"{found.failed:,} without a verdict")
    return " · ".join(parts)


def _again(found: Probe | None) -> str:
    return "" if found is None or not found.asked else f"{found.same:.3f} said the same, of {found.asked:,}"


def _changed(found: Probe | None) -> str:
    return (
        "" if found is None or not found.asked else f"{found.changed:,} of {count_of(found.asked, 'verdict')} changed"
    )


def _padded(found: Probe | None) -> str:
    if found is None or not found.asked:
        return ""
    effect = found.effect
    if effect is None or effect.mean is None:
        return _changed(found)
    ends = "" if effect.low is None or effect.high is None else f" ({signed(effect.low)} – {signed(effect.high)})"
    return f"{signed(effect.mean)} called right{ends}, of {found.asked:,}"


def _events(records: JudgeRecords, versions: Sequence[str]) -> tuple[Event, ...]:
    """Of all versions that judged the run, the newest first. A version keeps its figures again with each attack and
    check: each calibration and check is named once."""
    found: list[Event] = []
    for version in versions:
        stored = [read_calibration(one.figures) for one in records.calibrations(version)]
        own = {one.created: _calibrated(one) for one in reversed(stored) if one.reviewed}
        own |= {one.at: _checked(version, one) for it in stored[:1] for one in it.drift}
        lines = sorted(own.values(), key=lambda line: line.at, reverse=True)
        if lines:
            lines[0] = msgspec.structs.replace(lines[0], said=next(iter(stored[0].misses), "counts"))
        elif stored:
            lines = [Event(stored[0].created, version, "not calibrated", "", UNKNOWN, None, None)]
        else:
            lines = [Event("", version, "never calibrated", "", UNKNOWN, None, None)]
        found += lines
    return tuple(sorted(found, key=lambda line: line.at, reverse=True))


def _calibrated(one: Calibration) -> Event:
    kappa = one.agreement.kappa.mean
    return Event(one.created, one.version, "calibrated", "", _agreement(one), None, kappa)


def _checked(version: str, one: Drift) -> Event:
    what = "asked again" if one.before == version else f"compared with {one.before}"
    changed = f"{one.changed:,} of {one.asked:,}" + (f", {p_words(one.p)}" if one.changed else "")
    return Event(one.at, version, what, changed, one.agreement, one.agreement_before.mean, None)
