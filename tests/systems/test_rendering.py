"""Templates are rendered in a process of their own: what they may not do, and what ends them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.systems.prompts.rendering import Renderer, RenderFailed


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as made:
        yield made


def test_a_template_is_filled_with_plain_values(renderer: Renderer) -> None:
    text = (
        "{% for table in schema %}\n- {{ table.name }}: {{ table.columns | join(', ') }}\n{% endfor %}\n{{ question }}"
    )
    values = {"schema": [{"name": "ships", "columns": ["id", "länge"]}], "question": "Wie viele? {{ no }} {% raw %}"}
    assert renderer.render(text, values) == "- ships: id, länge\nWie viele? {{ no }} {% raw %}"


def test_what_a_question_holds_is_never_a_template(renderer: Renderer) -> None:
    attack = "{{ ''.__class__ }}{% for a in range(9) %}{{ a }}{% endfor %}"
    assert renderer.render("Q: {{ question }}", {"question": attack}) == f"Q: {attack}"


def test_lists_and_objects_are_written_as_json(renderer: Renderer) -> None:
    values = {"rows": [{"a": 1}, {"a": None}], "names": ["é", "b"], "nothing": None}
    assert renderer.render("{{ rows }}|{{ names }}|{{ nothing }}", values) == '{"a": 1}\n{"a": null}|["é", "b"]|'


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ question['__class__'] }}",
        "{{ question | attr('__class__') }}",
        "{{ (question | attr('__cl' ~ 'ass__')).__base__ }}",
        "{{ range.__globals__ }}",
        "{{ cycler.__init__.__globals__.os.environ }}",
        "{{ namespace.__init__.__globals__ }}",
        "{{ joiner.__init__.__globals__['__builtins__'] }}",
        "{{ '{0.__class__.__mro__}'.format(question) }}",
        "{{ '{0.__class__}' | format(question) if false else '{0.__class__}'.format_map({'0': question}) }}",
        "{{ self.__init__.__globals__ }}",
        "{{ self._TemplateReference__context.environment.loader }}",
        "{% set f = '{0.__class__}'.format %}{{ f(question) }}",
        "{{ ['{0.__class__}'] | map('format', question) | first | attr('__class__') }}",
        "{% macro m() %}{% endmacro %}{{ m.__globals__ }}",
        "{{ conversation.append(1) }}",
        "{{ hints.update({'a': 1}) }}",
        "{{ hints.pop('a') }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
        "{% extends 'base' %}",
        "{{ lipsum(9) }}",
        "{{ unknown }}",
        "{{ hints.unknown }}",
        "{{ open('/etc/passwd') }}",
    ],
)
def test_what_a_sandbox_must_refuse_is_refused(renderer: Renderer, template: str) -> None:
    with pytest.raises(RenderFailed):
        renderer.render(template, {"question": "q", "conversation": [], "hints": {"a": 1}})
    assert renderer.render("{{ question }}", {"question": "still there"}) == "still there"


@pytest.mark.parametrize(
    "template",
    [
        "{% set r = range(99999) %}{% for a in r %}{% for b in r %}{% for c in r %}{% endfor %}{% endfor %}{% endfor "
        "%}",
        "{{ 9 ** (9 ** 9) }}",
        "{% macro m(n) %}{{ m(n) ~ m(n) if n else '' }}{{ m(n - 1) ~ m(n - 1) if n > 0 else '' }}{% endmacro %}{{ "
        "m(60) }}",
        "{{ 'x' * 1000000000 }}",
        "{{ 'x' | center(4000000000) }}",
        "{{ '%04000000000d' | format(1) }}",
        "{{ [1] | batch(9000000000, 0) | list }}",
        "{% set ns = namespace(x='ab') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
        "{% for i in range(99999) %}{{ question * 100 }}{% endfor %}",
        "{{ ('a' * 90000).replace('a', 'b' * 90000) }}",
    ],
)
def test_a_template_has_bounds_of_time_memory_and_length(template: str) -> None:
    with Renderer(seconds=1.0) as renderer:
        with pytest.raises(RenderFailed) as caught:
            renderer.render(template, {"question": "a long question"})
        assert caught.value.message
        assert renderer.render("{{ question }}", {"question": "the next one"}) == "the next one"


def test_the_line_of_a_mistake_is_said(renderer: Renderer) -> None:
    with pytest.raises(RenderFailed) as caught:
        renderer.render("one\ntwo\n{{ hints.colums }}\nfour", {"hints": {"columns": []}})
    assert caught.value.line == 3
    assert "colums" in caught.value.message


def test_the_renderer_knows_no_secret(renderer: Renderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_API_KEY", "canary-4711")
    with Renderer() as fresh:
        fresh.render("{{ 1 }}", {})
        assert fresh._process is not None
        environment = Path(f"/proc/{fresh._process.pid}/environ").read_bytes()
    assert b"canary" not in environment
