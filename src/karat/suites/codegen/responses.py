"""A response as code. ``docs/responses.md`` lists the forms a response may have; what counts as code in them:

- JSON with ``code`` (or ``completion``, ``solution``, …), as a body, in a fenced block, as arguments of a tool;
- Python blocks, of which the last is the answer, with the earlier ones that it goes on from;
- words that are Python. Words that are none are unreadable: they would fail as code, and that failure would measure
  nothing.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Mapping

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.records import attempts
from karat.core.replies import Reply, only_one, read_reply
from karat.core.replies.failures import refuse_empty_failures
from karat.core.replies.fences import split
from karat.core.replies.json_texts import json_in
from karat.core.suite import Unreadable
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.running.code_blocks import PYTHON, block_in, whole_code_in

OWN_KEYS = ("code", "completion", "solution")
NAMES = (*OWN_KEYS, "python", "python_code", "source_code", "script")
LESS_LIKELY = ("answer", "text", "content", "output")
EXPECTED = 'a Python block, or JSON with "code"'
_WORD = re.compile(r"[^\W\d_]+")
_IN_A_ROW = re.compile(r"\W*[^\W\d_]+ [^\W\d_]+ [^\W\d_]+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_LIKE_CODE = re.compile(r"=|\w[(\[]|\w\.[a-zA-Z_]|^\s*(?:import|from|def|for|while|if|with|return|class|print|raise)\b")
"""Signs of a statement in code that is broken; a sentence about a result may have all others (2/7, 28.6 %, [1])."""
_HTML = re.compile(r"</(?:p|div|code|pre|span|ul|ol|li|b|strong|table|h[1-6])>|<br\s*/?>", re.IGNORECASE)
_CODE_SIGNS = re.compile(r"[=\[\]{}<>+*/%@#\\_`|&^~]|\w\(|\.\w|\w:\w|^[.)\],;]")


def code_of(response: bytes) -> str:
    """The code that a response holds. Raises :class:`Unreadable` when it holds none."""
    return whole_code_in(text_of(response))


def understand(response: bytes, _options: object) -> JsonObject:
    """What is read from one response, for ``karat check --response``."""
    codes = [code_of(attempt) for attempt in attempts(response)]
    return {"code": codes[0]} if len(codes) == 1 else {"attempts": codes}


def text_of(response: bytes, *, continues: bool = False) -> str:
    """The part of a response that holds its code. ``continues``: the code goes on from a program and need be no
    program itself.

    Raises :class:`Unreadable` with the reason when there is no code in the response.
    """
    reply = read_reply(response, OWN_KEYS)
    try:
        return _text(reply, response, continues=continues)
    except Unreadable as error:
        raise reply.explained(error) from error


def _text(reply: Reply, response: bytes, *, continues: bool) -> str:
    if reply.failure:
        raise Unreadable(reply.failure)
    for names in (NAMES, LESS_LIKELY):
        found = _json_code(reply, names)
        if found is not None:
            return found
    if reply.refusal:
        return f"# refused: {' '.join(reply.refusal.split())}"
    if reply.cut:
        raise reply.nothing("code", EXPECTED)
    called = [call.arguments for call in reply.calls if isinstance(call.arguments, str) and syntax_tree(call.arguments)]
    if called and not reply.text.strip():
        return called[-1]
    attached = [block for block in reply.attached if block.language in PYTHON or block_in(block.text) is not None]
    if attached and block_in(reply.text) is None:
        last = attached[-1]
        return f"```python\n{last.text}\n```" if last.language in PYTHON else last.text
    if not reply.text.strip():
        return _bare_json(reply, response, continues=continues)
    return _checked(reply, continues=continues)


def _json_code(reply: Reply, names: tuple[str, ...]) -> str | None:
    candidates = reply.json_candidates(lambda value: _code_in(value, names) is not None, "fenced")
    refuse_empty_failures(candidates, lambda value: _code_in(value, names) is not None)
    return only_one(candidates, lambda value: _code_in(value, names), "code") if candidates else None


def _code_in(value: JsonMapping, names: tuple[str, ...]) -> str | None:
    return next((value[name] for name in names if isinstance(value.get(name), str)), None)


def _bare_json(reply: Reply, response: bytes, *, continues: bool) -> str:
    """A list or number may be a Python expression, and so may an object where the answer continues a program."""
    if continues and not response:  # a sample of a published set that says nothing is a wrong one there
        return ""
    is_object = isinstance(reply.body, Mapping)
    if reply.empty or (is_object and not (continues and reply.form == "JSON")):
        raise reply.nothing("code", EXPECTED)
    return response.decode("utf-8-sig")


def _checked(reply: Reply, *, continues: bool) -> str:
    """The words, if they are or hold code."""
    text = reply.text
    block = block_in(text)
    if block is not None:
        if not block.strip():
            raise Unreadable("no code in the response: its code block is empty.")
        return text
    if split(text)[0]:
        raise Unreadable("no code in the response: none of its blocks is Python.")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not continues and (_is_json(text) or all(map(_is_json, lines))):
        raise reply.nothing("code", EXPECTED)
    broken = not continues and syntax_tree(text) is None
    if all(_is_prose(line) for line in lines) or (broken and not any(map(_LIKE_CODE.search, lines))):
        raise Unreadable("no code in the response: it is text without a code block.")
    if broken and (_is_sentence(lines[0]) or _is_sentence(lines[-1]) or _HTML.search(text)):
        raise Unreadable("the code in the response cannot be told apart from its text: put it into a code block.")
    return text


def _is_json(text: str) -> bool:
    """Whether a text is a JSON object: most of those are Python too, and do nothing."""
    return any(isinstance(value, Mapping) for value, _ in json_in(text, "whole"))


def _is_prose(line: str) -> bool:
    """Whether a line is words, not code: it has no sign of code and is no statement."""
    first = _WORD.match(line)
    if first is None or keyword.iskeyword(first[0]) or _CODE_SIGNS.search(line):
        return False
    tree = syntax_tree(line)
    if tree is None:
        return True
    # One word alone is a name in Python. Names begin in lower case, sentences do not.
    return line.isidentifier() and line[0].isupper() and not hasattr(builtins, line)


def _is_sentence(line: str) -> bool:
    """Whether a line is words: prose, or three words in a row outside of texts and comments, or letters that code has
    only there."""
    if _is_prose(line) and len(_WORD.findall(line)) >= 3:
        return True
    bare = _QUOTED.sub("''", line).partition("#")[0]
    words = _IN_A_ROW.match(bare)
    if words is not None and not any(map(keyword.iskeyword, words[0].lower().split()[:2])):
        return True
    return not bare.isascii() and _LIKE_CODE.search(bare) is None
