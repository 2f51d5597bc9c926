"""The tracer: what counts as a room, and a real walk of one case."""

from __future__ import annotations

from pathlib import Path

from benchmarks.walk import Step, room_changes, walk


def test_rooms() -> None:
    places = ("api.py", "core/replies/reply.py", "suites/answers/metrics/strict.py", "suites/codegen/cases.py")
    rooms = [Step(place, "f").room for place in places]
    assert rooms == ["karat", "core", "suites/answers", "suites/codegen"]


def test_room_changes_count_neighbours() -> None:
    steps = [Step(place, "f") for place in ("cli/run.py", "cli/main.py", "core/yaml.py", "cli/exit_codes.py")]
    assert room_changes(steps) == 2
    assert room_changes(steps, without="core") == 0
    assert room_changes([]) == 0


def test_the_walk_of_one_case_begins_at_the_command_and_passes_the_suite(tmp_path: Path) -> None:
    steps = walk("data_query", tmp_path)
    assert steps[0] == Step("cli/main.py", "main")
    assert len(set(steps)) > 100
    rooms = {step.room for step in steps}
    assert {"cli", "core", "runs", "reports", "stats", "suites/data_query"} <= rooms
    assert not any("<lambda>" in step.function.rsplit(".", 1)[-1] for step in steps)
    assert any(step.file == "suites/data_query/metrics/terms/macro_recall.py" for step in steps)
