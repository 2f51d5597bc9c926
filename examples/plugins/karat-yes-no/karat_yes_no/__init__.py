"""Questions that are answered with yes, no, or unknown where the data do not say."""

import re
from pathlib import Path
from typing import Literal

import msgspec

from karat import Case, CaseFiles, CaseRow, Explanation, Metric, Part, Prediction, Prompting, Score, Suite, SuiteOptions
from karat import explaining, read_recorded, read_reply, scored, stream_recorded

FIRST_WORD = re.compile(r"\W*(yes|no|unknown)\b(?!\s*(?:and|or|/)\s*(?:yes|no)\b)", re.IGNORECASE)


class Row(CaseRow, frozen=True, kw_only=True):
    """A case in a file: ``id``, ``question``, ``tags`` and what else every case has, and the right answer."""

    answer: Literal["yes", "no", "unknown"]


class Comparison(msgspec.Struct, frozen=True):
    expected: str
    given: str


def read_answer(response: bytes) -> str:
    """The key ``answer`` of JSON, or the first word of a text. Anything else is an error, not a wrong answer."""
    reply = read_reply(response, own=("answer",))
    given = [str(found.value["answer"]) for found in reply.json_candidates(lambda value: "answer" in value)]
    found = {match[1].lower() for text in given or [reply.text] if (match := FIRST_WORD.match(text))}
    if reply.failure or len(found) != 1:
        raise reply.nothing("yes, no or unknown", 'one of the words first, or {"answer": "yes"}')
    return found.pop()


def compare(case: Case[str], turn: int, prediction: Prediction, options: SuiteOptions) -> Comparison:
    return Comparison(case.conversation[turn].target or "", read_answer(prediction.response))


def explain(found: Comparison, target: str | None) -> Explanation:
    if found.given == found.expected:
        return Explanation(outcome="right", parts=(Part("answer", found=(found.given,)),))
    said = f"said {found.given}, expected {found.expected}"
    part = Part("answer", missing=(found.expected,), extra=(found.given,))
    return Explanation(outcome="wrong", reason=said, headline=said, parts=(part,))


def right(found: Comparison) -> Score:
    return scored(float(found.given == found.expected))


def careful(found: Comparison) -> Score:
    return scored(float(found.given in ("unknown", found.expected)))


files = CaseFiles(Row, target=lambda row: row.answer)
suite = Suite(
    name="yes_no",
    summary="questions that are answered with yes, no or unknown",
    target=str,
    options=SuiteOptions,
    metrics=(
        Metric("right", "right", "1 if the answer is the expected one", right, kind="rate", headline=True),
        Metric("careful", "careful", "0 for a yes or no that is wrong, else 1", careful, kind="rate", headline=True),
    ),
    load_cases=files.load,
    stream_cases=files.stream,
    cases_from=files.given,
    recognises=files.recognises,
    read_predictions=read_recorded,
    stream_predictions=stream_recorded,
    compare=compare,
    details=lambda turns: turns[0][1],
    explain=explaining(Comparison, explain),
    prompting=Prompting(default="{{ question }}\nAnswer with one word: yes, no or unknown.\n"),
    example=Path(__file__).parent / "example",
)
