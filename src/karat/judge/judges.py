"""A system as a judge: any type serves. A recording is a file of verdicts, one per answer."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.files.json import BadJson, decode
from karat.core.files.lines import each_line
from karat.core.json_types import JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction
from karat.core.replies import read_reply as read_body
from karat.core.suite import Suite, Unreadable
from karat.core.system import NoAnswer, RecordedConfig, Request, Response, System, SystemConfig, SystemType
from karat.judge.protocol import Asked
from karat.judge.reply import Fault, Tampered, Verdict, checked, object_of, read_reply

RECORDED = "replay"


class RecordedVerdicts(System):
    """Verdicts from a file: lines ``{"id", "turn", "repeat", "verdict", "reason", "confidence"}``."""

    measures_time = False
    can_be_asked_again = False

    def __init__(self, path: Path) -> None:
        self._verdicts: dict[tuple[str, int, int], JsonObject] = {}
        problems: list[Problem] = []
        for number, line in each_line(path):
            try:
                given = decode(line)
                if not isinstance(given, dict) or not given.get("id"):
                    raise Fault('it needs an "id" and a "verdict"')
                checked(given, None)
                place = [given.get(name) or 0 for name in ("turn", "repeat")]
                if not all(isinstance(one, int) and one >= 0 for one in place):
                    raise Fault('"turn" and "repeat" count from 0')
            except (BadJson, Fault) as error:
                problems.append(Problem(f"this line is not a verdict: {error}", file=str(path), line=number))
                continue
            self._verdicts[str(given["id"]), place[0], place[1]] = given
        if problems:
            raise UserError(f"{path.name} is not a file of verdicts", problems=problems)

    async def call(self, request: Request) -> Response:
        """The recorded verdict on this answer."""
        found = self._verdicts.get((request.case_id, request.turn, request.repeat))
        if found is None:
            raise NoAnswer
        return Response(msgspec.json.encode(found))


def open_judge(config: SystemConfig, suite: Suite) -> System:
    """An open system that can be asked for verdicts."""
    if isinstance(config, RecordedConfig):
        return RecordedVerdicts(Path(config.predictions))
    kind: SystemType = plugins.load(plugins.SYSTEMS, config.type)
    opened: System = kind.open(config, suite)
    return opened


def verdict_in(config: SystemConfig, answer: Prediction, asked: Asked) -> Verdict:
    """The verdict in an answer. Raises Fault or Tampered.

    A function, a command or a recording may give the fields alone, without a token: nothing in the document can have
    written them. What a model wrote needs the token.
    """
    if asked.canary.encode() in answer.response.lower():
        raise Tampered
    given = object_of(answer.response) if config.type in ("function", "command", RECORDED) else None
    if given is not None and "verdict" in given:
        return checked(given, asked.token if "token" in given else None)
    return read_reply(reply_text(answer), asked.token, asked.canary)


def reply_text(answer: Prediction) -> str:
    """The words of a judge's reply, without its thoughts; the whole body where that is an object without any words."""
    try:
        reply = read_body(answer.response)
    except Unreadable as error:
        raise Fault(str(error)) from None
    bare = not reply.text and answer.response.lstrip()[:1] == b"{"
    return answer.response.decode("utf-8", "replace") if bare else reply.text


def served_by(answer: Prediction) -> tuple[str, str]:
    """(the name of the model, its fingerprint) as the server returned them; empty where it did not."""
    try:
        body = msgspec.json.decode(answer.response)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", ""
    if not isinstance(body, dict) or "choices" not in body:
        return "", ""
    return str(body.get("model") or ""), str(body.get("system_fingerprint") or "")
