"""Cases, answers and scores move from a row each into compressed blocks; a scoring is seen when it is finished.

Rows are read and written a block at a time, so the memory that this takes does not grow with the store.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any  # Any: rows of tables as they were before this migration

import msgspec
import sqlalchemy as sa
from alembic import op

from karat.core.records import CallError, Prediction
from karat.core.results.result import CaseResult
from karat.store.blocks.tables import blocks_from
from karat.store.cases.case_lines import LINES, SEARCHED, CaseLine, unpack_lines, unpack_searched
from karat.store.cases.cases import CASES, IDS, append_cases
from karat.store.codec import from_bytes, from_text, pack, to_json, to_text
from karat.store.predictions.answer_blocks import KEYS, NO_TURN, answers_of, append_answers, keys_of
from karat.store.predictions.predictions import move_into_blocks
from karat.store.schema import run_blocks, scoring_blocks
from karat.store.scorings.results import RESULTS, Lined, append_lined

revision = "0006"
down_revision: str | None = "0005"

_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_BATCH = 1000
_LOST = "could not be read when the store was upgraded"
_UNREADABLE = (zlib.error, msgspec.DecodeError, UnicodeDecodeError)
_ANSWER = (
    "case_id", "turn", "repeat", "codec", "response", "error_kind", "error_message", "error_tries", "latency", "tokens",
    "cost", "created",
)  # fmt: skip


def upgrade() -> None:
    """Make the tables of blocks, fill them from the rows, and drop those."""
    for owner in ("run", "scoring"):
        table, column = f"{owner}_blocks", f"{owner}_id"
        op.create_table(
            table,
            sa.Column(column, _id, nullable=False),
            sa.Column("kind", sa.Text(), nullable=False),
            *[sa.Column(name, sa.BigInteger(), nullable=False) for name in ("first", "rows", "checksum")],
            sa.Column("data", sa.LargeBinary(), nullable=False),
            sa.PrimaryKeyConstraint(column, "kind", "first", name=f"pk_{table}"),
            sa.ForeignKeyConstraint([column], [f"{owner}s.id"], name=f"fk_{table}_{column}", ondelete="CASCADE"),
        )
    op.add_column("scorings", sa.Column("writer", sa.Text(), nullable=False, server_default=""))
    connection = op.get_bind()
    for run_id in connection.execute(sa.text("SELECT id FROM runs ORDER BY id")).scalars().all():
        for rows in _rows(connection, "cases", "run_id", run_id, "position", "case_id", "codec", "data"):
            append_cases(connection, run_id, [(from_text(row.case_id), _case(row)) for row in rows])
        answers = _rows(connection, "predictions", "run_id", run_id, "id", *_ANSWER)
        append_answers(connection, run_id, ((_prediction(row), row.created) for rows in answers for row in rows))
    for scoring in connection.execute(sa.text("SELECT id FROM scorings ORDER BY id")).scalars().all():
        _results_into_blocks(connection, scoring)
    for table in ("lines", "scores", "cases", "predictions"):
        op.drop_table(table)
    _make_predictions(attempts=False)


def downgrade() -> None:
    """Make the tables of rows again, fill them from the blocks, and drop those."""
    connection = op.get_bind()
    for run_id in connection.execute(sa.text("SELECT DISTINCT run_id FROM predictions")).scalars().all():
        move_into_blocks(connection, run_id, whole=True)
    op.drop_table("predictions")
    _make_predictions(attempts=True)
    _make_rows()
    for run_id in connection.execute(sa.text("SELECT id FROM runs ORDER BY id")).scalars().all():
        _cases_into_rows(connection, run_id)
        _answers_into_rows(connection, run_id)
    for scoring in connection.execute(sa.text("SELECT id FROM scorings ORDER BY id")).scalars().all():
        _results_into_rows(connection, scoring)
    op.drop_table("scoring_blocks")
    op.drop_table("run_blocks")
    op.execute(sa.text("ALTER TABLE scorings DROP COLUMN writer"))


def _results_into_blocks(connection: sa.Connection, scoring: int) -> None:
    query = sa.text(
        "SELECT scores.position, scores.case_id, scores.codec, scores.data,"
        " name, question, reason, tags, wants_review, searched"
        " FROM scores LEFT JOIN lines"
        " ON lines.scoring_id = scores.scoring_id AND lines.position = scores.position"
        " WHERE scores.scoring_id = :owner AND scores.position > :begin ORDER BY scores.position LIMIT :count"
    )
    for rows in _batches(connection, query, scoring):
        append_lined(connection, scoring, [Lined(*_result(row), _line(row)) for row in rows])


def _result(row: Any) -> tuple[CaseResult, bytes]:
    """A result and its JSON. One that cannot be read stays an error, which is seen, and goes when the run is scored
    again."""
    try:
        data = _unpacked(row.codec, row.data)
        return msgspec.json.decode(data, type=CaseResult), data
    except _UNREADABLE:
        case = CaseResult(from_text(row.case_id), "error", {}, error=f"the stored result {_LOST}")
        return case, to_json(case)


def _line(row: Any) -> CaseLine:
    name, question, reason, tags, searched = (
        from_text(text or "") for text in (row.name, row.question, row.reason, row.tags, row.searched)
    )
    own = tuple(tags.removeprefix("\n").removesuffix("\n").split("\n")) if tags else ()
    return CaseLine(name, question, reason, own, bool(row.wants_review), searched)


def _prediction(row: Any) -> Prediction:
    error = None
    if row.error_kind is not None:
        error = CallError(from_text(row.error_kind), from_text(row.error_message), row.error_tries)
    try:
        response = _unpacked(row.codec, row.response)
    except _UNREADABLE:
        response, error = bytes(row.response), error or CallError("damaged", f"the stored answer {_LOST}")
    return Prediction(
        from_text(row.case_id),
        None if row.turn == NO_TURN else row.turn,
        row.repeat,
        response,
        error,
        row.latency,
        row.tokens,
        row.cost,
    )


def _case(row: Any) -> bytes:
    """The JSON of a case, or the bytes that cannot be read: it is said when the run needs them."""
    try:
        return _unpacked(row.codec, row.data)
    except _UNREADABLE:
        return bytes(row.data)


def _unpacked(codec: str, data: bytes) -> bytes:
    return zlib.decompress(bytes(data)) if codec == "zlib" else bytes(data)


def _rows(
    connection: sa.Connection, table: str, owner: str, number: int, key: str, *columns: str
) -> Iterator[list[Any]]:
    """The rows of a run, a batch at a time, in the order of ``key``."""
    query = sa.text(
        f"SELECT {key} AS position, {', '.join(columns)} FROM {table}"  # noqa: S608 (names of our own)
        f" WHERE {owner} = :owner AND {key} > :begin ORDER BY {key} LIMIT :count"
    )
    return _batches(connection, query, number)


def _batches(connection: sa.Connection, query: sa.TextClause, owner: int) -> Iterator[list[Any]]:
    begin = -1
    while rows := list(connection.execute(query, {"owner": owner, "begin": begin, "count": _BATCH})):
        yield rows
        begin = rows[-1].position


def _make_predictions(*, attempts: bool) -> None:
    whole, text = sa.BigInteger(), sa.Text()
    counts = ("turn", "repeat", "attempt") if attempts else ("turn", "repeat")
    op.create_table(
        "predictions",
        sa.Column("id", _id, sa.Identity(), nullable=False),
        sa.Column("run_id", _id, nullable=False),
        sa.Column("case_id", text, nullable=False),
        *[sa.Column(name, whole, nullable=False) for name in counts],
        sa.Column("codec", text, nullable=False),
        sa.Column("response", sa.LargeBinary(), nullable=False),
        sa.Column("error_kind", text),
        sa.Column("error_message", text),
        sa.Column("error_tries", whole),
        sa.Column("latency", sa.Double()),
        sa.Column("tokens", whole),
        sa.Column("cost", sa.Double()),
        sa.Column("created", text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_predictions"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_predictions_run_id", ondelete="CASCADE"),
        *(
            [sa.UniqueConstraint("run_id", "case_id", "turn", "repeat", "attempt", name="uq_predictions")]
            if attempts
            else []
        ),
    )
    if not attempts:
        op.create_index("ix_predictions_run_id", "predictions", ["run_id", "id"])


def _make_rows() -> None:
    text = sa.Text()
    for table, owner, texts in (
        ("cases", "run", ("case_id", "codec")),
        ("scores", "scoring", ("case_id", "status", "codec")),
        (
            "lines",
            "scoring",
            ("case_id", "status", "name", "question", "reason", "tags", "figures", "searched", "cluster"),
        ),
    ):
        more: list[sa.Column[Any]] = [sa.Column("data", sa.LargeBinary(), nullable=False)]
        if table == "lines":
            more = [sa.Column("wants_review", sa.BigInteger(), nullable=False)]
        op.create_table(
            table,
            sa.Column(f"{owner}_id", _id, nullable=False),
            sa.Column("position", sa.BigInteger(), nullable=False),
            *[sa.Column(name, text, nullable=False) for name in texts],
            *more,
            sa.PrimaryKeyConstraint(f"{owner}_id", "position", name=f"pk_{table}"),
            sa.ForeignKeyConstraint(
                [f"{owner}_id"], [f"{owner}s.id"], name=f"fk_{table}_{owner}_id", ondelete="CASCADE"
            ),
        )
        if table != "scores":
            op.create_index(f"ix_{table}_case_id", table, [f"{owner}_id", "case_id"])


def _insert(connection: sa.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        columns = [sa.column(name, sa.LargeBinary() if name in ("data", "response") else None) for name in rows[0]]
        connection.execute(sa.insert(sa.table(table, *columns)), rows)


def _cases_into_rows(connection: sa.Connection, run_id: int) -> None:
    ids = blocks_from(connection, run_blocks, run_id, IDS)
    for named, held in zip(ids, blocks_from(connection, run_blocks, run_id, CASES), strict=True):
        rows = []
        for position, (case, data) in enumerate(zip(named.block.items(), held.block.items(), strict=True), held.first):
            codec, packed = pack(data)
            own = {"case_id": to_text(from_bytes(case)), "codec": codec, "data": packed}
            rows.append({"run_id": run_id, "position": position, **own})
        _insert(connection, "cases", rows)


def _answers_into_rows(connection: sa.Connection, run_id: int) -> None:
    asked: dict[Any, int] = {}
    for stored in blocks_from(connection, run_blocks, run_id, KEYS):
        rows = []
        for answer, created in zip(answers_of(connection, run_id, stored), keys_of(stored).created, strict=True):
            key = (to_text(answer.case_id), NO_TURN if answer.turn is None else answer.turn, answer.repeat)
            asked[key] = asked.get(key, -1) + 1
            codec, packed = pack(answer.response)
            row = {"run_id": run_id, "case_id": key[0], "turn": key[1], "repeat": key[2], "attempt": asked[key]}
            row |= {"codec": codec, "response": packed, "created": created}
            error = answer.error
            row["error_kind"] = None if error is None else to_text(error.kind)
            row["error_message"] = None if error is None else to_text(error.message)
            row["error_tries"] = None if error is None else error.tries
            rows.append(row | {"latency": answer.latency, "tokens": answer.tokens, "cost": answer.cost})
        _insert(connection, "predictions", rows)


def _results_into_rows(connection: sa.Connection, scoring: int) -> None:
    query = sa.text("SELECT metric FROM summaries WHERE scoring_id = :id ORDER BY position")
    metrics = [from_text(name) for name in connection.execute(query, {"id": scoring}).scalars()]
    kinds = [blocks_from(connection, scoring_blocks, scoring, kind) for kind in (RESULTS, LINES, SEARCHED)]
    for results, lined, searched in zip(*kinds, strict=True):
        found = [msgspec.json.decode(item, type=CaseResult) for item in results.block.items()]
        lines = unpack_lines(lined.block.items()[0])
        texts = unpack_searched(searched.block.items()[0]).split("\x1e")
        scores, listed = [], []
        for place, case in enumerate(found):
            own = {"scoring_id": scoring, "position": results.first + place}
            own |= {"case_id": to_text(case.id), "status": case.status}
            codec, data = pack(to_json(case))
            scores.append({**own, "codec": codec, "data": data})
            values = [case.scores[name].value if name in case.scores else None for name in metrics]
            line = {
                "name": lines.names[place],
                "question": lines.questions[place],
                "reason": lines.reasons[place],
                "tags": "\n".join(("", *lines.tags[place], "")) if lines.tags[place] else "",
                "searched": texts[place],
                "cluster": case.cluster,
            }
            line = {name: to_text(value) for name, value in line.items()}
            more = {"figures": to_json(values).decode(), "wants_review": int(lines.wants_review[place])}
            listed.append({**own, **line, **more})
        _insert(connection, "scores", scores)
        _insert(connection, "lines", listed)
