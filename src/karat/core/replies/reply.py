"""What an assistant said, whatever form its response came in.

A suite asks a :class:`Reply` for what it needs: the words, the JSON in them, blocks of code, tool calls. What the forms
are is described for users in ``docs/responses.md`` and read in :mod:`karat.core.replies.response_forms`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.replies.fences import Block, in_languages, split
from karat.core.replies.json_texts import Reach, canonical, decoded, json_in, objects_in
from karat.core.suite import Unreadable

SHOWN = 200
"""Characters of a response that an error shows."""
NAME_THE_PLACE = (
    " If the answer is in one of them, return only that, or name it with response_path (systems of type http)."
)

BEGINNING = " The response begins: "
"""Joins what is wrong with a response and its first characters in a message."""


class ToolCall(msgspec.Struct, frozen=True):
    """A tool or function that the assistant called. ``arguments`` are decoded; a text where they are not JSON."""

    name: str
    arguments: Json


class Candidate(msgspec.Struct, frozen=True):
    """A JSON object that may be the answer, and where it is."""

    value: JsonMapping
    where: str


class Reply(msgspec.Struct, frozen=True):
    """A response, read. ``failure``: why there can be no answer in it; ``cut``: why its end may be missing.

    >>> import karat
    >>> reply = karat.read_reply(b'Here it is: {"ships": 37}')
    >>> reply.json_objects()
    [{'ships': 37}]
    """

    form: str
    """The format of the response, in words."""
    text: str = ""
    """The assistant's text, without the reasoning before it."""
    refusal: str = ""
    """What the model says if it refuses."""
    calls: tuple[ToolCall, ...] = ()
    """The tool calls."""
    structured: tuple[tuple[Json, str], ...] = ()
    """JSON that was given as JSON, and where: structured output, tool results, attachments, the body itself."""
    custom_content: JsonMapping = {}
    """``custom_content`` of a DIAL message."""
    attached: tuple[Block, ...] = ()
    """Texts given in addition, such as DIAL attachments: each a block in its language."""
    body: Json = None
    """The decoded body, for rules that look at a path in it."""
    failure: str = ""
    """Why the response cannot contain an answer; empty if it can."""
    cut: str = ""
    """Why the end of the response may be missing; empty if it is complete."""
    shown: str = ""
    """What an error message shows of the response: its text if it has any, else its body."""

    def json_candidates(self, fits: Callable[[JsonMapping], bool], reach: Reach = "prose") -> list[Candidate]:
        """The JSON objects that fit, each once: given as JSON, as arguments of a tool, in the words and in attachments.

        Words that were cut off are JSON only as a whole: what is whole within them may have been a draft.
        """
        found: dict[bytes, Candidate] = {}
        for value, where in self.json_values(reach):
            for item in objects_in(value):
                inner = _unwrapped(item, fits)
                if inner is not None:
                    found.setdefault(canonical(inner), Candidate(inner, where))
        return list(found.values())

    def json_objects(self) -> list[JsonMapping]:
        """Every JSON object of the response, whatever is in it."""
        return [item for value, _ in self._json("prose") for item in objects_in(value)]

    def json_values(self, reach: Reach = "prose") -> Iterable[tuple[object, str]]:
        """Every object and list of the response, given as JSON or in words, and where; in words that were cut off only
        as a whole."""
        return self._json("whole" if self.cut else reach)

    def _json(self, reach: Reach) -> Iterable[tuple[object, str]]:
        yield from self.structured
        for call in self.calls:
            yield call.arguments, f"the arguments of the tool call {call.name or 'without a name'}"
        yield from json_in(self.text, reach)
        for block in self.attached:
            yield from ((value, "an attachment") for value, _ in json_in(block.text, reach))

    def blocks(self, languages: Collection[str]) -> list[Block]:
        """The fenced blocks in one of these languages, in their order, attachments last."""
        inner = [block for part in self.attached if part.language == "markdown" for block in split(part.text)[0]]
        return in_languages([*split(self.text)[0], *inner, *self.attached], languages)

    @property
    def broken_json(self) -> str:
        """Why the words are no JSON although they begin as if they were; empty where they do not."""
        text = self.text.strip()
        if not text.startswith("{") and not text.startswith(("[{", '["')):
            return ""
        try:
            decoded(text)
        except ValueError as error:
            return f"it starts like JSON but is not valid JSON: {error}"
        return ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it at all."""
        return not (self.text.strip() or self.structured or self.calls or self.attached or self.refusal)

    def nothing(self, wanted: str, expected: str = "") -> Unreadable:
        """The error of a response that holds no answer: why, as far as that can be said."""
        if self.failure:
            return Unreadable(self.failure)
        if self.cut:
            return Unreadable(f"no {wanted} in the response: {self.cut}")
        if self.empty:
            what = "the response is empty" if self.form == "text" else f"{self.form} whose message is empty"
            return Unreadable(what)
        why = f"no {wanted} in the response: {self._why()}" + (f" Expected {expected}." if expected else "")
        return Unreadable(why + (NAME_THE_PLACE if self.form == "JSON" and expected else ""))

    def _why(self) -> str:
        if self.broken_json:
            return f"{self.broken_json}."
        bad = next((call for call in self.calls if isinstance(call.arguments, str)), None)
        if bad is not None:
            return f"the arguments of the tool call {bad.name} are not JSON."
        objects = self.json_objects()
        if objects:
            keys = ", ".join(str(key) for key in list(objects[0])[:8]) or "none"
            return f"its keys are: {keys}."
        if self.text.strip():
            return "it is text without JSON."
        return f"it is {self.form}, not a JSON object."

    def explained(self, error: Unreadable) -> Unreadable:
        """The error with the first characters of the response after it."""
        return Unreadable(with_beginning(str(error), self.shown))


def only_one(candidates: list[Candidate], read: Callable[[JsonMapping], object], wanted: str, plural: str = "") -> Json:
    """What the candidates say, where they all say the same; an error that says so where they differ."""
    if len(candidates) == 1:
        return read(candidates[0].value)
    readings = [read(candidate.value) for candidate in candidates]
    if any(reading != readings[0] for reading in readings):
        places = [candidate.where for candidate in candidates]
        raise Unreadable(
            f"{len(candidates)} different {plural or wanted + 's'} in the response, in {' and in '.join(places)}: "
            "expected exactly one"
        )
    return readings[0]


def with_beginning(message: str, shown: str) -> str:
    """A message and how the response begins."""
    if not shown.strip():
        return message
    said = message.rstrip(". ")
    return f"{said}{'' if said.endswith(('?', '!')) else '.'}{BEGINNING}{excerpt(shown)}"


def excerpt(text: str) -> str:
    """The first characters of a text on one line, control characters escaped."""
    start = "".join(char if char.isprintable() else _escaped(char) for char in text.strip()[:SHOWN])
    return f"{start}…" if len(text.strip()) > SHOWN else start


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _unwrapped(value: JsonMapping, fits: Callable[[JsonMapping], bool]) -> JsonMapping | None:
    """The object that fits: this one, or the one under its ``response``."""
    for _ in range(4):
        if fits(value):
            return value
        inner = value.get("response")
        if not isinstance(inner, Mapping):
            return None
        value = inner
    return None
