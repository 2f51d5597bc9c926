"""Text that would act if anybody evaluated it, in every field of cases and answers of every suite: it is compared,
shown and reported as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.results.result import RunResult
from karat.verbs.report import write_reports

MARK = "pwned.txt"
ACTS = f"open('{MARK}', 'w').write('x')"
PAYLOADS = (
    f"__import__('os').system('touch {MARK}')",
    f"@__import__('os').system('touch {MARK}')",
    f'exec("{ACTS}")',
    f"`touch {MARK}`",
    f"$(touch {MARK})",
    f"; touch {MARK} #",
    f"{{{{ self.__init__.__globals__.__builtins__.{ACTS} }}}}",
    f"{{% for c in ().__class__.__base__.__subclasses__() %}}{{{{ {ACTS} }}}}{{% endfor %}}",
    f"!!python/object/apply:os.system ['touch {MARK}']",
    f"cos\nsystem\n(S'touch {MARK}'\ntR.",
    f"=cmd|'/c touch {MARK}'!A1",
    "{0.__class__.__init__.__globals__}",
    "%(x)s %n ${PATH} {PATH}",
    f"'; COPY (SELECT 1) TO '{MARK}'; --",
    f"1); ATTACH '{MARK}' AS x; CREATE TABLE x.t(a); --",
)


def data_query(text: str) -> tuple[Any, Any]:
    part = {"dataset_id": text, "dimensions": [{"dimension_name": text, "values": [{"id": text, "name": text}]}]}
    target = {"indicator_selection": [part], "period": {"start": "2020", "end": "2021"}}
    case = {
        "id": text,
        "name": text,
        "tags": [text],
        "comments": text,
        "conversation": [{"role": "user", "content": text, "target": target}],
    }
    return case, {"id": text, "indicator_selection": [part], "period": {"start": text, "end": text}}


def answers(text: str) -> tuple[Any, Any]:
    gold = {"func": "string_match", "parameters": {"gold": [text], "exclude": [f"{text}!"]}}
    case = {"instance_id": text.replace("/", "_"), "instruction": text, "type": "text", "evaluation": gold}
    return case, {"instance_id": text.replace("/", "_"), "answer_type": "answer", "answer_or_path": text}


def numbers(text: str) -> tuple[Any, Any]:
    case, answer = answers(text)
    return {**case, "evaluation": {"func": "number_match", "parameters": {"gold": 7}}}, answer


def retrieval(text: str) -> tuple[Any, Any]:
    return {"id": text, "question": text, "relevant": [text], "tags": [text]}, {
        "id": text,
        "results": [text, f"{text}x"],
    }


SUITES = {"data_query": data_query, "answers": answers, "numbers": numbers, "retrieval": retrieval}


@pytest.mark.parametrize("name", SUITES)
def test_nothing_is_evaluated(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = "answers" if name == "numbers" else name
    pairs = [SUITES[name](text) for text in PAYLOADS]
    result: RunResult = karat.score(
        suite=suite, cases=[case for case, _ in pairs], predictions=[answer for _, answer in pairs]
    )
    assert len(result.cases) + len(result.problems) >= len(PAYLOADS)
    write_reports(result, json="out.json", xlsx=Path("out.xlsx"), html=Path("out.html"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "out.json", "out.xlsx"]
