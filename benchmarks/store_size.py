"""Bytes of a store for one replayed run, per case: the file, and each kind of data in it.

The cases are small ones of ``data_query`` with an answer of about 189 bytes. For how it grows:
``python -m benchmarks.store_size CASES ...``.
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from benchmarks import measure
from benchmarks.generated import AREAS, DATASETS, SUBJECTS

SIZES = (10_000, 100_000)
LIMIT = 800
"""Bytes per case that are allowed."""


def main(*counts: int) -> None:
    """Each size in a store of its own."""
    measure.heading("store_size", "one replayed run through karat run; bytes per case")
    for count in counts or SIZES:
        with tempfile.TemporaryDirectory(prefix="karat-size-") as folder:
            answer, cost = _run(Path(folder), count)
            file = Path(folder) / "karat.db"
            size = file.stat().st_size / count
            rows = [["the file", f"{size:.0f}"], *([name, f"{held / count:.1f}"] for name, held in _parts(file))]
        measure.table([f"{count:,} cases, answers of {answer:.0f} bytes", "bytes per case"], rows)
        measure.limit(f"store per case, {count:,} cases", size, LIMIT, "B", sides=(cost, None))


def _run(folder: Path, count: int) -> tuple[float, measure.Cost]:
    """(the mean size of an answer, what the run cost)."""
    import karat

    pairs = list(_pairs(count))
    (folder / "cases.json").write_bytes(msgspec.json.encode([case for case, _ in pairs]))
    lines = [msgspec.json.encode({"id": case["id"], "response": answer.decode()}) for case, answer in pairs]
    (folder / "answers.jsonl").write_bytes(b"\n".join(lines))
    cost = measure.of_call(
        lambda: karat.run(
            suite="data_query",
            cases=folder / "cases.json",
            predictions=folder / "answers.jsonl",
            store=f"sqlite:///{folder / 'karat.db'}",
        )
    )
    return sum(len(answer) for _, answer in pairs) / count, cost


def _pairs(count: int) -> Iterator[tuple[dict[str, Any], bytes]]:
    random = Random(1)
    for number in range(count):
        area, subject, dataset = random.choice(AREAS), random.choice(SUBJECTS), random.choice(DATASETS)

        def chosen(area: str, subject: str = subject, dataset: str = dataset) -> dict[str, Any]:
            terms = (("COUNTRY", area), ("INDICATOR", subject))
            dimensions = [
                {"dimension_name": name, "values": [{"id": value[:3].upper(), "name": value}]} for name, value in terms
            ]
            return {"indicator_selection": [{"dataset_id": dataset, "dimensions": dimensions}]}

        target = chosen(area)
        question = f"Show me {subject.lower()} in {area} from {random.randint(1990, 2020)} on."
        case = {
            "id": f"{random.getrandbits(64):016x}-{number:06d}",
            "conversation": [{"role": "user", "content": question, "target": target}],
        }
        yield case, msgspec.json.encode(chosen(random.choice(AREAS)) if random.random() < 0.3 else target)


def _parts(file: Path) -> Iterator[tuple[str, int]]:
    """(what, bytes) of the kinds of blocks, and of the pages of the tables."""
    with sqlite3.connect(file) as connection:
        for table in ("run_blocks", "scoring_blocks"):
            query = f"SELECT kind, sum(length(data)) FROM {table} GROUP BY kind ORDER BY 2 DESC"
            yield from ((f"blocks of {kind}", size) for kind, size in connection.execute(query))
        page = connection.execute("PRAGMA page_size").fetchone()[0]
        yield "free pages", connection.execute("PRAGMA freelist_count").fetchone()[0] * page
        try:
            names = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name HAVING sum(pgsize) > 100000 ORDER BY 2 DESC"
            yield from ((f"pages of {name}", size) for name, size in connection.execute(names))
        except sqlite3.OperationalError:  # a SQLite that was built without this table
            return


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
