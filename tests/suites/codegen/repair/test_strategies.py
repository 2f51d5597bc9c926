"""Ways of asking again, compared from the same first answer: what is asked, what is seen, when it stops."""

from __future__ import annotations

import pytest

from karat.core.records import Branch, Case, NextCall, Turn, join_attempts
from karat.suites.codegen.options import Options, Strategy
from karat.suites.codegen.records import Expected, HiddenTest, TableSource, Task
from karat.suites.codegen.repair.strategies import main_line, next_call, strategy_results
from karat.suites.codegen.running.sandbox_client import warm_box

BROKEN = b"def total(frame):\n    print('looking')\n    return frame['pricee'].sum()\nresult = total(df)"
BROKEN_TOO = b"result = df['prise'].sum()"
WRONG = b"result = df['price'].max()"
RIGHT = b"result = df['price'].sum()"
TASK = Task(
    tables={"sales": TableSource(columns={"city": ["Rome", "Oslo", "Bonn", "Bern"], "price": [1.5, 2.5, 3.0, 4.0]})},
    expected=Expected(value=11.0),
    tests=(
        HiddenTest(assertion="result > 100 or 'secret' != ''"),
        HiddenTest(assertion="result > 10", public=True),
    ),
)
CASE = Case("one", (Turn("user", "What is the total price?", TASK),))


def options(*strategies: Strategy, calls: int = 2, samples: int = 3) -> Options:
    return Options(strategies=strategies, perturb="no", max_recovery_attempts=calls, samples=samples)


def call(strategy: Strategy, first: bytes, *answers: bytes, calls: int = 2, samples: int = 3) -> NextCall | None:
    branches = [Branch(strategy, tuple(answer.decode() for answer in answers))] if answers else []
    return next_call(CASE, 0, join_attempts([first], branches), options(strategy, calls=calls, samples=samples))


def test_nothing_is_asked_after_a_right_answer_or_without_strategies() -> None:
    assert call("fresh", RIGHT) is None
    assert next_call(CASE, 0, BROKEN, Options()) is None


def test_repair_shows_the_error_and_goes_on_as_one_conversation() -> None:
    first = call("repair", BROKEN)
    assert first is not None and [response for response, _ in first.exchanges] == [BROKEN]
    second = call("repair", BROKEN, BROKEN_TOO)
    assert second is not None and [response for response, _ in second.exchanges] == [BROKEN, BROKEN_TOO]
    assert call("repair", BROKEN, RIGHT) is None
    assert call("repair", BROKEN, BROKEN_TOO, b"result = df.x") is None  # as many calls as it may have


def test_what_is_seen_and_what_never_is() -> None:
    asked = call("repair", BROKEN)
    assert asked is not None
    ((_, said),) = asked.exchanges
    for part in (
        "KeyError",
        "pricee",
        "Line 3: return frame['pricee'].sum()",
        "Question: What is the total price?",
        "price (float)",
        "Rome | 1.5",
        "Bonn | 3.0",
        "3 |     return frame['pricee'].sum()",
        "Printed output:\nlooking",
        "line 4",
    ):
        assert part in said, part
    assert "Bern" not in said and "11.0" not in said and "secret" not in said and "result > 10" not in said
    hidden = call("repair", BROKEN, samples=0)
    assert hidden is not None and "Rome" not in hidden.exchanges[0][1] and "price (float)" in hidden.exchanges[0][1]


def test_fresh_sends_the_first_prompt_again() -> None:
    for first in (BROKEN, WRONG):
        assert call("fresh", first) == NextCall("fresh", ())
    assert call("fresh", BROKEN, BROKEN_TOO) == NextCall("fresh", ())
    assert call("fresh", BROKEN, WRONG) is None  # it runs: nobody tells it that it is wrong


def test_repair_has_nothing_to_say_to_a_wrong_result() -> None:
    assert call("repair", WRONG) is None


def test_repair_tests_shows_the_first_failing_public_test() -> None:
    asked = call("repair_tests", WRONG)
    assert asked is not None
    said = asked.exchanges[0][1]
    assert "result > 10" in said and "test" in said and "secret" not in said and "11.0" not in said
    assert call("repair_tests", WRONG, RIGHT) is None
    broken = call("repair_tests", BROKEN)
    assert broken is not None and "KeyError" in broken.exchanges[0][1]


def test_restart_repairs_once_and_then_starts_again() -> None:
    first, second = call("restart", BROKEN), call("restart", BROKEN, BROKEN_TOO)
    assert first is not None and len(first.exchanges) == 1
    assert second == NextCall("restart", ())
    assert call("restart", WRONG) == NextCall("restart", ())  # there is no error to show


def test_the_same_answer_is_not_asked_for_a_third_time() -> None:
    assert call("repair", BROKEN, BROKEN, calls=5) is None
    assert call("fresh", BROKEN, b"```python\n" + BROKEN + b"\n```", calls=5) is None


def test_each_strategy_has_its_turn() -> None:
    done = [Branch("repair", (RIGHT.decode(),))]
    found = next_call(CASE, 0, join_attempts([BROKEN], done), options("repair", "fresh"))
    assert found == NextCall("fresh", ())


def test_what_came_of_them() -> None:
    branches = [
        Branch("repair", (BROKEN_TOO.decode(), RIGHT.decode()), 2.0, 20, 0.02),
        Branch("fresh", (WRONG.decode(),), 1.0, 10, 0.01),
        Branch("restart", (BROKEN.decode(),), 1.0, 10, 0.01),
    ]
    response = join_attempts([BROKEN], branches)
    results = strategy_results("What is the total price?", TASK, response, options("repair", "fresh"), warm_box())
    found = [(one.strategy, one.right, one.times_asked, one.ended, one.cost) for one in results]
    assert found == [
        ("repair", True, 2, "ran", 0.02),
        ("fresh", False, 1, "ran", 0.01),
        ("restart", False, 1, "no_change", 0.01),
    ]
    assert main_line(response) == [BROKEN, BROKEN_TOO, RIGHT]
    assert strategy_results("q", TASK, RIGHT, options("repair"), warm_box()) == ()
    (not_asked,) = strategy_results("q", TASK, WRONG, options("repair"), warm_box())
    assert (not_asked.times_asked, not_asked.right, not_asked.ended, not_asked.cost) == (0, False, "ran", 0.0)


@pytest.mark.parametrize("wrong", [{"strategies": ("repair", "repair")}, {"samples": -1}])
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"strategies|samples"):
        Options(**wrong)  # type: ignore[arg-type]  # what is wrong about them is the point
