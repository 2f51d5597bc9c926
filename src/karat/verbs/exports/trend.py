"""``karat report --trend``: the releases of a suite, from the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import UserError
from karat.core.records import Case
from karat.core.suite import Suite

if TYPE_CHECKING:
    from karat.reports.compare.trend import Trend
    from karat.store.records import RunRow
    from karat.store.store import Store

RELEASE = "release:"
"""What the tag of a release begins with."""
MOST_RUNS = 100_000


def release_tag(label: str) -> str:
    """The tag of a release. UserError for an empty label."""
    if not label.strip():
        raise UserError("--release needs a label", hint="For example: karat run --release 1.4")
    return f"{RELEASE}{label.strip()}"


def read_trend(store: Store, suite: str | None) -> Trend:
    """The newest run of every release, oldest first. UserError where there is none, or the suite is not clear."""
    from karat.reports.compare.trend import trend_of

    rows = [(label, row) for row in store.runs(MOST_RUNS, suite) if row.scoring is not None for label in _labels(row)]
    if suite is not None:
        plugins.load_suite(suite)  # an unknown one is an error of its own
    if not rows:
        raise UserError("no stored run has a release", hint="Label one: karat run --release 1.4")
    suites = sorted({row.suite for _, row in rows})
    if len(suites) > 1:
        raise UserError(
            f"there are releases of several suites: {', '.join(suites)}", hint=f"Choose one: --suite {suites[0]}"
        )
    newest = dict(sorted(rows, key=lambda item: item[1].id))  # of one label the last
    ordered = sorted(newest.items(), key=lambda item: item[1].id)
    own = plugins.load_suite(suites[0])
    results = [(label, store.result(row.id)) for label, row in ordered]
    numbers = {result.run.id: row.id for (_, result), (_, row) in zip(results, ordered, strict=True)}
    return trend_of(results, own, lambda result: _truths(store, numbers[result.run.id], own))


def _truths(store: Store, run_id: int, suite: Suite) -> dict[str, bytes]:
    """What each case of a run asks and expects, as the run kept it."""
    decoder = msgspec.json.Decoder(Case[suite.target])  # type: ignore[name-defined]  # a run-time type
    encoder = msgspec.json.Encoder(order="deterministic")
    found: dict[str, bytes] = {}
    for chunk in store.case_chunks(run_id):
        for data in chunk:
            try:
                case = decoder.decode(data)
                found[case.id] = encoder.encode(suite.truth(case))
            except msgspec.ValidationError:  # an earlier version wrote it otherwise: as it is there
                plain = msgspec.json.decode(data)
                found[plain["id"]] = encoder.encode(plain.get("conversation"))
    return found


def _labels(row: RunRow) -> list[str]:
    return [tag.removeprefix(RELEASE) for tag in row.tags if tag.startswith(RELEASE)]


def write_trend(trend: Trend, *, json: str | None, xlsx: Path | None, html: Path | None) -> list[str]:
    """Write what is asked for; returns the names of the files. The JSON is printed where its name is ``-``."""
    from karat.core.files.atomic import write_bytes
    from karat.reports.compare.trend import trend_json, trend_report

    written: list[str] = []
    newest = trend.releases[-1].result
    if xlsx is not None:
        from karat.reports.excel.workbook import write_xlsx

        write_xlsx(trend_report(trend), xlsx)
        written.append(str(xlsx))
    if html is not None:
        from karat.reports.html.report import write_html
        from karat.stats.intervals.estimates import estimate

        write_html(newest, trend_report(trend), trend.suite.metrics_for(newest.run.headline), estimate, html)
        written.append(str(html))
    if json is not None and json != "-":
        data = msgspec.json.encode(trend_json(trend))
        write_bytes(Path(json), msgspec.json.format(data, indent=2) + b"\n")
        written.append(json)
    return written
