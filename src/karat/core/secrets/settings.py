"""Secrets in settings: where a password, key or token is in plain text instead of coming from the environment.

Settings are stored with a run and shown on reports, so a secret among them is refused, wherever it is: under a name
that tells it (``api_key``, ``X-Auth-Token``), after such a word in a command, in the user-info, query or path of a URL,
or because of how it looks (``Bearer …``, ``sk-…``, a private key). ``${NAME}`` is no secret: it is filled in from the
environment when the system is opened.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import msgspec

Place = tuple[str | int, ...]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ALONE = re.compile(
    r"token|secret|passw(?:or)?d|pass(?:phrase|code)|pwd|credentials?|authorization|auth|bearer|cookie|jwt"
    r"|pat|sig|signature|\w+(?:password|passwd)"
    r"|(?:api|auth|access|refresh|id)token|(?:api|private|secret|access|client|account)(?:key|secret)"
)
_ELSEWHERE = re.compile(
    r"passwort|kennwort|mot_?de_?passe|contrase(?:ñ|n)a|senha|wachtwoord|has[łl]o|пароль|密码|密碼|パスワード|비밀번호",
    re.I,
)
"""Password, in other languages."""
_NAMES = ("name", "key", "header", "variable", "field")
_VALUES = ("value", "val", "data", "content", "text")
"""The keys of a pair: ``{"name": "Authorization", "value": …}``."""
_BEFORE_KEY = re.compile(
    r"api|access|private|secret|subscription|account|auth|app|client|master|admin|license|shared|encryption|signing"
    r"|functions?|service|storage|user|x"
)
_DESCRIBES = re.compile(
    r"env|headers?|name|type|ur[li]|file|path|field|id|limit|count|max|min|ttl|expiry|scheme|format"
)
"""As the last word of a name: it says something about a secret, and is not one."""
_HARMLESS = re.compile(
    r"(?i)none|null|true|false|yes|no|on|off|auto|basic|bearer|digest|oauth2?|required|optional|default"
)
_ENVIRONMENT = re.compile(r"\$(?:\{[^}]*\}|[A-Za-z_]\w*)")
_PLACEHOLDERS = re.compile(r"(?:\{[A-Za-z_]\w*\}|\s)*")
SCHEME_SECRET = re.compile(r"(?i)\b(?:bearer|basic|token)[ :]+(?=\S*[\d+/=_.-]|\S{16})[\w.~+/=-]{6,}")
KNOWN_SECRET = re.compile(
    r"\b(?:sk|pk|rk)[-_](?=\S*\d)[\w-]{16,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}"
    r"|\bxox[abeoprs]-[\w-]{10,}"
    r"|\bhf_[A-Za-z0-9]{20,}|\bA(?:KIA|SIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bdapi[0-9a-f]{32}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\bbot\d{6,}:[\w-]{20,}|-----BEGIN [A-Z ]*PRIVATE KEY-----"
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s\"'<>]+")
_RANDOM = re.compile(r"(?=[^/]*[a-z])(?=[^/]*[A-Z])(?=[^/]*\d)[A-Za-z0-9]{20,}")
_OPTION = re.compile(r"((?:-{0,2}|/)[A-Za-z][\w.-]*)[=:]\s*(.*)", re.DOTALL)


def is_secret_setting(name: str) -> bool:
    """Whether a setting, header, parameter or option of this name holds a secret."""
    name = unicodedata.normalize("NFKC", name)
    if _ELSEWHERE.search(name):
        return True
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or (_DESCRIBES.fullmatch(words[-1]) and len(words) > 1):
        return False
    if words[-1] == "pass" or any(_ALONE.fullmatch(word) for word in words):
        return True
    return words[-1] == "key" and (len(words) == 1 or _BEFORE_KEY.fullmatch(words[-2]) is not None)


def plain_secrets(settings: object) -> Iterator[Place]:
    """Where secrets are in plain text: keys and indices from the top of the settings."""
    yield from _in_value(msgspec.to_builtins(settings) if isinstance(settings, msgspec.Struct) else settings, ())


def _in_value(value: object, path: Place) -> Iterator[Place]:
    if isinstance(value, dict):
        named = (path and is_secret_setting(str(path[-1]))) or _pair_of_a_secret(value)
        for key, item in value.items():
            if named and key in _VALUES and holds_secret_text(item):
                yield (*path, key)
                continue
            if (
                is_secret_setting(str(key))
                and holds_secret_text(item)
                and (str(key).lower() != "key" or like_a_key(item))
            ):
                yield (*path, str(key))
            else:
                yield from _in_value(item, (*path, str(key)))
    elif isinstance(value, list | tuple):
        inside = [place for number, item in enumerate(value) for place in _in_value(item, (*path, number))]
        yield from inside
        if not inside and _in_words([item for item in value if isinstance(item, str)]):
            yield path
    elif isinstance(value, str) and (_looks_secret(value) or any(map(_in_words, _split(value)))):
        yield path


def _pair_of_a_secret(value: dict[object, object]) -> bool:
    names = (value.get(key) for key in _NAMES)
    return any(isinstance(name, str) and is_secret_setting(name) for name in names)


def holds_secret_text(value: object) -> bool:
    """Whether this, under a secret's name, is one in plain text."""
    if isinstance(value, dict):
        return False  # its own names tell
    if isinstance(value, list | tuple):
        return any(holds_secret_text(item) for item in value)
    text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    if not text or _HARMLESS.fullmatch(text) or _PLACEHOLDERS.fullmatch(text):
        return False
    left = re.sub(r"(?i)\b(?:bearer|basic|token)\b", "", _ENVIRONMENT.sub("", text)).strip(" :=;,")
    return bool(left) if _ENVIRONMENT.search(text) is None else len(left) >= 6


def like_a_key(value: object) -> bool:
    """Whether a value that is only called "key" is more than a word."""
    return re.fullmatch(r"(?=.*\d)[^\s{}]{12,}", str(value).strip()) is not None


def _looks_secret(text: str) -> bool:
    shown = _ENVIRONMENT.sub("", text)
    if KNOWN_SECRET.search(shown) or SCHEME_SECRET.search(shown):
        return True
    if text.lstrip()[:1] in ("{", "[") and _in_json(text):
        return True
    return any(_in_url(found[0]) for found in _URL.finditer(text))


def _in_json(text: str) -> bool:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return next(_in_value(value, ()), None) is not None


def _in_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    holder = parts.netloc.rpartition("@")[0]
    user, colon, password = holder.partition(":")
    alone = _RANDOM.search(user) or (colon and like_a_key(user)) or re.fullmatch(r"(?=.*\d)[a-z0-9]{15,}", user)
    if _plain(password) or (_plain(user) and alone):
        return True
    for parameter in re.split("[&;]", f"{parts.query}&{parts.fragment}"):
        name, _, value = parameter.partition("=")
        if _plain(value) and (is_secret_setting(unquote(name)) or _RANDOM.fullmatch(unquote(value).rstrip("="))):
            return True
    return _in_path(parts.path)


def _in_path(path: str) -> bool:
    """``/token/8f3a…``, ``/api_key=8f3a…``, or a part that only a machine would write."""
    before = ""
    for part in path.split("/"):
        name, mark, value = unquote(part).partition("=")
        if mark and _plain(value) and is_secret_setting(name):
            return True
        if is_secret_setting(before) and _plain(part) and (re.search(r"\d", part) or len(part) >= 16):
            return True
        if _RANDOM.fullmatch(part):
            return True
        before = part
    return False


def _in_words(words: list[str]) -> bool:
    """``--api-key VALUE``, ``--token=VALUE``, ``API_KEY=VALUE``, ``-u user:password``."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        option = _OPTION.match(word)
        if option is not None and is_secret_setting(option[1].lstrip("-/")) and holds_secret_text(option[2]):
            return True
        if option is not None and _in_words([option[2]]):  # --env=API_KEY=…
            return True
        named = word.startswith("--") and "=" not in word and is_secret_setting(word)
        if named and not following.startswith("-") and holds_secret_text(following):
            return True
        if word in ("-u", "--user") and _plain(following.partition(":")[2]):
            return True
        if re.fullmatch(r"-u[^:/]+:[^/].*", word) and _plain(word.partition(":")[2]):
            return True
    return _in_program(words)


def _in_program(words: list[str]) -> bool:
    """Options that mean a password in one program and something else in others."""
    program = words[0].rpartition("/")[2] if words else ""
    pairs = list(zip(words, [*words[1:], ""], strict=False))
    if program in ("mysql", "mysqldump", "mariadb", "mysqladmin", "sshpass"):
        return any(re.match(r"-p[^-]", word) and _plain(word[2:]) for word in words)
    return program == "curl" and any(word == "-b" and "=" in after and _plain(after) for word, after in pairs)


def _split(text: str) -> Iterator[list[str]]:
    """The words of a command, and the parts of a connection string; nothing where a text is one word."""
    if re.search(r"=[^;]*;", text):
        yield [part.strip() for part in text.split(";")]
    if " " not in text:
        return
    try:
        yield shlex.split(text)
    except ValueError:
        yield text.split()


def _plain(value: str) -> bool:
    return bool(_ENVIRONMENT.sub("", unquote(value)).strip())
