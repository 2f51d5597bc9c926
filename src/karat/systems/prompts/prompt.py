"""Prompts of live systems: what a question becomes before it is sent. The same for openai, http, command and function.

The prompt is a template that takes the place of the question in the last user message. So ``{question}`` of an ``http``
request, and ``question`` of what a command or function gets, hold the prompt; ``messages`` hold the whole conversation:
the system prompt, the system messages of the case, the examples, the turns so far, the prompt.

A run settles its prompt when it starts: files are read, ``default`` is replaced by the suite's own text, and the
settings with those texts are stored, so that a resumed run asks the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import AnyCase
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import FormattedConfig, PromptedConfig, Request, SystemConfig
from karat.systems.history import question_of
from karat.systems.prompts.rendering import Renderer, RenderFailed
from karat.systems.prompts.template import file_of, problems_in, read_file, variables_in
from karat.systems.response_format import whole_format

DEFAULT = "default"
TEMPLATES = ("prompt", "system_prompt")
FORMAT = "response_format"
VARIABLES = {
    "question": "the question that is asked",
    "conversation": "the messages before it, each with role and content",
    "case_id": "the id of the case",
    "turn": "which user turn is asked, from 0",
    "suite": "the name of the suite",
}
_ASKING = {"question", "conversation", "case_id"}

C = TypeVar("C", bound=SystemConfig)


def known_variables(suite: Suite | None) -> list[str]:
    """The names that a template can use."""
    return [*VARIABLES, *(suite.prompting.hints if suite is not None else ())]


def prompt_texts(config: SystemConfig) -> JsonObject:
    """The settings that can be the name of a file, as far as the system has them: its templates, the form of its
    answers."""
    if not isinstance(config, PromptedConfig):
        return {}
    texts: JsonObject = {"prompt": config.prompt, "system_prompt": config.system_prompt}
    return texts | {FORMAT: config.response_format} if isinstance(config, FormattedConfig) else texts


def rooted(config: C, root: Path) -> C:
    """The settings with prompt files named from the project's folder, whatever the working folder is."""
    changed: JsonObject = {}
    for name, given in prompt_texts(config).items():
        if isinstance(given, str) and given not in ("", DEFAULT) and (file := file_of(given, root, ())) is not None:
            changed[name] = str(file)
    return msgspec.structs.replace(config, **changed) if changed else config


def template_text(name: str, given: str, suite: Suite | None, folder: Path) -> tuple[str, str]:
    """(the text of a setting, the file it comes from)."""
    if name == "prompt" and given.strip() == DEFAULT:
        return (suite.prompting.default if suite is not None else "{{ question }}"), ""
    file = file_of(given, folder)
    return (given, "") if file is None else (read_file(file), str(file))


def template_problems(name: str, text: str, suite: Suite | None, file: str = "") -> list[Problem]:
    """Every mistake in the text of a prompt that can be seen before it is rendered."""
    known = known_variables(suite)
    found = problems_in(text, known, file)
    if not found and name == "prompt" and not variables_in(text) & _ASKING:
        hint = "Put {{ question }} where the question belongs."
        found.append(Problem("the prompt is the same for every case", file=file, hint=hint))
    return found


def settled(
    config: C, suite: Suite, options: SuiteOptions, folder: Path | None = None, cases: Sequence[AnyCase] = ()
) -> C:
    """The settings with the texts of their prompts in place of files and words. UserError for what cannot be used."""
    here, problems, changed = folder or Path.cwd(), list[Problem](), JsonObject()
    texts = prompt_texts(config)
    for name in TEMPLATES:
        if not (given := texts.get(name)):
            continue
        changed[name], file = template_text(name, given, suite, here)
        problems += template_problems(name, changed[name], suite, file)
    if problems:
        raise UserError(f"{count_of(len(problems), 'mistake')} in the prompt", problems=problems)
    if texts.get(FORMAT):
        changed[FORMAT] = whole_format(texts[FORMAT], suite, options, here, cases)
    return msgspec.structs.replace(config, **changed) if changed else config


def prompt_hash(config: SystemConfig, hints: Iterable[JsonMapping] = ()) -> str:
    """A short hash of all that makes the prompt: texts, examples, response format, the hints it uses. Empty when the
    bare question is sent."""
    texts = prompt_texts(config)
    parts: list[object] = [texts.get(name, "") for name in TEMPLATES]
    parts += [list(config.few_shot) if isinstance(config, PromptedConfig) else [], texts.get(FORMAT) or None]
    if not any(parts):
        return ""
    encode = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode
    used = sorted({hashlib.sha256(encode(dict(values))).hexdigest() for values in hints if values})
    return hashlib.sha256(encode([*parts, used])).hexdigest()[:12]


class Prompt:
    """A settled prompt: makes the request that is sent from the one that is asked."""

    def __init__(self, config: PromptedConfig, suite: Suite) -> None:
        self._prompt, self._system, self._examples = config.prompt, config.system_prompt, config.few_shot
        self._suite = suite
        names = variables_in(self._prompt) | variables_in(self._system)
        self.hints = tuple(name for name in suite.prompting.hints if name in names)
        """The hints that the templates use; no others need to be computed."""

    def applied(self, request: Request, hints: JsonMapping, renderer: Renderer) -> Request:
        """The request with its prompt. Raises RenderFailed."""
        system = [message for message in request.messages if message.get("role") == "system"]
        others = [message for message in request.messages if message.get("role") != "system"]
        variables = {
            "question": question_of(request.messages),
            "conversation": [{key: m.get(key) or "" for key in ("role", "content")} for m in others[:-1]],
            "case_id": request.case_id,
            "turn": request.turn,
            "suite": self._suite.name,
            **hints,
        }
        if self._system:
            said = {"role": "system", "content": self._text("system_prompt", self._system, variables, renderer)}
            system = [said] if self._suite.prompting.own_system_message else [said, *system]
        if self._prompt and others:
            asked = self._text("prompt", self._prompt, variables, renderer)
            others = [*others[:-1], {**others[-1], "content": asked}]
        return msgspec.structs.replace(request, messages=(*system, *self._examples, *others))

    def _text(self, name: str, template: str, variables: JsonMapping, renderer: Renderer) -> str:
        try:
            text = renderer.render(template, variables)
        except RenderFailed as error:
            where = f"line {error.line} of the {name}" if error.line else f"the {name}"
            raise RenderFailed(f"{where} cannot be rendered: {error.message}", error.line, name) from None
        if not text.strip():
            raise RenderFailed(f"the {name} is empty for this case", 0, name)
        return text


def prompt_of(config: SystemConfig, suite: Suite) -> Prompt | None:
    """The prompt of settled settings; None when the conversation is sent as it is."""
    if not isinstance(config, PromptedConfig) or not (config.prompt or config.system_prompt or config.few_shot):
        return None
    return Prompt(config, suite)
