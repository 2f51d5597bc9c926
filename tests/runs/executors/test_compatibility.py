"""What a worker must have in common with the caller."""

from __future__ import annotations

import platform

import pytest

from karat.core.problems import UserError
from karat.runs.executors.compatibility import Passport, differences, passport, refuse_different


def test_a_passport_names_python_karat_its_code_and_what_scores() -> None:
    facts = passport().facts
    assert facts["Python"] == ".".join(platform.python_version_tuple()[:2])
    assert facts["karat"] == "0.1.0"
    assert len(facts["the code of karat"]) == 12
    assert facts["pandas"] and facts["duckdb"] and facts["numpy"]
    assert facts["KARAT_MAX_DEPTH"] == "200"
    assert differences(passport(), passport()) == []


def test_every_difference_is_said() -> None:
    here = Passport("a", {"Python": "3.11", "karat": "1", "the code of karat": "x", "pandas": "2", "duckdb": ""})
    assert differences(here, Passport("b", here.facts | {"Python": "3.12"})) == ["Python 3.12 instead of 3.11"]
    assert differences(here, Passport("b", here.facts | {"pandas": ""})) == ["no pandas instead of 2"]
    assert differences(here, Passport("b", here.facts | {"duckdb": "1.4"})) == []
    code = {"the code of karat": "y"}
    assert differences(here, Passport("b", here.facts | code)) == ["other code of the same version of karat"]
    assert differences(here, Passport("b", here.facts | code | {"karat": "2"})) == ["karat 2 instead of 1"]


def test_workers_that_differ_are_named() -> None:
    refuse_different([("tcp://a:1", [])], "tcp://s:8786")
    wrong = [(f"tcp://a:{n}", ["karat 2 instead of 1"]) for n in range(7)]
    with pytest.raises(UserError) as caught:
        refuse_different([("tcp://b:1", []), *wrong], "tcp://s:8786")
    assert caught.value.message.startswith("7 workers of tcp://s:8786 would not score as this machine does: tcp://a:0:")
    assert caught.value.message.endswith("; and 2 more")
    assert "lock file" in caught.value.hint
