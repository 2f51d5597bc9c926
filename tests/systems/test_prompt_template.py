"""What can be said of a prompt without rendering it: where its text comes from, and its mistakes with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.system import PromptedConfig
from karat.systems.prompts.prompt import prompt_hash, settled, template_problems
from karat.systems.prompts.template import file_of, problems_in, variables_in

KNOWN = ["question", "conversation", "schema"]


@pytest.mark.parametrize(
    ("template", "line", "words"),
    [
        ("a\n{{ qestion }}", 2, 'unknown variable "qestion"'),
        ("{% for a in schema %}\n", 1, "endfor"),
        ("one\n\n{{ question", 3, "not a valid template"),
        ("{{ question | uper }}", 1, 'no filter "uper"'),
        ("{{ question }}\n{% if question is nubmer %}{% endif %}", 2, 'no test "nubmer"'),
        ("\n{% include 'x' %}", 2, "cannot include"),
        ("{{ question.__class__ }}", 1, "refuses"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", 0, "nested too deeply"),
    ],
)
def test_mistakes_have_their_line(template: str, line: int, words: str) -> None:
    (problem, *_) = problems_in(template, KNOWN, "p.j2")
    assert words in problem.message
    assert (problem.file, problem.line) == ("p.j2", line)


def test_an_unknown_variable_is_told_with_the_nearest_and_all_known_ones() -> None:
    (problem,) = problems_in("{{ qestion }}", KNOWN)
    assert problem.hint == 'Did you mean "question"? Available: conversation, question, schema.'


def test_what_a_template_sets_itself_is_no_unknown_variable() -> None:
    text = """{% macro row(cells, end='') %}{{ cells | join }}{{ end }}{% endmacro %}
    {% for t in schema %}{% set n = loop.index %}{{ n }}{{ row(t) }}
    {%- for a, b in t.items() %}{{ a }}{{ b }}{% endfor %}{% endfor %}
    {% with x = question %}{{ x }}{% endwith %}{{ range(3) | list }}{{ dict(a=1) }}"""
    assert problems_in(text, KNOWN) == []
    assert variables_in(text) == {"schema", "question"}


def test_constants_are_never_computed_to_check_a_template() -> None:
    assert problems_in("{{ 'x' | center(9000000000) }}{{ 9 ** (9 ** (9 ** 9)) }}{{ question }}", KNOWN) == []


def test_a_prompt_that_asks_the_same_of_every_case_is_a_mistake() -> None:
    suite = load_suite("data_query")
    (problem,) = template_problems("prompt", "Tell me about {{ suite }}", suite)
    assert "is the same for every case" in problem.message
    assert template_problems("system_prompt", "You are brief.", suite) == []


def test_a_setting_is_a_file_when_it_names_one(tmp_path: Path) -> None:
    (tmp_path / "ask.j2").write_text("Q: {{ question }}")
    (tmp_path / "plain").write_text("x")
    assert file_of("ask.j2", tmp_path) == tmp_path / "ask.j2"
    assert file_of("plain", tmp_path) == tmp_path / "plain"
    for text in ("Q: {{ question }}", "two\nlines.j2", "You answer from the file notes.txt", "", "a\x00b", "x" * 5000):
        assert file_of(text, tmp_path) is None
    with pytest.raises(UserError, match=r"no file aks\.j2") as caught:
        file_of("aks.j2", tmp_path)
    assert caught.value.hint == 'Did you mean "ask.j2"?'


def test_a_file_is_read_and_its_mistakes_are_placed_in_it(tmp_path: Path) -> None:
    suite = load_suite("answers")
    file = tmp_path / "ask.j2"
    file.write_text("{{ question }}\n{{ shema }}\n", encoding="utf-8-sig")
    with pytest.raises(UserError) as caught:
        settled(PromptedConfig(type="function", prompt=str(file)), suite, suite.options())
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == (str(file), 2)
    assert 'Did you mean "schema"?' in problem.hint
    file.write_bytes(b"{{ question }}\n\xff\xfe")
    with pytest.raises(UserError) as caught:
        settled(PromptedConfig(type="function", prompt=str(file)), suite, suite.options())
    assert caught.value.problems[0].line == 2
    file.write_text("{{ question }}" + " " * 300_000)
    with pytest.raises(UserError, match="larger than 256 KiB"):
        settled(PromptedConfig(type="function", prompt=str(file)), suite, suite.options())


def test_the_default_prompt_of_every_suite_is_good() -> None:
    for name in ("answers", "codegen", "data_query", "retrieval"):
        suite = load_suite(name)
        assert template_problems("prompt", suite.prompting.default, suite) == []
        made = settled(PromptedConfig(type="function", prompt="default"), suite, suite.options())
        assert made.prompt == suite.prompting.default


def test_the_hash_is_of_all_that_makes_the_prompt() -> None:
    def made(**settings: object) -> PromptedConfig:
        from karat.core.plugins import load

        config = load("karat.systems", "openai").config
        read: PromptedConfig = config(type="openai", base_url="http://h/v1", model="m", **settings)
        return read

    example = {"user": "u", "assistant": "a"}
    import msgspec

    from karat.core.system import Example

    variants = [
        made(prompt="{{ question }}"),
        made(prompt="{{ question }}!"),
        made(system_prompt="{{ question }}"),
        made(examples=(msgspec.convert(example, Example),)),
        made(response_format={"type": "json_object"}),
    ]
    hashes = [prompt_hash(config) for config in variants]
    hashes += [prompt_hash(variants[0], [{"schema": ["a"]}]), prompt_hash(variants[0], [{"schema": ["b"]}])]
    assert len(set(hashes)) == len(hashes)
    assert all(len(word) == 12 for word in hashes)
    assert prompt_hash(made()) == prompt_hash(made(temperature=0.5)) == ""
    assert prompt_hash(variants[0]) == prompt_hash(made(prompt="{{ question }}", concurrency=2))
    assert prompt_hash(variants[0], [{"s": 1}, {"s": 2}]) == prompt_hash(variants[0], [{"s": 2}, {"s": 1}, {"s": 1}])
