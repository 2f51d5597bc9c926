"""No regular expression of karat runs away: four times the text never takes much more than four times the time.

Texts come from strangers (case files, model answers, servers), so every pattern meets attack strings made of its own
parts. What is judged is growth, with a margin of ten over linear: quadratic passes, cubic and exponential do not.
Seconds decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from karat.core.problems import UserError
from karat.core.results.failures.failures import message_failure
from karat.core.secrets.masking import plain
from karat.core.suite import Unreadable
from karat.judge.prompt_injection import suspicions
from karat.search.chunks.spans import names_document
from karat.suites.answers.strict.found_numbers import find_numbers
from karat.suites.answers.text_to_sql.explain import broken
from karat.suites.answers.text_to_sql.official.spider import prediction_text
from karat.suites.data_query.formats.suspect_ids import refuse_suspect_ids
from karat.suites.data_query.options import Options
from karat.suites.data_query.structures.records import Unusable, empty
from karat.suites.data_query.structures.xml import read_xml, xml_text
from karat.tables.explain.transforms import _DATE_LIKE
from tests.core.regex_attacks import LINEAR, MARGIN, Found, all_patterns, attacks, growth
from tests.suites.data_query.building import sel

LIMIT = LINEAR * MARGIN
LONG = 300_000


def _suspect_id(written: str) -> str:
    """What is wrong with an id, beside the expected MEX."""
    try:
        refuse_suspect_ids([sel({"COUNTRY": ["MEX"]})], sel({"COUNTRY": [(written, "")]}), Options())
    except Unreadable as error:
        return str(error)
    return ""


def _quoted_span(written: str) -> bool:
    try:
        return names_document(written, {})
    except UserError:
        return False


def worst(found: Found) -> str:
    """The attack under which the pattern grows beyond the limit, with its growth; empty when there is none."""
    for attack in attacks(found.pattern):
        grown = growth(found, attack)
        if grown > LIMIT and growth(found, attack) > LIMIT:  # twice: a hiccup of the machine is no finding
            return f"{found.place}: {found.pattern.pattern!r} takes {grown:.0f} times as long for 4 times {attack!r}"
    return ""


def test_every_pattern_is_found() -> None:
    found = {item.place.partition(":")[0] for item in all_patterns()}
    assert {
        "karat.core.secrets.masking",
        "karat.sheet.text.override_rows",
        "karat.suites.data_query.structures.xml",
        "grammar.lark",
    } <= found
    assert "karat.engines.query.guard.REFUSED" in found, "also patterns that are held in a dict"
    assert any(item.pattern.flags & re.VERBOSE for item in all_patterns())


def test_no_pattern_runs_away() -> None:
    assert [told for found in all_patterns() if (told := worst(found))] == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?i)([?&][^=&\s]*(?:key|token|secret|passw|sig)[^=&\s]*=)[^&\s\"']+",  # cubic: once in core/secrets.py
        r"(?s)(?:\s+|<\?.*?\?>|<!--.*?-->)*<(?:[\w.-]+:)?([\w.-]+)",  # exponential: once in structure_xml.py
        r"([|>][-+\d]*)([ \t]+#[^\r\n]*)?[ \t]*(?:(\r\n|\r|\n)(?:[ \t]*(?:\r\n|\r|\n))*([ ]+)(?=\S))?",
        r"(a+)+b",
        r"\d*\d*\d*x",
        r"(?:x|xx|[a-z])*$(?<=0)",
    ],
)
def test_a_pattern_that_runs_away_is_found(pattern: str) -> None:
    assert worst(Found("here", re.compile(pattern)))


@pytest.mark.parametrize("pattern", [r"\s+$", r"[a-z]+@[a-z]+\.com", r'"(?:[^"\\]|\\.)*"'])
def test_a_pattern_that_does_not_is_left_alone(pattern: str) -> None:
    assert not worst(Found("here", re.compile(pattern)))


# -- what the repaired patterns still do ------------------------------------------------------------------------------


def test_secrets_in_urls_are_hidden_as_before() -> None:
    assert plain("GET http://h/x?a=1&api_key=abc&b=2") == "GET http://h/x?a=1&api_key=***&b=2"
    assert plain("http://h/cb#access_token=abc;x=1") == "http://h/cb#access_token=***;x=1"
    assert plain("mysql://u:p/a@s@h/db") == "mysql://***@h/db"
    assert plain("mysql://h/db?author=me&page=2") == "mysql://h/db?author=me&page=2"
    assert plain("?key" * 100_000) == "?key" * 100_000


def test_structures_behind_much_white_space_are_read() -> None:
    text = "\n" * 50_000 + "<!-- a --><?b c?>\n<m:Structure>"
    assert xml_text(text.encode()).endswith("<m:Structure>")
    with pytest.raises(Unusable, match="not valid XML"):
        read_xml(xml_text(b"<?xml?>" + b"\n" * 50_000 + b"<"), empty())


def test_dates_are_told_by_letters_and_digits_after_them() -> None:
    assert all(map(_DATE_LIKE.fullmatch, ("3 March 24", "on Mon, 07 of", "20240101", "1/2/2024")))
    assert not any(map(_DATE_LIKE.fullmatch, ("24 March", "Ma 24", "a 1 b")))


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (_suspect_id, "MEX" + " " * LONG + "x"),
        (_suspect_id, "MEX" + "\t" * LONG + "-"),
        (suspicions, "r=" + "\n" * LONG + "m"),
        (suspicions, "verdict" + " " * LONG),
        (find_numbers, "\n" * LONG + "m"),
        (broken, "select 1\n" + " " * LONG + "x"),
        (prediction_text, "select distinct " + "/*" * LONG),
        (message_failure, "‘" * LONG),
        (_quoted_span, "guide.md" + " " * LONG + "x"),
    ],
)
def test_long_texts_of_strangers_are_read_in_one_pass(read: Callable[[str], object], text: str) -> None:
    """Where each place is tried against all further ones, this takes minutes."""
    assert not isinstance(read(text), Exception)


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("MEX + USA", "joins several codes"),
        ("MEX\t|\tCAN", "joins several codes"),
        ("MEX - Mexico", 'give "MEX" as its id'),
        ("Mexico\t–\tMEX", 'give "MEX" as its id'),
        (" MEX ", 'give "MEX" as its id'),
        ("MEX:Mexico", 'give "MEX" as its id'),
        ("NO-2", ""),
        ("A%", "is a wildcard"),
    ],
)
def test_ids_that_are_no_codes_are_told_as_before(written: str, fault: str) -> None:
    assert fault in _suspect_id(written) and bool(fault) == bool(_suspect_id(written))
