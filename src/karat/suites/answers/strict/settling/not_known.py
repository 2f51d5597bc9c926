"""Words with which an assistant says that it does not know, cannot answer, only guesses, or takes back what it said: in
English, and the common ones of a dozen other languages. The texts are in small letters, with plain apostrophes or not.

Only what the assistant says of itself or of its data counts: "I could not find it", "no data found", not "stations that
do not provide parking".
"""

from __future__ import annotations

import re

_ACTS = (
    r"(?:answer|help|assist|calculate|compute|determine|find|locate|provide|access|retrieve|give|confirm|verify|say"
    r"|tell|know|identify|complete|comply|fulfil|run|execute|query|open|reach"
    r"|connect|do (?:that|this|it)|be (?:sure|certain))\b"
    r"(?! (?:much|how|why|all|every))"
)
_NOT = r"(?:cannot|can not|can['’]?t|could not|couldn['’]?t|unable to|not able to)"
NOT_KNOWN = re.compile(
    r"\b(?:do|did|does|would|could|can)\s?(?:not|n['’]t)\s+(?:really\s+|quite\s+)?"
    r"(?:know|tell|determine|be sure|be certain)\b(?! (?:much|how|why|all|every))"
    r"|\b(?:don['’]?t|can['’]?t|cannot|unable to)\s+(?:really\s+|quite\s+)?"
    r"(?:know|tell|determine|be sure|be certain)\b(?! (?:much|how|why|all|every))"
    r"|\b(?:not|n['’]t)\s+(?:[\w%]+\s)?(?:sure|certain)\b|\bunsure\b|\bno idea\b|\bit (?:all )?depends\b"
    r"|\b(?:hard|difficult|impossible) to (?:say|tell|know|decide)\b|\b(?:are|is|were|a) tied?\b(?! to)|\bi refuse to\b"
    r"|\b(?:found|find|know|knew|see|saw|returned|returns) nothing\b"
    r"|\bfailed to (?:find|get|read|load|compute|answer|run)\b"
    r"|\A\W*(?:n/a|null|unknown|undefined)\b|\b(?:cannot|can['’]?t) (?:choose|decide)\b"
    r"|\bwithout (?:having )?(?:\w+ )?access to\b|\b(?:gave|giving|give) up\b|\bnone (?:of (?:them|these) )?worked\b"
    r"|\bneed (?:\w+ )?(?:more|further|additional) (?:context|information|details?|data)\b"
    r"|\b(?:0|zero|no) (?:rows?|results?|records?|matches|entries)\s+(?:for|match(?:es|ed|ing)?|with|found)\b"
    rf"|\b(?:i|we)(?:['’]m|['’]re)?\b[^.!?\n]{{0,20}}?\b{_NOT}\s+(?:\w+ly\s+)?{_ACTS}"
    rf"|\b(?:sorry|unfortunately)\b[^.!?\n]{{0,40}}?\b{_NOT}\s+(?:\w+ly\s+)?{_ACTS}"
    rf"|\bnot possible to\s+(?:\w+ly\s+)?{_ACTS}"
    r"|\b(?:i|we)\s+(?:(?:do|did)\s?(?:not|n['’]t)|don['’]?t)\s+(?:currently\s+)?(?:have|see|find)\s+"
    r"(?:any\s+|enough\s+|sufficient\s+|the\s+|that\s+|real-time\s+)?(?:access|data|information|results?)\b"
    r"|\b(?:i|we)\s+(?:have|found|find|see)\s+no\s+(?:access|data|information|results?|way)\b"
    r"|\bno\s+(?:\w+\s)?(?:data|information|records?|results?)\s+(?:(?:is|are|was|were)\s+)?"
    r"(?:available|found|returned)\b"
    r"|\b(?:there (?:is|are|was|were)|have) no (?:\w+ )?(?:data|information)\b"
    r"|\b(?:insufficient|not enough)\s+(?:data|information)\b"
    r"|\bwei(?:ss|ß) (?:ich )?(?:es |das )?(?:leider )?nicht\b|\bkeine (?:daten|informationen|angaben)\b"
    r"|\b(?:kann|können|konnte)\b[^.!?\n]{0,40}?\bnicht (?:\w+ )?(?:beantwort|sagen|bestimm|berechn|ermitt|find|helfen)"
    r"|\bje ne (?:sais|peux|trouve|dispose|connais)\b|\bimpossible de\b|\bpas (?:assez )?de données\b|\baucune donnée\b"
    r"|\bno (?:lo )?sé\b|\bno (?:puedo|tengo acceso|tengo datos|hay datos|dispongo)\b"
    r"|\bnão (?:sei|posso|consigo|tenho acesso|há dados)\b|\bnon (?:lo so|posso|ho accesso|ho dati|ci sono dati)\b"
    r"|\bне (?:знаю|могу)\b|\bнет данных\b|\bik weet (?:het )?niet\b"
    r"|不知道|不清楚|无法|無法|不能回答|没有(?:数据|相关|找到)|わかりません|分かりません|不明です|できません"
    r"|모르겠|알 수 없"
    r"|لا (?:أعرف|أعلم|يمكنني|أستطيع)|لا توجد (?:بيانات|معلومات)"
)
GUESSED = re.compile(
    r"\b(?:maybe|perhaps|possibly|(?:might|may|could)(?: well| also)? (?:be|have been)|guess\w*"
    r"|vielleicht|möglicherweise|peut-être|quizás?|tal vez|talvez|forse|возможно|может быть)\b"
    r"|也许|也許|可能是|ربما|たぶん|おそらく|아마"
)
CORRECTED = re.compile(
    r"(?:^|[.!?…—–→\n,;:(\[]|->|\s-\s)[\s\"'*_`)]{0,6}(?:hmm+|well|oh|sorry)?[,.…\s]{0,4}"
    r"(?:actually|er|uh|erm|oops|nope|i mean|hold on|rather(?!\s+than)|edit|update|sic|no(?=,)"
    r"|wait(?=[,.!…—–]))[\s,:.…!\]]"
    r"|\blet me (?:re-?|double[ -]?)(?:check|count|calculate|consider|think|read|run|do)"
    r"|\blet me check (?:again|that)\b"
    r"|\b(?:but|however),? (?:it|that|this)(?:['’]s| is| was) (?:actually|really|in fact)\b"
    r"|[,;] (?:but|however),? (?:it|that)(?:['’]s| is| was)\b"
    r"(?! (?:not|no|also|only|still|very|just|too|so|close|an?|in|on|at|often|now|n['’]t)\b)"
    r"|\b(?:correction\s?[:–—-]|my mistake\b|no,? wait\b|wait,? (?:no|actually)\b"
    r"|(?:scratch|strike) that\b|(?:i['’]m )?sorry,"
    r"|(?:my )?(?:apologies|mistake),|i (?:made (?:a|an) (?:mistake|error)|misspoke|was wrong|stand corrected)\b"
    r"|let me correct\b|i (?:need|have) to correct\b|on second thoughts?\b|korrektur:|ich korrigiere\b|correctif ?:"
    r"|je (?:me )?corrige\b|corrección:|me corrijo\b)|更正[:：]|訂正[:：]"
)
"""Words with which an answer takes back what it said before."""
