"""Digits in an answer that are no numbers: dates and times in the common languages, decades, weeks and quarters,
ordinals, versions, names of files and paths."""

from __future__ import annotations

import re

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
    r"(?![a-z])\.?"
)
_MONTHS_ELSEWHERE = (
    "januar februar märz april mai juni juli august september oktober november dezember "
    "janvier février mars avril juin juillet août septembre octobre novembre décembre "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre "
    "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro "
    "januari februari maart mei augustus december maj augusti "
    "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia "
    "ledna února března dubna května květen června července srpna září října listopadu prosince "
    "января февраля марта апреля мая июня июля августа сентября октября ноября декабря "
    "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık"
)
_ELSEWHERE = rf"(?:{'|'.join(dict.fromkeys(_MONTHS_ELSEWHERE.split()))})(?!\w)"
_YEAR = r"(?:1[5-9]|2[01])[0-9]{2}"
_NO_GROUP = r"(?![.'’][0-9]|[,\s][0-9]{3}(?![0-9]))"
"""After the day of a month: ``May 12,480 passengers`` and ``May 12.5 tons`` have a number there, and no day."""
NO_NUMBERS = re.compile(
    rf"\b[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}(?:[t "
    rf"][0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]+)?)?)?(?:z|\s?utc)?\b"
    rf"|\b(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])\b(?!-)"
    rf"|\b[0-9]{{1,2}}[/.-][0-9]{{1,2}}[/.-][0-9]{{4}}\b"
    rf"|\b[0-9]{{1,2}}-{_MONTH}(?:-[0-9]{{2,4}})?\b"
    rf"|\b{_MONTH}\s+[0-9]{{1,2}}(?:st|nd|rd|th)?{_NO_GROUP},?\s+{_YEAR}\b"
    rf"|(?<!\bin\s)\b{_MONTH}\s+[0-9]{{1,2}}(?:st|nd|rd|th)?{_NO_GROUP}\b"  # on a day, but "in May 12 ships sailed"
    rf"|\b[0-9]{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?(?:\s+{_YEAR})?\b"
    rf"|\b{_MONTH},?\s+{_YEAR}\b"
    rf"|\b[0-9]{{1,2}}(?:\.|er|º|°)?\s+(?:de\s+|d['’])?{_ELSEWHERE}(?:\s+(?:del?\s+)?{_YEAR}\b)?"
    rf"|\b{_ELSEWHERE}\s+(?:del?\s+)?{_YEAR}\b"
    r"|[0-9]{4}\s?[年년]\s?[0-9]{1,2}\s?[月월](?:\s?[0-9]{1,2}\s?[日号號일])?|[0-9]{1,2}[月월](?:\s?[0-9]{1,2}\s?[日号號일])?"
    r"|(?:令和|平成|昭和)[0-9]{1,2}年"
    rf"|\b{_YEAR}-?(?:q[1-4]|w[0-9]{{1,2}}|m[0-9]{{1,2}}|h[12])\b|\b{_YEAR}s\b|['’][0-9]0s\b"
    r"|\b(?:utc|gmt)\s?[-+−][0-9]{1,2}(?::[0-9]{2})?\b"
    r"|\b[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?\b|\b[0-9]{1,2}\.[0-9]{2}\s?uhr\b"
    r"|\b[0-9]+(?:st|nd|rd|th)\b|(?<![\w.])[0-9]+(?:-(?:й|я|е|го|му|м|ый|ая|th)|(?:i?[eè]me|er|e|º|ª))(?![\w+-])"
    r"|[0-9]+\s?(?:回目|番目|人目|つ目|번째)"
    r"|\b[0-9]+(?:\.[0-9]+){2,}\b"
    r"|\b[\w-]*\.(?:[a-z]{2,5})/[\w./-]*|(?<![\w.])(?:[\w-]+/)*[\w-]+\.(?:csv|json|jsonl|txt|xlsx?|parquet|md|sql|py|pdf|png"
    r"|html?|ya?ml|db|sqlite|duckdb|tsv|zip)\b",
    re.IGNORECASE | re.MULTILINE,
)
