"""Whether the text at a place in an answer is only part of a program's message: of an error (``HTTP 404 Not
Found``, ``exit code 1``, ``timed out after 30 s``, ``Error: …``), or of an empty result (``0 rows returned``).

Such a message says that there is no answer, though it may hold gold by chance. Sentences that only have such words are
none: ``The error rate is 5``, ``Errors: 3``, ``There are 0 results``. The texts are in small letters.
"""

from __future__ import annotations

import re

_KIND = (
    r"(?:(?:https?|server|client|sql|sqlite|api|database|query|syntax|type|value|key|name|fatal|internal|runtime|connection"
    r"|network|unexpected|unknown|execution|interner|interne)[ _-]?)"
)
_ERROR = (
    r"(?:(?!terror)\w*error|\w*exception|\w*fehler|erreur|errore|erro|fout|fel|błąd|ошибка|错误|錯誤|エラー|오류|خطأ"
    r"|traceback|no such (?:table|column|file|key))"
)
_CODE = re.compile(
    r"(?:\bhttps?(?:/[0-9.]+)?(?: (?:status|error|response))?(?: code)?"
    r"|\b(?:exit|return|error|status) (?:code|status)|\bexit(?:ed)? with(?: code| status)?|\berrno|\bexit"
    r"|\bfehlercode|\bstatuscode|\bcode d['’ ]?erreur|\bcódigo de (?:erro|error|estado|salida)|\bcodice di errore"
    r"|\bкод (?:ошибки|возврата)|错误(?:代)?码|錯誤(?:代)?碼|エラーコード|오류 코드)[\s:：=#(-]{0,3}$"
)
_LINE = re.compile(r"\bline $")
_FAULT = re.compile(r"error|exception|unexpected|fehler|erreur|invalid")
_STATUS = re.compile(
    r"[\s:：—(-]{0,3}(?:not found|internal server error|bad request|unauthori[sz]ed|forbidden|bad gateway"
    r"|service unavailable|gateway time-?out|request time-?out|too many requests|method not allowed|server error"
    r"|client error|unprocessable|(?:payload|content) too large)\b"
)
_TIMEOUT = (
    r"(?:\btime-?out|\btimed out|\bzeitüberschreitung|\bdélai (?:d['’]attente )?(?:dépassé|expiré)"
    r"|\btiempo de espera(?: agotado)?|\btempo (?:limite|esgotado)|\bтайм-?аут|超时|逾時|タイムアウト|시간 초과)"
)
_TIMED_OUT = re.compile(
    rf"{_TIMEOUT}(?:\s(?:after|of|nach|von|après|tras|después de|após|dopo|после|within|exceeded))?[\s:：(=-]{{0,3}}$"
)
_TIMES_OUT = re.compile(rf"\s?-?(?:m?s|secs?|seconds?|min|minutes?|sekunden|秒|초)?\s?{_TIMEOUT}")
_ERROR_LINE = re.compile(
    rf"(?:^|\n|[.!?]\s)[\s\"'*_`#>(\[]*{_KIND}{{0,2}}{_ERROR}"
    rf"(?:\s?[!:：—(\[][^\n]*|\s+(?:at|in|on|from|near|while|executing|bei|beim|dans|en)\b[^\n]*|\s*)$"
)
_ANSWERS = re.compile(
    r"\b(?:answer|result is|total is|antwort|réponse|respuesta|risposta|resposta|ответ)\b|答案|答え|정답"
)
_NOTHING = re.compile(
    r"[*_`\"')]*\s?(?:rows?|results?|records?|tuples?|hits|match(?:es)?|zeilen?|ergebnisse?|datensätze|treffer|lignes?"
    r"|résultats?|enregistrements?|filas?|resultados?|registros?|linhas?|righe|risultati|строк|результатов|записей"
    r"|行|件|条(?:结果|记录)?|條|개|건)"
    r"(?:\s(?:(?:were|was|are)\s)?(?:returned|found|affected|selected|retrieved|fetched|matched|in set|zurückgegeben"
    r"|gefunden|trouvée?s?|retournée?s?|encontrad[oa]s?|devuelt[oa]s|trovat[ie]|найдено))?"
    r"[*_`\"')]*\s*(?:[.!,;:()\n]|$)"
)
_REPORTS = re.compile(
    r"(?:(?:^|\n|[.!?(]\s?|query ok,\s)[\s\"'*_`]*"
    r"|\b(?:returned|returns|returning|got|found|fetched|selected|retrieved|yielded|gefunden|lieferte?|retourné|renvoyé|devolvió|retornou)\s)$"
)
_WINDOW = 100


def is_message(text: str, start: int, end: int) -> bool:
    """Whether a number there is part of a message."""
    near, far = max(0, start - _WINDOW), end + _WINDOW
    if _CODE.search(text, near, start) or _TIMED_OUT.search(text, near, start) or _TIMES_OUT.match(text, end, far):
        return True
    if _LINE.search(text, near, start) and _FAULT.search(text, near, far):
        return True
    said = text[start:end]
    if len(said) == 3 and said[0] in "345" and _STATUS.match(text, end, far):
        return True
    if said in ("0", "zero") and _NOTHING.match(text, end, far) and _REPORTS.search(text, near, start):
        return True
    return is_error(text, start)


def is_error(text: str, start: int) -> bool:
    """Whether anything there is part of an error message: its sentence begins as one, and does not come to an
    answer."""
    found = _ERROR_LINE.search(text, max(0, start - _WINDOW), start)
    return found is not None and not re.search(r"[.!?]\s", found[0][2:]) and not _ANSWERS.search(found[0])
