"""One case in the terminal: the layout of ``karat show``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from karat.core.explanation import Cells, Line, Part
from karat.core.metric import Kind
from karat.core.problems import count_of
from karat.reports.cases.case_view import Answer, CaseView, Figure
from karat.reports.cases.difference import json_or_none
from karat.reports.console.page import LABEL, Page, Span, plain
from karat.reports.console.run import figure

if TYPE_CHECKING:
    from rich.console import Console

MOST = 24
"""Lines of one text on a screen; the rest is in ``--json``."""
ALSO = 8
"""Further scores that are listed."""
STYLES = {"same": "", "found": "green", "missing": "red", "extra": "yellow", "changed": "magenta"}
SIGNS = {"same": "  ", "found": "= ", "missing": "- ", "extra": "+ "}


def print_case(view: CaseView, console: Console, against: CaseView | None = None) -> None:
    """Question, expected, given, difference, reason, scores; with ``against``, what the other run gave, and how the
    scores moved."""
    page = Page(console)
    _heading(page, view)
    for role, text in view.conversation:
        _text(page, "question" if role == "user" else role, text)
    for answer in view.answers:
        _answer(page, answer)
    if not any(answer.given for answer in view.answers):
        page.labelled("given", [("nothing", "yellow")])
    _difference(page, view)
    _why(page, view)
    if against is not None:
        page.line([])
        page.line([(f"against {plain(against.run.id)}", "bold"), (f"  {against.status}", _status(against.status))])
        for answer in against.answers:
            _text(page, _label("given", answer.label), _given(answer) or "nothing")
        _difference(page, against)
        _why(page, against)
    _scores(page, view, against)


def _heading(page: Page, view: CaseView) -> None:
    run = [part for part in (view.run.suite, view.run.id, view.run.name, view.run.system) if part]
    spans: list[Span] = [(plain(view.id), "bold"), (f"  {view.status.replace('_', ' ')}", _status(view.status))]
    page.line([*spans, (f"   {plain(' · '.join(run))}", "dim")], whole=True)
    more = [part for part in (view.name, ", ".join(view.tags)) if part]
    if more:
        page.line([(plain(" · ".join(more)), "dim")], whole=True)


def _status(status: str) -> str:
    return {"scored": "", "error": "bold red", "missing": "yellow"}.get(status, "dim")


def _label(word: str, part: str) -> str:
    return f"{word}, {part}" if part else word


def _answer(page: Page, answer: Answer) -> None:
    if answer.expected is not None:
        _text(page, _label("expected", answer.label), as_yaml(answer.expected))
    if answer.given:
        _text(page, _label("given", answer.label), _given(answer))
    if answer.lines and any(line.mark != "same" for line in answer.lines):
        _marked(page, answer.lines)


def _given(answer: Answer) -> str:
    parsed = json_or_none(answer.given)
    return answer.given if parsed is None else as_yaml(parsed)


def as_yaml(value: object) -> str:
    """A target as a person would write it down: texts of several lines as they are."""
    import yaml

    class Written(yaml.SafeDumper):
        pass

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    if isinstance(value, str):
        return value
    Written.add_representer(str, text)
    written = yaml.dump(value, Dumper=Written, sort_keys=False, allow_unicode=True, width=100).rstrip()
    return written.removesuffix("\n...")  # how YAML ends a document that is one plain value


def _text(page: Page, label: str, text: str, style: str = "") -> None:
    lines = text.splitlines() or [""]
    if len(label) >= LABEL:
        page.line([(plain(label), "dim")])
        label = ""
    most = MOST if page.cuts else len(lines)
    for line in lines[:most]:
        page.wrapped(label, [(plain(line), style)])
        label = ""
    if len(lines) > most:
        page.labelled("", [(f"… {count_of(len(lines) - most, 'more line')}; --json has all of them", "dim")])


def _marked(page: Page, lines: Sequence[Line]) -> None:
    """Only the lines around a difference, so that it is found in a long text."""
    near = {place + step for place, line in enumerate(lines) if line.mark != "same" for step in (-1, 0, 1)}
    rows = [(SIGNS[line.mark] + plain(line.text), line.mark) for i, line in enumerate(lines) if i in near]
    _rows(page, rows, "code")


def _rows(page: Page, rows: Sequence[tuple[str, str]], label: str = "difference") -> None:
    most = MOST if page.cuts else len(rows)
    for text, mark in rows[:most]:
        page.wrapped(label, [(text, STYLES[mark])])
        label = ""
    if len(rows) > most:
        page.labelled("", [(f"… {count_of(len(rows) - most, 'more line')}; --json has all of them", "dim")])


# -- the difference in the suite's own terms --------------------------------------------------------------------------


def _difference(page: Page, view: CaseView) -> None:
    rows = [row for item in view.parts for row in _terms(item)]
    if view.cells is not None:
        rows += _cells(view.cells)
    if rows:
        _rows(page, rows)


def _terms(item: Part) -> Iterable[tuple[str, str]]:
    note = f" ({plain(item.note)})" if item.note else ""
    yield f"{plain(item.label)}{note}", "same"
    for mark in ("found", "missing", "extra"):
        for term in getattr(item, mark):
            yield f"  {SIGNS[mark]}{plain(term)}", mark


def _cells(cells: Cells) -> Iterable[tuple[str, str]]:
    if cells.sizes:
        yield plain(cells.sizes), "same"
    for expected, given, equal in cells.nearest:
        near = f"nearest given: {given}, {equal}" if given else "no similar column was given"
        yield f"column {plain(expected)}: {plain(near)}", "missing" if not given else "same"
    for row in cells.rows:
        for name, cell in zip(cells.columns, row.cells, strict=False):
            where = f"{row.label}, {name}"
            if cell.mark == "changed":
                yield f"{plain(where)}: expected {plain(cell.expected)}, given {plain(cell.given)}", "changed"
            elif cell.mark != "same":
                yield f"{SIGNS[cell.mark]}{plain(where)}: {plain(cell.expected or cell.given)}", cell.mark


# -- why, and the figures ---------------------------------------------------------------------------------------------


def _why(page: Page, view: CaseView) -> None:
    if view.error:
        _text(page, "error", view.error, "red")
    elif view.reason:
        _text(page, "reason", view.reason)
    if view.note:
        _text(page, "note", view.note)
    group = view.failure_group
    if group is not None:
        page.wrapped("group", [(plain(group.label), ""), (f" · {count_of(group.cases, 'case')} of the run", "dim")])


def _scores(page: Page, view: CaseView, against: CaseView | None) -> None:
    others = {item.metric: item for item in against.figures} if against is not None else {}
    moved = {item.metric for item in view.figures if against is not None and _moved(item, others.get(item.metric))}
    shown = [item for item in view.figures if item.headline or item.metric in moved]
    shown.sort(key=lambda item: not item.headline)
    width = max((len(item.title) for item in shown), default=0)
    label = "scores"
    for item in shown:
        spans: list[Span] = [(item.title.ljust(width), ""), (f"  {_value(item, item.kind):>8}", "bold")]
        if against is not None and against.run.id:
            other = others.get(item.metric)
            spans.append((f"  {plain(against.run.id)} {_value(other, item.kind):>8}", "cyan"))
        if item.reason and item.reason != view.error:
            spans.append((f"  {plain(item.reason)}", "dim"))
        page.wrapped(label, spans)
        label = ""
    rest = [item for item in view.figures if item not in shown and item.value is not None]
    if rest:
        more = [f"{len(rest) - ALSO} more in --json"] if len(rest) > ALSO else []
        page.parts("also", [f"{item.title} {_value(item, item.kind)}" for item in rest[:ALSO]] + more)


def _moved(item: Figure, other: Figure | None) -> bool:
    return item.value != (other.value if other is not None else None)


def _value(item: Figure | None, kind: Kind) -> str:
    return "none" if item is None else figure(item.value, kind)
