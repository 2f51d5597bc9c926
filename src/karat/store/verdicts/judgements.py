"""What judges said, in and out of their tables: versions, replies for all runs, verdicts on the answers of a run, and
calibrations.

A verdict belongs to an answer of a run and to the version of the judge that gave it. It never touches a score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import Connection, RowMapping, bindparam, delete, func, insert, select, update

from karat.core.json_types import JsonObject
from karat.store.codec import to_json
from karat.store.runs import lock_run
from karat.store.schema import calibrations, judge_replies, judge_versions, judgements

if TYPE_CHECKING:
    from karat.store.store import Store

_CHUNK = 500
"""Keys in one query."""
_ANSWER = ("case_id", "turn", "repeat")


class JudgeVersion(msgspec.Struct, frozen=True):
    """A judge: protocol, system, model, parameters and rubric. ``version`` is their hash."""

    version: str
    settings: JsonObject
    rubric: str
    model: str = ""
    """The name that the server returned."""
    fingerprint: str = ""
    stale: str = ""
    """Why its verdicts are no longer those of one judge; empty while they are."""
    created: str = ""


class StoredReply(msgspec.Struct, frozen=True):
    """A reply as it was read, under the hash of everything that was sent."""

    key: str
    version: str
    verdict: JsonObject
    tokens: int | None = None
    cost: float | None = None
    latency: float | None = None


class Judgement(msgspec.Struct, frozen=True):
    """What a version of a judge says of one answer of a run."""

    case_id: str
    turn: int
    repeat: int
    key: str
    role: str
    """Why it was asked: the state in which the rule left the answer, or ``audit``."""
    verdict: JsonObject


class StoredCalibration(msgspec.Struct, frozen=True):
    """How a version came out against people."""

    version: str
    figures: JsonObject
    created: str


class JudgeRecords:
    """A view of an open store. Each method is one transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add_version(self, given: JudgeVersion, now: str) -> JudgeVersion:
        """Keep a version; the one that is there already when there is one."""
        with self._store._writing() as connection:
            row = connection.execute(select(judge_versions).where(judge_versions.c.version == given.version)).first()
            if row is not None:
                return _version(row._mapping)
            connection.execute(
                insert(judge_versions),
                {
                    **msgspec.structs.asdict(given),
                    "settings": to_json(given.settings).decode(),
                    "created": now,
                },
            )
        return msgspec.structs.replace(given, created=now)

    def mark_version(self, version: str, *, model: str, fingerprint: str, stale: str = "") -> None:
        """What the server called its model; and why the version is stale from now on."""
        change = update(judge_versions).where(judge_versions.c.version == version)
        with self._store._writing() as connection:
            connection.execute(change.values(model=model, fingerprint=fingerprint, stale=stale))

    def versions(self) -> list[JudgeVersion]:
        """Every version, oldest first."""
        with self._store._reading() as connection:
            query = select(judge_versions).order_by(judge_versions.c.created, judge_versions.c.version)
            return [_version(row._mapping) for row in connection.execute(query)]

    def replies(self, keys: Sequence[str]) -> dict[str, StoredReply]:
        """Replies that were given before, by key."""
        found: dict[str, StoredReply] = {}
        columns = [judge_replies.c[name] for name in StoredReply.__struct_fields__]
        with self._store._reading() as connection:
            for low in range(0, len(keys), _CHUNK):
                query = select(*columns).where(judge_replies.c.key.in_(keys[low : low + _CHUNK]))
                for row in connection.execute(query):
                    found[row.key] = StoredReply(**{**row._mapping, "verdict": msgspec.json.decode(row.verdict)})
        return found

    def add(
        self, run_id: int | None, version: str, replies: Sequence[StoredReply], given: Sequence[Judgement], now: str
    ) -> None:
        """Replies and the verdicts that follow from them, together: a verdict that is stored is never asked for again.
        A later one on the same answer replaces the earlier."""
        with self._store._writing() as connection:
            if replies:
                known = judge_replies.c.key.in_([reply.key for reply in replies])
                connection.execute(delete(judge_replies).where(known))
                connection.execute(
                    insert(judge_replies),
                    [
                        {**msgspec.structs.asdict(reply), "verdict": to_json(reply.verdict).decode(), "created": now}
                        for reply in replies
                    ],
                )
            if run_id is None or not given:
                return
            lock_run(connection, run_id)
            own = (judgements.c.run_id == run_id) & (judgements.c.version == version)
            for name in _ANSWER:
                own &= judgements.c[name] == bindparam(f"own_{name}")
            connection.execute(
                delete(judgements).where(own),
                [{f"own_{name}": getattr(one, name) for name in _ANSWER} for one in given],
            )
            rows = (msgspec.structs.asdict(one) for one in given)
            more = {"run_id": run_id, "version": version, "created": now}
            connection.execute(
                insert(judgements), [{**row, **more, "verdict": to_json(row["verdict"]).decode()} for row in rows]
            )

    def touch(self, run_id: int, version: str, now: str) -> None:
        """That this version was asked about a run last, also where nothing new came of it."""
        own = (judgements.c.run_id == run_id) & (judgements.c.version == version)
        with self._store._writing() as connection:
            connection.execute(update(judgements).where(own).values(created=now))

    def of_run(self, run_id: int, version: str = "", case_ids: Iterable[str] | None = None) -> list[Judgement]:
        """The verdicts of a version on a run's answers, by case, turn and try; of the newest version without a name."""
        with self._store._reading() as connection:
            version = version or newest_version(connection, run_id)
            columns = [judgements.c[name] for name in Judgement.__struct_fields__]
            query = select(*columns).where(judgements.c.run_id == run_id, judgements.c.version == version)
            if case_ids is not None:
                query = query.where(judgements.c.case_id.in_(list(case_ids)))
            query = query.order_by(judgements.c.case_id, judgements.c.turn, judgements.c.repeat)
            return [
                Judgement(case, turn, repeat, key, role, msgspec.json.decode(verdict))
                for case, turn, repeat, key, role, verdict in connection.execute(query)
            ]

    def versions_of_run(self, run_id: int) -> list[str]:
        """The versions that judged answers of a run, the newest first."""
        last = func.max(judgements.c.created)
        query = select(judgements.c.version).where(judgements.c.run_id == run_id).group_by(judgements.c.version)
        with self._store._reading() as connection:
            return list(connection.execute(query.order_by(last.desc(), judgements.c.version)).scalars())

    def last_asked(self, run_id: int) -> tuple[str, str, int] | None:
        """(version, when, verdicts) of the newest judge of a run; None where none was asked."""
        query = select(func.max(judgements.c.created), func.count()).where(judgements.c.run_id == run_id)
        with self._store._reading() as connection:
            if not (version := newest_version(connection, run_id)):
                return None
            last, count = connection.execute(query.where(judgements.c.version == version)).one()
            return version, str(last), int(count)

    def runs_of_version(self, version: str) -> list[int]:
        """The runs with a verdict of this version, oldest first."""
        query = select(judgements.c.run_id).where(judgements.c.version == version).distinct()
        with self._store._reading() as connection:
            return [int(run_id) for run_id in connection.execute(query.order_by(judgements.c.run_id)).scalars()]

    def add_calibration(self, version: str, figures: JsonObject, now: str) -> None:
        """Keep how a version came out."""
        row = {"version": version, "figures": to_json(figures).decode(), "created": now}
        with self._store._writing() as connection:
            connection.execute(insert(calibrations), row)

    def calibrations(self, version: str) -> list[StoredCalibration]:
        """How a version came out, the newest first."""
        query = select(calibrations).where(calibrations.c.version == version).order_by(calibrations.c.id.desc())
        with self._store._reading() as connection:
            return [
                StoredCalibration(row.version, msgspec.json.decode(row.figures), row.created)
                for row in connection.execute(query)
            ]


def newest_version(connection: Connection, run_id: int) -> str:
    """The version that judged answers of a run last; empty where none did."""
    newest = select(judgements.c.version).where(judgements.c.run_id == run_id)
    newest = newest.order_by(judgements.c.created.desc(), judgements.c.version).limit(1)
    return connection.execute(newest).scalar() or ""


def _version(row: RowMapping) -> JudgeVersion:
    return JudgeVersion(
        row["version"],
        msgspec.json.decode(row["settings"]),
        row["rubric"],
        row["model"],
        row["fingerprint"],
        row["stale"],
        row["created"],
    )
