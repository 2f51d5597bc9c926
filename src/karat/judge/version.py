"""Which judge it is: a hash of everything that may change its verdicts, and nothing else.

Protocol, type of system, model, parameters and rubric count. Addresses, keys, limits and prices do not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

import msgspec

from karat.core.json_types import JsonObject
from karat.core.system import FormattedConfig, SystemConfig
from karat.judge.protocol import PROTOCOL
from karat.judge.reply import SCHEMA

_LIMITS = ("concurrency", "requests_per_minute", "timeout", "retries", "backoff", "prices", "stream")
_ADDRESS = ("base_url", "url", "headers", "api_key_env", "api_key_header", "env", "cwd")
_SUFFIX = re.compile(
    r"[-_.:@](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{6,8}|\d{3,4}|v\d+:\d+|(?:\d+x|a)?\d+(?:\.\d+)?[bmk]"
    r"|latest|preview|instruct|chat|it|mini|nano|small|medium|large|q\d\w*|fp16|bf16|awq|gptq)$"
)


def prepared(config: SystemConfig) -> SystemConfig:
    """The settings of a system as a judge: temperature 0, a seed and the form of the reply, unless they say
    otherwise."""
    given = msgspec.structs.asdict(config)
    changes: JsonObject = {}
    if isinstance(config, FormattedConfig) and config.response_format is None:
        changes["response_format"] = SCHEMA
    if given.get("temperature", 0.0) is None:
        changes["temperature"] = 0.0
    extra = given.get("extra_body", "")
    if extra is None or (isinstance(extra, dict) and "seed" not in extra):
        changes["extra_body"] = {"seed": 1, **(extra or {})}
    return msgspec.structs.replace(config, **changes) if changes else config


def parameters(config: SystemConfig) -> JsonObject:
    """What of the settings may change a verdict."""
    given: JsonObject = msgspec.to_builtins(config)
    return {name: value for name, value in given.items() if name not in _LIMITS + _ADDRESS}


def version_of(config: SystemConfig, rubric: str) -> str:
    """``j-`` and eight digits."""
    return "j-" + _hash([PROTOCOL, parameters(config), rubric])[:8]


class Keys:
    """The keys of replies: everything that was sent, and which time it was."""

    def __init__(self, config: SystemConfig) -> None:
        self._parameters = _hash([PROTOCOL, parameters(config)])
        self._rubrics: dict[str, str] = {}

    def of(self, rubric: str, text: str, numbers: Iterable[int]) -> list[str]:
        """The key of each reply about one document."""
        own = self._rubrics.get(rubric)
        if own is None:
            own = self._rubrics[rubric] = hashlib.sha256(rubric.encode("utf-8", "surrogatepass")).hexdigest()
        body = hashlib.sha256(f"{self._parameters}{own}\n".encode() + text.encode("utf-8", "surrogatepass"))
        found = []
        for number in numbers:
            one = body.copy()
            one.update(b"\n%d" % number)
            found.append(one.hexdigest())
        return found


def _hash(value: object) -> str:
    text = msgspec.json.encode(value, order="deterministic") if _plain(value) else repr(value).encode()
    return hashlib.sha256(text).hexdigest()


def _plain(value: object) -> bool:
    try:
        msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False
    return True


def model_of(config: SystemConfig) -> str:
    """The model that a system names; empty where it names none."""
    return str(msgspec.structs.asdict(config).get("model") or "")


def same_model(first: str, second: str) -> bool:
    """Whether two models are the same up to a date, a size, or how they were tuned or packed."""
    return bool(first) and bool(second) and _stem(first) == _stem(second)


def _stem(name: str) -> str:
    stem = name.lower().rpartition("/")[2]
    while (shorter := _SUFFIX.sub("", stem)) != stem and shorter:
        stem = shorter
    return stem
