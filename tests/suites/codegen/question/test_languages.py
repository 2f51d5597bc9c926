"""Questions in German, French and Spanish ask for the same as the English one beside them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import yaml

from karat.suites.codegen.analysis.records import Filter
from karat.suites.codegen.question.reading import read_question
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.question.vocabulary import LANGUAGES, Vocabulary, language_of, vocabulary, vocabulary_for
from karat.suites.codegen.question.words import number_of, words_of
from karat.suites.codegen.records import Schema

PARALLEL = yaml.safe_load(Path(__file__).with_name("parallel.yaml").read_text())
COLUMNS = {
    "en": ("name", "age", "salary", "city", "department", "year"),
    "de": ("name", "alter", "gehalt", "stadt", "abteilung", "jahr"),
    "fr": ("nom", "âge", "salaire", "ville", "service", "année"),
    "es": ("nombre", "edad", "salario", "ciudad", "departamento", "año"),
}
CITIES = ("Berlin", "Oslo", "Rome")
OTHERS = ("de", "fr", "es")
ITEMS = (
    "columns", "top", "bottom", "filtering", "statistics", "conditions", "group_keys", "grouping", "keeps_order",
    "joining", "links", "distinct", "drawing", "by_position",
)  # fmt: skip


def asked(language: str, question: str) -> Asked:
    columns = COLUMNS[language]
    values = {columns[3]: CITIES}
    return read_question(question, Schema({"t": columns}), values=values, words_known=vocabulary(language))


def items(language: str, question: str) -> dict[str, object]:
    """What is asked for, with the columns under their English names."""
    found = asked(language, question)
    english = dict(zip(COLUMNS[language], COLUMNS["en"], strict=True))

    def plain(one: Filter) -> tuple[str, str, str]:
        return (english.get(one.column, one.column), one.operator, one.value)

    shown: dict[str, object] = {name: getattr(found, name) for name in ITEMS}
    shown |= {"columns": {english[name] for name in found.columns}}
    shown |= {"group_keys": {english[name] for name in found.group_keys}}
    shown |= {"conditions": {plain(one) for one in found.conditions}}
    shown |= {"links": {(one.word, plain(one.first), plain(one.second)) for one in found.links}}
    shown |= {"statistics": set(found.statistics), "precision": bool(found.precision)}
    shown |= {"ordered": bool(found.ordering), "keeps": found.keeps_order}
    shown |= {way: way in found.ordering for way in ("ascending", "descending")}
    return shown


@pytest.mark.parametrize("language", OTHERS)
def test_questions_ask_for_the_same(language: str) -> None:
    assert len(PARALLEL) >= 60
    pairs = [(one[language], items(language, one[language]), items("en", one["en"])) for one in PARALLEL]
    differ = [
        f"{question}: {name}: {ours[name]} instead of {english[name]}"
        for question, ours, english in pairs
        for name in english
        if ours[name] != english[name]
    ]
    total = sum(len(english) for _, _, english in pairs)
    assert len(differ) <= 0.05 * total, "\n".join(differ)
    told = sum(_stated(english) for _, _, english in pairs)
    assert len(differ) <= 0.05 * told, "\n".join(differ)  # of what is asked for at all, too
    assert not [question for question, ours, english in pairs if ours["ordered"] and not english["ordered"]]


def _stated(asked_for: dict[str, object]) -> int:
    return sum(bool(value) for value in asked_for.values())


@pytest.mark.parametrize("language", OTHERS)
def test_every_key_is_filled(language: str) -> None:
    english, other = vocabulary("en"), vocabulary(language)
    for field in msgspec.structs.fields(Vocabulary):
        ours, theirs = getattr(english, field.name), getattr(other, field.name)
        assert theirs or not (ours or field.name in ("endings", "separable")), field.name
        if isinstance(ours, dict) and field.name in ("statistics", "comparisons", "links"):
            assert set(ours) == set(theirs) and all(theirs.values())
    assert other.decimal == ","


@pytest.mark.parametrize("place", range(len(PARALLEL)))
def test_the_language_is_told_by_small_words(place: int) -> None:
    for language in LANGUAGES:
        question = PARALLEL[place][language]
        found = language_of(question)
        hits = sum(word.lower in vocabulary(language).stop_words for word in words_of(question))
        assert found == language if hits >= 2 else found in (language, "en"), question


def test_an_option_fixes_the_language() -> None:
    german = "Wie viele Personen sind älter als 30?"
    assert vocabulary_for("auto", german).name == "de" == vocabulary_for("", german).name
    assert vocabulary_for("en", german).name == "en"
    assert vocabulary_for("auto", "mean salary by city").name == "en"


@pytest.mark.parametrize(
    "question",
    [
        "How many people die of hunger per year?",
        "Show the total of the par value for each hat in Las Vegas",
        "List the names of all people with a son in El Paso",
        "What is the average salary per city?",
        "The data des, la and le columns are the ones of interest",
    ],
)
def test_words_that_languages_share_do_not_change_it(question: str) -> None:
    assert language_of(question) == "en"


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        ("en", "1,234.5", 1234.5),
        ("de", "1.234,5", 1234.5),
        ("de", "3,5", 3.5),
        ("de", "3.5", 3.5),
        ("de", "1.000", 1000),
        ("fr", "10 000", 10000),
        ("fr", "12,5%", 12.5),
        ("es", "2.500", 2500),
        ("de", "drei", 3),
        ("fr", "douze", 12),
        ("es", "siete", 7),
    ],
)
def test_numbers(language: str, text: str, number: float) -> None:
    known = vocabulary(language)
    (word,) = words_of(text, known)
    assert number_of(word, known) == number


@pytest.mark.parametrize("language", OTHERS)
def test_words_of_one_meaning_stay_in_their_key(language: str) -> None:
    """No phrase asks for a mean in one place and a sum in another."""
    known = vocabulary(language)
    for one, phrases in known.statistics.items():
        for other, others in known.statistics.items():
            assert one == other or not set(phrases) & set(others), (one, other)
    assert not set(known.ascending) & set(known.descending)
    assert not set(known.links["and"]) & set(known.links["or"])
    assert not set(known.top) & set(known.bottom)


@pytest.mark.parametrize(
    "question",
    [
        "Zeige die Orte, beginnend mit dem höchsten Gehalt.",
        "Die besser bezahlten Orte sollen vor den anderen stehen.",
        "Zeige Ort und Gehalt, höheres Gehalt vor niedrigerem.",
        "Zeige die Orte vom höchsten Gehalt abwärts.",
        "Montre la ville et le salaire, du plus élevé au plus bas.",
        "Montre les villes en commençant par le salaire le plus élevé.",
        "Les villes avec les salaires les plus élevés avant les plus bas.",
        "Muestra las ciudades empezando por el salario más alto.",
        "Muestra las ciudades con los salarios más altos antes de los más bajos.",
        "Muestra la ciudad y el salario, los más ricos primero.",
    ],
)
def test_an_order_in_other_words(question: str) -> None:
    known = vocabulary_for("auto", question)
    found = read_question(question, Schema({"t": COLUMNS[known.name]}), words_known=known)
    assert known.name != "en" and found.ordered and "ascending" not in found.ordering


@pytest.mark.parametrize(
    "question",
    ["Wie hoch ist das Gehalt in der Stadt vor dem Umzug?", "Quel est le salaire de la ville avant les impôts ?"],
)
def test_before_something_else_is_no_order(question: str) -> None:
    known = vocabulary_for("auto", question)
    assert not read_question(question, Schema({"t": COLUMNS[known.name]}), words_known=known).ordered


SHOPS = Schema({"shops": ("nom", "service", "budget", "année", "ventes", "departamento", "ventas", "opened")})


@pytest.mark.parametrize(
    ("question", "top"),
    [
        ("Donne les 3 premiers services selon le budget", (3,)),
        ("Muestra los tres primeros departamentos por ventas", (3,)),
        ("Donne les 3 premiers services de la liste", ()),  # the first rows
        ("Muestra los tres primeros departamentos de la lista", ()),
    ],
)
def test_the_first_ones_by_a_column(question: str, top: tuple[int, ...]) -> None:
    assert read_question(question, SHOPS, words_known=vocabulary_for("auto", question)).top == top


@pytest.mark.parametrize(
    ("question", "year", "keys"),
    [
        ("Quel est le total des ventes pour l'année 2020 ?", ("année", "==", "2020"), ()),
        ("Quel est le total des ventes par année de 2019 à 2021 ?", None, ("année",)),
        ("Quel est le budget moyen de chaque service pour l'année 2020 ?", ("année", "==", "2020"), ("service",)),
    ],
)
def test_a_year_beside_its_column_is_a_condition(
    question: str, year: tuple[str, str, str] | None, keys: tuple[str, ...]
) -> None:
    asked = read_question(question, SHOPS, words_known=vocabulary_for("auto", question))
    found = [(one.column, one.operator, one.value) for one in asked.conditions]
    assert asked.group_keys == keys and (year is None or found == [year])


def test_oldest_first_goes_up_by_date_and_says_nothing_of_ages() -> None:
    question = "List the shops by opened, oldest first."
    assert read_question(question, SHOPS).ordering == ("oldest first", "ascending")
    assert "ascending" not in read_question(question, Schema({"shops": ("opened", "age")})).ordering
    assert "ascending" not in read_question("List the shops, oldest last", SHOPS).ordering
