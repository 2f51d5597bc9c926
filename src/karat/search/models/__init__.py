"""Models by name: those of karat, those of other packages (entry points ``karat.models``), and those whose name says
where they are.

``bm25``, ``wordllama``, ``minilm``; ``bge-small-en-v1.5`` and others of fastembed; ``openai:MODEL``;
``python:module:function``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

from karat.core import plugins
from karat.core.problems import UserError, nearest
from karat.search.models import bm25, fastembed, function, minilm, openai, wordllama
from karat.search.models.info import ModelInfo
from karat.search.models.rows import CheckedEmbedding
from karat.search.records import Model

__all__ = ["DEFAULT_MODEL", "GROUP", "ModelInfo", "known_models", "load_model"]

DEFAULT_MODEL = "wordllama"
GROUP = "karat.models"

_NAMED: dict[str, Callable[[], Model]] = {
    "bm25": bm25.model,
    "wordllama": wordllama.model,
    "minilm": minilm.model,
    **{name: partial(fastembed.model, name) for name in fastembed.MODELS},
}
_BY_PREFIX: dict[str, Callable[[str], Model]] = {
    fastembed.PREFIX: fastembed.model,
    openai.PREFIX: openai.model,
    function.PREFIX: function.model,
}


def load_model(name: str, *, trusted: bool = True) -> Model:
    """The model of this name. UserError with the nearest name for an unknown one, and with what to install for one that
    is not ready.

    ``trusted=False`` is for names out of a file that somebody else may have written: those that run code or send the
    texts to an address of their own choosing are refused.
    """
    name = name.strip()
    if not trusted and (name.startswith(function.PREFIX) or openai.names_address(name)):
        what = "sends texts to an address" if openai.names_address(name) else "runs code"
        raise UserError(
            f'the model "{name}" {what}, which a file is not allowed to request',
            hint="If you trust it, name it on the command line or in Python.",
        )
    for prefix, open_model in _BY_PREFIX.items():
        if name.startswith(prefix):
            return open_model(name)
    if name in _NAMED:
        return _NAMED[name]()
    if name in _plugin_names():
        return _plugin(name)
    raise _unknown(name)


def unknown_model(name: str) -> UserError | None:
    """What is wrong with a model's name; None where there may be such a model. Nothing is loaded."""
    name = name.strip()
    known = name in _NAMED or any(name.startswith(prefix) for prefix in _BY_PREFIX) or name in _plugin_names()
    return None if known or "(" in name else _unknown(name)  # with parentheses: made of other models


def known_models() -> tuple[ModelInfo, ...]:
    """Every model that can be named here, the cheapest first. Those of karat are not loaded; those of other packages
    are."""
    own = (bm25.info(), wordllama.info(), minilm.info(), *fastembed.infos(), function.info(), openai.info())
    return tuple(sorted((*own, *map(_plugin_info, _plugin_names())), key=lambda found: found.cost))


def _plugin_names() -> list[str]:
    return [name for name in plugins.names(GROUP) if name not in _NAMED]


@cache
def _plugin(name: str) -> Model:
    """The model of another package: the object behind the entry point, or what it returns when called."""
    try:
        found = plugins.load(GROUP, name)
        found = found() if callable(found) else found
    except UserError:
        raise
    except (Exception, SystemExit) as error:
        raise plugins.broken(GROUP, name, f"cannot be loaded: {type(error).__name__}: {error}") from error
    return _sound(found, name)


def _sound(found: object, name: str) -> Model:
    """The model under the name it was asked by, with its vectors checked."""
    if not isinstance(found, Model) or (found.embed is None) == (found.score is None):
        why = (
            "does not give a model: it must be a karat.Model with either embed or score, or a function without "
            "arguments that returns one"
        )
        raise plugins.broken(GROUP, name, why)
    checked = None if found.embed is None else CheckedEmbedding(name, found.embed)
    return replace(found, name=name, embed=checked)


def _plugin_info(name: str) -> ModelInfo:
    package = plugins.packages(GROUP, name)[0]
    try:
        return ModelInfo(name, describe_model(name), True, "", None, _plugin(name).cost, package)
    except UserError as error:
        return ModelInfo(name, f"of {package}", False, error.message, package=package)


def describe_model(name: str) -> str:
    """What a model of another package gives. UserError when it cannot be loaded, or Karat has one of that name."""
    if name in _NAMED:
        raise plugins.broken(GROUP, name, "has the name of a model of Karat, which is used")
    what = "scores of its own" if _plugin(name).embed is None else "vectors"
    return f"{what}, by {plugins.packages(GROUP, name)[0]}"


def _unknown(name: str) -> UserError:
    known = known_models()
    close = nearest(name, [found.name for found in known])
    meant = f'Did you mean "{close[0]}"? ' if close else ""
    ready = ", ".join(found.name for found in known if found.ready)
    return UserError(f'there is no model "{name}"', hint=f"{meant}Ready here: {ready}. karat models lists all of them.")
