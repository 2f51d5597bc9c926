"""What a suite calls its metrics and keeps in its details is known to the suite alone: no other package names it, in
Python, templates or scripts.

The words are collected from the suites themselves: their names, the names of their metrics, and every key of their
details. Words that Karat has in its own records (``error``, ``missing``, ``reason``) are no secret of a suite. What is
left must not appear, except at the places listed here with a reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from karat.core import case_form, explanation, problems, records, report, scores, system
from karat.core import suite as suite_module
from karat.core.case_files import case_file
from karat.core.plugins import load_suite
from karat.core.presentation import code_views
from karat.core.results import result
from karat.reports.json_schema import details_schema
from karat.store.schema import metadata

SOURCE = Path(__file__).parents[2] / "src" / "karat"
ROOMS = ("core", "imports", "stats", "store", "judge", "runs", "reports", "testing", "web", "verbs", "cli")
SUITES = ("answers", "codegen", "data_query", "retrieval")
ONE_SUITE = {
    "cli/measure/answers.py": "the command that scores a submission, as the evaluator of the suite answers does",
    "verbs/answers/submission.py": "what that command does",
    "cli/measure/text_to_sql.py": "the same command where gold is SQL",
    "verbs/answers/questions.py": "what it does then",
    "cli/measure/sheet.py": "the command that evaluates a sheet of the suite retrieval",
    "cli/printing/sheet_tables.py": "what that command prints",
    "verbs/tune.py": "what karat tune does",
    "cli/measure/tune.py": "the command that tunes a sheet of the suite retrieval",
    "cli/setup/structures.py": "the command that lists what structure files of the suite data_query contain",
    "verbs/inputs/structures.py": "what that command does",
}
"""Files of commands that are about one suite."""
EXAMPLE, EXTRA, DRAWING = (
    "an example in a help text",
    "an optional dependency",
    "a word of Vega-Lite, Excel, HTML or the DOM",
)
RECORDED = "a line of recorded answers"
TRACED = "a key under which assistants send the way to an answer"
EXPECTED = "a key of expect, or of what is found"
ALLOWED = {
    ("imports/fields.py", "dimension"): "what a column is that a suite left over, see ImportColumns",
    ("imports/promptfoo.py", "tests"): "a key of promptfoo's files",
    ("imports/reading.py", "tests"): "a key of promptfoo's files",
    ("imports/xlsx.py", "start"): "an event of the XML parser",
    ("judge/reply.py", "confidence"): "a field of a judge's reply",
    ("judge/sample.py", "confidence"): "a field of a judge's reply",
    ("core/results/text.py", "problem"): "the problem of a case, in a word",
    ("reports/sections/expectations.py", "reasons"): "the reasons of expectations",
    ("core/expect/check.py", "seconds"): EXPECTED,
    ("core/expect/schema_rules.py", "seconds"): EXPECTED,
    ("core/expect/sql_tables.py", "db"): EXPECTED,
    ("core/trace/dial.py", "stages"): TRACED,
    ("core/trace/spans/otlp.py", "retrieval"): TRACED,
    ("core/trace/event_streams.py", "candidates"): TRACED,
    ("core/trace/event_streams.py", "result"): TRACED,
    ("core/trace/chat.py", "candidates"): TRACED,
    ("core/trace/mcp.py", "result"): TRACED,
    ("core/trace/message_parts.py", "result"): TRACED,
    ("core/trace/responses_api.py", "result"): TRACED,
    ("core/trace/spans/calls.py", "retrieval"): TRACED,
    ("core/trace/plain.py", "steps"): TRACED,
    ("core/trace/plain.py", "timing"): TRACED,
    ("reports/look/case_form.html", "start"): "the start of an axis",
    ("core/trace/reading.py", "candidates"): TRACED,
    ("core/trace/plain.py", "out_of_scope"): TRACED,
    ("core/trace/plain.py", "result"): TRACED,
    ("core/trace/plain.py", "seconds"): TRACED,
    ("core/installed/extras.py", "answers"): EXTRA,
    ("core/installed/extras.py", "codegen"): EXTRA,
    ("core/installed/extras.py", "retrieval"): EXTRA,
    ("core/replies/tables.py", "result"): "a key under which assistants send tables",
    ("core/replies/response_forms.py", "result"): "a key of replies",
    ("core/replies/other_forms.py", "candidates"): "a key of Gemini's replies",
    ("core/replies/other_streams.py", "candidates"): "a key of Gemini's replies",
    ("core/replies/other_streams.py", "start"): "an event of replies",
    ("verbs/judge/attack.py", "gold"): "a key of files of attacks",
    ("core/replies/stream.py", "stages"): "a key of DIAL's replies",
    ("reports/look/charts.html", "start"): "the start of an axis",
    ("web/templates/live_parts.html", "start"): "the start of an axis",
    ("verbs/explain.py", "reasons"): "the reasons of any suite",
    ("cli/cases/app.py", "coverage"): "the name of a command",
    ("reports/compare/trend.py", "reasons"): "a figure that a suite may have",
    ("reports/html/cases.py", "reasons"): "the reasons of explanations",
    ("web/search/quick_filters.py", "reasons"): "the reasons of explanations",
    (
        "reports/plots/figures.py",
        "precision",
    ): "any two metrics whose names differ in recall and precision are drawn against each other",
    ("reports/plots/figures.py", "recall"): "the same",
    ("reports/console/case.py", "also"): "a heading",
    ("reports/junit.py", "tests"): "an attribute of JUnit's XML",
    ("verbs/exports/case_rows.py", "tests"): "a key of promptfoo's configuration",
    ("reports/patches/review_lines.py", "time"): "the time of a review",
    ("runs/scores/run_scoring.py", "seconds"): "the precision of a time stamp",
    ("stats/gates/rules.py", "data_query"): EXAMPLE,
    ("stats/gates/rules.py", "macro_recall"): EXAMPLE,
    ("stats/gates/rules.py", "fully_right"): EXAMPLE,
    ("web/routes/api.py", "result"): "a key of the viewer's own JSON",
    ("web/routes/case/new_case.py", "result"): "a key of the viewer's own JSON",
    ("web/compare/changes.py", "answers"): "a part of a cache key",
    ("web/routes/login.py", "strict"): "SameSite=strict",
    ("web/compare/baseline.py", "strict"): "SameSite=strict",
    ("web/review/review_panel.py", "strict"): "SameSite=strict",
    ("cli/setup/demo.py", "data_query"): "the example that the last line suggests to change",
    ("cli/setup/init.py", "data_query"): "the suite of a new project when none is named",
    ("cli/setup/imports.py", "data_query"): EXAMPLE,
    ("cli/setup/imports.py", "codegen"): EXAMPLE,
    ("verbs/gate.py", "data_query"): EXAMPLE,
    ("verbs/gate.py", "macro_recall"): EXAMPLE,
    ("verbs/setup/init.py", "data_query"): "the suite of a new project when none is named",
    ("verbs/inputs/work.py", "data_query"): EXAMPLE,
    ("cli/commands.py", "answers"): "the command karat answers",
    ("cli/setup/check.py", "answers"): "the suite of the questions that --questions names",
    ("cli/options/shared.py", "data_query"): EXAMPLE,
    ("cli/options/shared.py", "macro_recall"): EXAMPLE,
}
EVERYWHERE = {
    "runs": "the runs of a store",
    "attempts": RECORDED,
    "left_out": "what becomes of a review in a patch",
    "field": DRAWING,
    "rule": DRAWING,
    "scale": DRAWING,
    "checked": DRAWING,
    "dataset": DRAWING,
    "map": DRAWING,
    "end": DRAWING,
    "plot": DRAWING,
    "panel": DRAWING,
    "words": "a text on a page, or the words of a scoring",
}
"""Words with a meaning of their own in these packages, whatever a suite calls so."""


def own_words() -> set[str]:
    """The fields and states of Karat's own records, and the columns of the store."""
    modules = (
        case_file,
        case_form,
        code_views,
        explanation,
        problems,
        records,
        report,
        result,
        scores,
        suite_module,
        system,
    )
    structs = [
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    ]
    fields = {name for kind in structs for name in kind.__struct_fields__}
    states = {
        *get_args(case_form.KeyState),
        *get_args(code_views.LineMark),
        *get_args(explanation.Outcome),
        *get_args(explanation.PartState),
        *get_args(scores.State),
    }
    columns = {column.name for table in metadata.tables.values() for column in table.columns}
    return fields | states | columns


def suite_words() -> set[str]:
    """What the suites call themselves, their metrics and the keys of their details; every part of a metric's own name
    is one word."""
    found = set(SUITES)
    for name in SUITES:
        suite = load_suite(name)
        found |= {metric.name for metric in suite.metrics}
        for part in details_schema(suite)["$defs"].values():
            found |= set(part.get("properties", ()))
    return found - own_words()


WORDS = suite_words()
UNMISTAKABLE = {word for word in WORDS if "_" in word or word in ("codegen", "spider2")}
"""Words that mean nothing else, so that they count inside a longer text too."""


def named_in_text(text: str) -> set[str]:
    return {text} & WORDS or {word for word in re.findall(r"\w+", text) if word in UNMISTAKABLE}


def python_words(source: str) -> set[str]:
    """The words in the string literals of a module, also inside f-strings; docstrings may name anything."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = (
        node.value for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    )  # fmt: skip
    return {word for text in texts for word in named_in_text(text)}


def page_words(source: str) -> set[str]:
    """The words that a template or script has as a quoted text or after a dot, and the unmistakable ones anywhere."""
    told = re.findall(r"""["'`](\w+)["'`]|\.(\w+)|\[["'](\w+)["']\]""", source)
    return {word for found in told for word in found if word in WORDS} | named_in_text(source)


def places() -> Iterator[tuple[str, set[str]]]:
    """Every file of these packages but the migrations, which are history and stay as they were, and libraries of
    others."""
    for room in ROOMS:
        for file in sorted((SOURCE / room).rglob("*")):
            place = file.relative_to(SOURCE).as_posix()
            if "/migrations/" in place or "/vega" in place or file.name.endswith(".schema.json"):
                continue
            if file.suffix == ".py":
                yield place, python_words(file.read_text(encoding="utf-8"))
            elif file.suffix in (".html", ".j2", ".js", ".css"):
                yield place, page_words(file.read_text(encoding="utf-8"))


def test_no_package_but_the_suites_names_what_a_suite_keeps() -> None:
    found = {(place, word) for place, words in places() if place not in ONE_SUITE for word in words}
    assert sorted(found - set(ALLOWED) - {(place, word) for place, word in found if word in EVERYWHERE}) == []


def test_every_exception_is_needed() -> None:
    found = {(place, word) for place, words in places() for word in words}
    assert sorted(set(ALLOWED) - found) == []
    assert sorted(set(EVERYWHERE) - {word for _, word in found}) == []
    assert sorted(place for place in ONE_SUITE if not (SOURCE / place).is_file()) == []


def test_no_package_but_the_suites_reads_inside_details() -> None:
    """The runner itself adds the cluster and the checks of expectations, and a reason is what a suite that is not
    installed is explained by."""
    inside = re.compile(r"\bdetails(?:\.get\(|\[)([^)\]]*)")
    found = {
        (place, key)
        for room in ROOMS
        for file in (SOURCE / room).rglob("*.py")
        for key in inside.findall(file.read_text(encoding="utf-8"))
        if (place := file.relative_to(SOURCE).as_posix()) not in ONE_SUITE
        and not place.startswith(("core/replies/", "store/migrations/"))
    }
    assert found == {
        ("core/results/result.py", '"cluster"'),
        ("core/explanation.py", '"reason"'),
        ("core/expect/outcome.py", "DETAILS"),
    }


@pytest.mark.parametrize(
    "word", ["data_query", "macro_recall", "label_drift", "spider2", "dimensions", "strict", "fields"]
)
def test_the_words_are_found(word: str) -> None:
    assert word in WORDS
    assert python_words(f'a = x["{word}"]') == {word}
    assert page_words("{{ case." + word + " }}") == {word}
    assert python_words(f'"""{word}"""') == set()


def test_unmistakable_words_are_found_inside_texts() -> None:
    assert python_words('f"see data_query.macro_recall in {place}"') == {"data_query", "macro_recall"}
    assert python_words('"all fields are strict"') == set()
