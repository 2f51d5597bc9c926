"""``karat judge attack``: wrong answers that try to talk to the judge, and how many it calls right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.files.json import BadJson, decode
from karat.core.files.lines import each_line
from karat.core.problems import Problem, UserError
from karat.judge.asking import ask_all, now
from karat.judge.attacks import Attack, attack_count, attack_questions, attacks
from karat.judge.calibration import AttackCount, misses_of
from karat.judge.judge_client import Judge
from karat.judge.settings import Bar
from karat.store.verdicts.judgements import JudgeRecords
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.open_judge import GivenJudge, finished, open_judge_here, remember
from karat.verbs.judge.pools import empty_calibration, newest_calibration

if TYPE_CHECKING:
    from karat.store.store import Store


def attack_judge(
    judge: GivenJudge | None = None,
    *,
    suite: str = "",
    own: Sequence[Attack] = (),
    store: str | Path = "",
    config: str | Path | None = None,
) -> AttackCount:
    """Put wrong answers that try to talk to the judge before it, and count how many it calls right. The count is kept
    with the version, for its bar. ``suite``: the kind of question that they are said to be answers to; by default each
    suite of the project, or of the stored runs, whose judge is another version."""
    project = project_here(config)
    opened = open_judge_here(judge, project)
    with open_store_here(store, config, create=True) as kept:
        of_project = [entry.suite for entry, _ in project.suites] if project is not None else []
        names = [suite] if suite else of_project or [row.suite for row in kept.runs()] or plugins.names(plugins.SUITES)
        judges: dict[str, Judge] = {}
        for name in names:
            one = opened.for_suite(plugins.load_suite(name))
            judges.setdefault(one.version, one)
        counts = [_attacked(kept, one, list(own or attacks()), opened.settings.bar) for one in judges.values()]
    return AttackCount(*(sum(values) for values in zip(*map(msgspec.structs.astuple, counts), strict=True)))


def _attacked(store: Store, judge: Judge, given: list[Attack], bar: Bar) -> AttackCount:
    records = JudgeRecords(store)
    version = remember(store, judge)
    verdicts, _ = finished(ask_all(records, None, judge, attack_questions(given, judge.suite.name), fresh=True))
    count = attack_count(verdicts)
    before = newest_calibration(records, version.version) or empty_calibration(version.version)
    found = msgspec.structs.replace(before, attacks=count)
    found = msgspec.structs.replace(found, misses=misses_of(found, bar, stale=version.stale))
    records.add_calibration(version.version, msgspec.to_builtins(found), now())
    return count


def read_attacks(path: Path) -> list[Attack]:
    """Attacks of one's own: lines ``{"id", "kind", "question", "expected", "answer"}``; ``gold`` is read as
    ``expected``."""
    found: dict[str, Attack] = {}
    problems: list[Problem] = []
    for number, line in each_line(path):
        try:
            given = decode(line)
            if not isinstance(given, dict):
                raise BadJson("it must be an object")
            given.setdefault("expected", given.get("gold"))
            lacking = [
                name for name in ("id", "question", "expected", "answer") if not isinstance(given.get(name), str)
            ]
            if lacking:
                raise BadJson(f"{', '.join(lacking)} must be text")
            if given["id"] in found:
                raise BadJson(f"the id {given['id']} is there twice")
        except BadJson as error:
            problems.append(Problem(f"this line is no attack: {error}", file=str(path), line=number))
            continue
        kind = str(given.get("kind") or "own")
        found[given["id"]] = Attack(given["id"], kind, given["question"], given["expected"], given["answer"])
    if problems or not found:
        raise UserError(f"{path.name} is not a file of attacks" if problems else f"{path} is empty", problems=problems)
    return list(found.values())
