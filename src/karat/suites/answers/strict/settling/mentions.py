"""Whether an answer only mentions gold at a place and does not give it as its answer there: it supposes or doubts it,
says what others believe, announces a step of its work, names an example or one of several options, repeats the
question, addresses the scorer, or puts a mark of "no" beside it. All texts are in lower case.
"""

from __future__ import annotations

import re

_CLAUSE = r"[^,.;:!?\n]{0,80}$"
_SENTENCE = r"(?:(?!\bbut\b)[^.;:!?\n]){0,80}$"
_UNSTATED = r"(?:(?!\b(?:is|are|was|were|be)\b)[^.,:!?\n]){0,80}$"
_BEFORE_STATING = r"(?:(?!\b(?:is|are|was|were|be)\b)[^.:!?\n]){0,80}$"
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|suppos(?:e|es|ing)|assum(?:e|es|ing)|imagine|hypothetical(?:ly)?|pretend|falls|wenn"
    rf"|angenommen|supposons|supongamos)\b{_CLAUSE}"
    r"|(?<!\bno )(?<!\blittle )(?<!\bwithout )(?<!\bwithout a )(?<!\bbeyond )(?<!\bbeyond a )"
    rf"\b(?:doubt(?:s|ed|ful)?|bezweifle|je doute|dudo)\b{_SENTENCE}"
    r"|\b(?:false|untrue|unlikely|doubtful|impossible|incorrect|wrong|not true|not the case|not clear|unclear) that\b"
    rf"{_SENTENCE}"
    r"|\b(?:one|you|someone|we|they|many|people) (?:might|may|could|would) (?:\w+ )?"
    rf"(?:think|expect|guess|assume|say|believe|suspect)\b{_SENTENCE}"
    r"|\b(?:often|commonly|widely|usually|popularly|generally|sometimes)(?: \w+)? "
    rf"(?:believed|thought|assumed|said|named|cited|mistaken)\b{_SENTENCE}"
    rf"|\bat first (?:glance|sight)\b{_SENTENCE}"
    r"|\b(?:first|initial|earlier|previous|old) (?:answer|guess|thought|idea|impression|result) (?:was|is|had been)\b"
    rf"{_SENTENCE}"
    rf"|\bfrom (?:memory|my memory|training)\b{_SENTENCE}"
    r"|(?:\b(?:not|never)|n['’]t) (?:\w+ )?(?:think|believe|suppose|expect|say|claim|consider|assume|mean)\b"
    rf"{_SENTENCE}"
    r"|\b(?:i was told|i (?:have )?heard|some (?:say|claim|think|believe)|many (?:say|claim)|rumou?r has it"
    rf"|(?:wikipedia|google) says|according to (?:wikipedia|google|rumou?rs|some|legend))\b{_SENTENCE}"
    r"|\b(?:hypothesis|placeholder|todo|draft|guess|assumption|speculation|dummy)(?: is)?\s*[:=]?\s*[*_`\"'(]*$"
)
_OFTEN_AFTER = re.compile(r"[*_`\"')]*\s(?:is|was) (?:often|commonly|widely|usually|popularly|generally|sometimes)\b")
_UNREAL_AFTER = re.compile(
    r"[*_`\"')\]]*\s*(?:\(\?\)|\[\?\])|[*_`\"')]*\s(?:would|could|might) have\b"
    r"|[*_`\"')]*\s(?:if|had) [^.;:!?\n]{0,40}\b(?:had|were|would)\b"
)
_CODE_BEFORE = re.compile(
    r"(?:[=!]=|\b(?:print|return|echo|log)\s*\(?|\bwhere\b[^\n;]{0,60}?(?:=|like|in \())\s*['\"]$"
)
_STEP = (
    r"(?:look|search|check|query|find|count|run|fetch|see|get|compute|calculate|show|list|start|begin|examine|inspect"
    r"|use|call|try|read|open|load|verify|filter|explore)"
)
_ANNOUNCED = re.compile(
    r"\b(?:let me|let us|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|i would need|we need to"
    rf"|we will|next,? i) (?:\w+ )?{_STEP}\b{_BEFORE_STATING}"
    r"|(?:^|[.!?\n]\s*)[*_`>\s-]{0,4}(?:searching|looking|querying|checking|fetching|counting|loading|computing"
    rf"|calculating|running|reading|retrieving)\b{_UNSTATED}"
)
_EXAMPLE = re.compile(
    r"(?:\b(?:for (?:example|instance)|such as|something like|including|includes?|among them|among others|say"
    r"|zum beispiel|par exemple|por ejemplo|per esempio)|\b(?:e\. ?g|z\. ?b)\."
    r"|\bexamples?(?: (?:output|answer|result))?"
    r"|(?:^|\b(?!(?:look|sound|seem|feel|it|thi|wa|i)s\b)\w+s )like|例如|比如|たとえば)"
    r"[,:]?\s*(?:the |an? )?[*_`\"'(]*$"
)
_SAY = re.compile(r"\b(?:\w+['’]d|would|can|could|will|must|should|to|i|we|they|records|data) say[,:]?\s*[*_`\"'(]*$")
_EXAMPLE_AFTER = re.compile(
    r"[*_`\"')]*(?:,\s?(?:\.{3}|…)|\s?\}\}"
    r"|,?\s*(?:for (?:example|instance)|among (?:others|other things)|amongst others|etc\b|and others\b|and so on\b"
    r"|and the like\b|and many more\b|zum beispiel|usw\.|u\. ?a\.|par exemple|por ejemplo))"
)
_OPTIONS = re.compile(
    r"\b(?:candidates?|possib(?:le|ilities)(?: (?:answers?|values?|options?|results?|candidates?))?|options?|choices"
    rf"|alternatives)(?: (?:are|include))?(?::|(?<=are)\b|(?<=include)\b){_SENTENCE}"
    rf"|\b(?:whichever|any) of (?:these|those|the following)\b[^.;!?\n]{{0,80}}$"
)
_ONE_OF = re.compile(r"\b(?:one|any|some) of:?\s+(?:[^\W_][\w'’.-]*(?: [\w'’.-]+)?, ?){0,8}[*_`\"'(]*$")
_LISTED_AFTER = re.compile(r"[*_`\"')]*\s*(?:[,;/|]|or\b|and/or\b)\s*\S")
_LABELLED = re.compile(r"\b(?:option|choice|variant|alternative|candidate)\s+[a-z0-9]{1,2}\s*[:.)=-]\s*[*_`\"'(]*$")
_ASKED_FOR = re.compile(
    r"\b(?:prompt|instructions?|examples?|question) (?:mentions?|says?|gives?|names?|contains?|is about)\b"
    r"[^.!?\n:,]{0,80}$"
    r"|\b(?:i|we) (?:looked|searched|asked) for (?:the |an? )?[*_`\"'(]*$|\btell me (?:more )?about\b[^.!?\n]{0,40}$"
    r"|\bin the (?:prompt|instructions?|question) (?:is|was)\b[^.!?\n:,]{0,80}$|"
    r"\b(?:you|user|question) (?:asked|asks|want|wants|wanted|mentioned|requested|are asking|is asking)\b"
    rf"{_UNSTATED}"
    r"|\b(?:do|did|could|can|would|will) you (?:mean|tell|clarify|specify|want|confirm|say|rephrase)\b[^.!?\n]{0,80}$"
    r"|\bplease (?:clarify|specify|confirm|say|choose|select|tell|let me know)\b[^.!?\n]{0,80}$"
)
_GRADER = re.compile(
    r"\b(?:gold|ground[ -]truth|expected|reference|target)(?: (?:answer|value|label|result|output))?"
    r"(?: is|:| =|=)\s*[*_`\"'(]*$"
    r"|\bexpected (?:the |an? )?[*_`\"'(]*$|\b(?:grader|evaluator|scorer|judge) (?:wants|expects)\b[^.!?\n]{0,40}$"
    r"|\baccording to the (?:grader|judge|evaluator|reference|rubric)\b[^.!?\n]{0,80}$"
)
_ORDERED = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:instruction|prompt|rule)s?\b"
    r"|\b(?:mark|grade|score|count|treat|rate|accept) (?:this|it|the answer|my answer)\b[^.\n]{0,20}"
    r"\b(?:right|correct|true|passed)\b"
)
_NO_SIGN = r"[✗✘✕✖❌❎🚫👎☐]"
_MARKED_BEFORE = re.compile(rf"(?:{_NO_SIGN}\ufe0f?|\[ \])\s*[*_`\"'(]*$")
_ABSENT_AFTER = re.compile(
    r"[*_`\"')]*\s*(?:[:=(–—-]\s*|(?:is|was|are|were)\s+)?"
    r"(?:not (?:found|available|present|listed|there)|no data|n/a\b|null\b|missing\b|unknown\b|unavailable\b|absent\b"
    r"|undefined\b)"
)
_MARKED_AFTER = re.compile(
    rf"[*_`\"']*\s*[:=(–—,-]{{0,2}}\s*(?:{_NO_SIGN}|\[ \]|(?:false|wrong|incorrect|nope|excluded|falsch|faux|falso)\b"
    r"(?!\s+(?:positive|negative|alarm))|no\b(?=\s*(?:[,;.)}\]]|$|\n))"
    r"|(?:is|would be) (?:out|eliminated|wrong|incorrect|false)\b)"
)
_YEAR = r"\b(?:19|20)[0-9]{2}\b(?:\s*[:=–-]|,? it (?:was|is))\s*"
_OF_A_YEAR, _YEARS = re.compile(_YEAR + r"[*_`\"'(]*$"), re.compile(_YEAR + r"[*_`\"'(]*[^\W_]")
_WINDOW = 160
WHY = {
    "supposed": "the answer only supposes it, doubts it or says what others believe",
    "announced": "the answer only says what the assistant is going to do, or is a program",
    "example": "the answer names it only as an example or one of several options",
    "repeated": "the answer only repeats what was asked, or asks back",
    "grader": "the answer gives it as what is expected, or tells the scorer what to do",
    "marked": "the answer marks it as false, or as not there",
}
REASONS = {
    "supposed": "hedged",
    "announced": "hedged",
    "example": "several_answers",
    "repeated": "several_answers",
    "grader": "several_answers",
    "marked": "negated",
}


def mention(text: str, start: int, end: int) -> str:
    """How gold is only mentioned there (see :data:`WHY`); empty where nothing says so."""
    before, after = text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]
    if _MARKED_BEFORE.search(before) or _MARKED_AFTER.match(after) or _ABSENT_AFTER.match(after):
        return "marked"
    if _SUPPOSED.search(before) or _UNREAL_AFTER.match(after) or _OFTEN_AFTER.match(after):
        return "supposed"
    if _ANNOUNCED.search(before) or _CODE_BEFORE.search(before):
        return "announced"
    if before[-1:] == "<" and after[:1] == ">":
        return "example"
    if _OF_A_YEAR.search(before) and len(_YEARS.findall(text)) > 1:
        return "example"
    if _EXAMPLE_AFTER.match(after) or (_EXAMPLE.search(before) and not _SAY.search(before)):
        return "example"
    if _OPTIONS.search(before) or (_ONE_OF.search(before) and _LISTED_AFTER.match(after)) or _LABELLED.search(before):
        return "example"
    if _ASKED_FOR.search(before):
        return "repeated"
    return "grader" if _GRADER.search(before) else ""


def addresses_scorer(text: str) -> bool:
    """Whether the answer gives the scorer instructions."""
    return _ORDERED.search(text) is not None
