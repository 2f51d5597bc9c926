"""Number words of other languages than English: 0 to 99 of German, Dutch, Spanish, Portuguese, Italian, French and
Russian, the first ten of some more, and the words for 100 and 1000."""

from __future__ import annotations

import functools

_HALVES = {"anderthalb": 1.5, "eineinhalb": 1.5, "zweieinhalb": 2.5, "dreieinhalb": 3.5, "полтора": 1.5}
_GERMANIC = (
    ("null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
     "achtzehn neunzehn", "zwanzig dreissig vierzig fünfzig sechzig siebzig achtzig neunzig", "und"),
    ("nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien "
     "achttien negentien", "twintig dertig veertig vijftig zestig zeventig tachtig negentig", "en"),
)  # fmt: skip
_ROMANCE = (
    ("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete "
     "dieciocho diecinueve", "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", " y "),
    ("zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete "
     "dezoito dezenove", "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", " e "),
    ("zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
     "diciassette diciotto diciannove", "venti trenta quaranta cinquanta sessanta settanta ottanta novanta", ""),
    ("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit "
     "dix-neuf", "vingt trente quarante cinquante soixante", " "),
    ("ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать "
     "пятнадцать шестнадцать семнадцать восемнадцать девятнадцать", "двадцать тридцать сорок пятьдесят шестьдесят "
     "семьдесят восемьдесят девяносто", " "),
)  # fmt: skip
_SMALL = (
    "صفر واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
    "शून्य एक दो तीन चार पाँच छह सात आठ नौ दस",
    "영 하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열",
    "sıfır bir iki üç dört beş altı yedi sekiz dokuz on",
    "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "noll en två tre fyra fem sex sju åtta nio tio",
)  # fmt: skip


@functools.cache
def words_of_numbers() -> dict[str, float]:
    """Number words of other languages; hyphens are blanks. A word with two values keeps the first."""
    known: dict[str, float] = {}
    for ones_text, tens_text, join in _GERMANIC:
        ones = ones_text.split()
        pairs = [(word, value) for value, word in enumerate(ones)]
        for place, ten in enumerate(tens_text.split(), start=2):
            pairs.append((ten, 10 * place))
            pairs += [(f"{one}{join}{ten}", 10 * place + n) for n, one in enumerate(ones[1:10], 1)]
        _add(known, pairs)
    for ones_text, tens_text, join in _ROMANCE:
        ones = ones_text.split()
        pairs = [(word, value) for value, word in enumerate(ones)]
        for place, ten in enumerate(tens_text.split(), start=2):
            pairs.append((ten, 10 * place))
            pairs += [(f"{ten}{join}{one}", 10 * place + n) for n, one in enumerate(ones[1:10], 1)]
            if not join:  # ventuno, ventotto
                pairs += [(f"{ten[:-1]}{ones[n]}", 10 * place + n) for n in (1, 8)]
            if ten in ("vingt", "trente", "quarante", "cinquante", "soixante"):
                pairs.append((f"{ten} et un", 10 * place + 1))
        _add(known, pairs)
    french = _ROMANCE[3][0].split()
    _add(known, [(f"soixante {one}", 60 + n) for n, one in enumerate(french[10:], 10)] + [("soixante et onze", 71)])
    _add(known, [("quatre vingts", 80)] + [(f"quatre vingt {one}", 80 + n) for n, one in enumerate(french[1:], 1)])
    spanish = _ROMANCE[0][0].split()
    _add(known, [(f"veinti{one}", 20 + n) for n, one in enumerate(spanish[1:10], 1)])
    _add(known, [("veintidós", 22), ("veintitrés", 23), ("veintiséis", 26), ("eins", 1), ("dreißig", 30)])
    for small in _SMALL:
        _add(known, [(word, value) for value, word in enumerate(small.split())])
    hundreds = "hundert honderd cien ciento cento cem cent сто مائة"
    thousands = "tausend eintausend duizend mil mille тысяча ألف"
    _add(known, [(word, 100) for word in hundreds.split()] + [(word, 1000) for word in thousands.split()])
    stems = [(f"{stem}{end}", value) for stem, value in _HALVES.items() for end in ("", "e", "en")]
    _add(known, stems)
    return known


def _add(known: dict[str, float], words: list[tuple[str, float]] | list[tuple[str, int]]) -> None:
    for word, value in words:
        known.setdefault(word.replace("-", " "), float(value))
