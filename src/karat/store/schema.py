"""The tables. A change here needs a new migration and a new ``HEAD``; a test compares the two.

New stores are made from these tables and marked with ``HEAD``, old ones are brought here by the migrations.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)
from sqlalchemy.engine import Dialect

from karat.store.codec import from_text, to_text

HEAD = "0010"
"""The newest migration. They count up in four digits, so a larger one in a store means a newer karat."""


class AnyText(TypeDecorator[str]):
    """Text of any characters, see :func:`karat.store.codec.to_text`."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 (SQLAlchemy's)
        return None if value is None else to_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 (SQLAlchemy's)
        return None if value is None else from_text(value)


BigId = BigInteger().with_variant(Integer(), "sqlite")  # only INTEGER numbers itself in SQLite

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)

runs = Table(
    "runs",
    metadata,
    Column("id", BigId, Identity(), primary_key=True),
    Column("suite", AnyText, nullable=False),
    Column("name", AnyText, nullable=False),
    Column("system", AnyText, nullable=False),
    Column("status", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("finished", Text, nullable=False),
    Column("today", Text, nullable=False),
    Column("truth_set", AnyText, nullable=False),
    Column("cases", BigInteger, nullable=False),
    Column("repeats", BigInteger, nullable=False),
    Column("karat", Text, nullable=False),
    Column("options", Text, nullable=False),
    Column("config", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Index("ix_runs_suite", "suite"),
    sqlite_autoincrement=True,  # the number of a deleted run is not given out again
)

# Bulk data, see karat.store.blocks.block: the cases of a run with their ids, and its answers with what they are answers
# to.
run_blocks = Table(
    "run_blocks",
    metadata,
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("rows", BigInteger, nullable=False),
    Column("checksum", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

# Answers as they come, one row each, until there are enough of them for a block.
predictions = Table(
    "predictions",
    metadata,
    Column("id", BigId, Identity(), primary_key=True),
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("case_id", AnyText, nullable=False),
    Column("turn", BigInteger, nullable=False),
    Column("repeat", BigInteger, nullable=False),
    Column("codec", Text, nullable=False),
    Column("response", LargeBinary, nullable=False),
    Column("error_kind", AnyText),
    Column("error_message", AnyText),
    Column("error_tries", BigInteger),
    Column("latency", Double),
    Column("tokens", BigInteger),
    Column("cost", Double),
    Column("created", Text, nullable=False),
    Index("ix_predictions_run_id", "run_id", "id"),
)

scorings = Table(
    "scorings",
    metadata,
    Column("id", BigId, Identity(), primary_key=True),
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("created", Text, nullable=False),
    Column("karat", Text, nullable=False),
    Column("truth_set", AnyText, nullable=False),
    Column("options", Text, nullable=False),
    Column("info", Text, nullable=False),
    # The process that still writes the scoring; empty when it is finished.
    Column("writer", Text, nullable=False, server_default=""),
    Index("ix_scorings_run_id", "run_id"),
    sqlite_autoincrement=True,
)

summaries = Table(
    "summaries",
    metadata,
    Column("scoring_id", BigId, ForeignKey("scorings.id", ondelete="CASCADE"), primary_key=True),
    Column("position", BigInteger, primary_key=True),
    Column("metric", AnyText, nullable=False),
    Column("mean", Double),
    Column("n", BigInteger, nullable=False),
    Column("low", Double),
    Column("high", Double),
    Column("undefined", BigInteger, nullable=False),
    Column("with_errors_as_zero", Double),
)

# Bulk data of a scoring: results, what a list of cases shows and searches, and the figures as columns.
scoring_blocks = Table(
    "scoring_blocks",
    metadata,
    Column("scoring_id", BigId, ForeignKey("scorings.id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("rows", BigInteger, nullable=False),
    Column("checksum", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

reviews = Table(
    "reviews",
    metadata,
    Column("id", BigId, Identity(), primary_key=True),
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("case_id", AnyText, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("reviewer", AnyText, nullable=False),
    Column("comment", AnyText, nullable=False),
    Column("created", Text, nullable=False),
    Column("undone", Text, nullable=False),
    # 1: it settles the case for everybody; and whether other verdicts were hidden when it was given.
    Column("adjudication", BigInteger, nullable=False, server_default="0"),
    Column("blind", BigInteger, nullable=False, server_default="0"),
    Index("ix_reviews_case_id", "run_id", "case_id"),
)

# What belongs to a run as a whole, under a name: see karat.core.run_notes.notes.
notes = Table(
    "notes",
    metadata,
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("name", AnyText, primary_key=True),
    Column("codec", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("created", Text, nullable=False),
)

# Who holds a run, or a part of it: see karat.store.leases.leases.
leases = Table(
    "leases",
    metadata,
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("part", BigInteger, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("host", AnyText, nullable=False),
    Column("machine", AnyText, nullable=False),
    Column("pid", BigInteger, nullable=False),
    Column("born", BigInteger, nullable=False),
    Column("taken", Double, nullable=False),
    Column("renewed", Double, nullable=False),
)

# What judges say of answers, beside rules and people: see karat.judge. A version is a judge with its rubric; its
# replies are kept for all runs, so that nothing is asked twice.
judge_versions = Table(
    "judge_versions",
    metadata,
    Column("version", Text, primary_key=True),
    Column("settings", AnyText, nullable=False),
    Column("rubric", AnyText, nullable=False),
    Column("model", AnyText, nullable=False),
    Column("fingerprint", AnyText, nullable=False),
    # Why its verdicts are no longer those of one judge; empty while they are.
    Column("stale", AnyText, nullable=False),
    Column("created", Text, nullable=False),
)

judge_replies = Table(
    "judge_replies",
    metadata,
    Column("key", Text, primary_key=True),
    Column("version", Text, nullable=False),
    Column("verdict", AnyText, nullable=False),
    Column("tokens", BigInteger),
    Column("cost", Double),
    Column("latency", Double),
    Column("created", Text, nullable=False),
)

judgements = Table(
    "judgements",
    metadata,
    Column("run_id", BigId, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Text, primary_key=True),
    Column("case_id", AnyText, primary_key=True),
    Column("turn", BigInteger, primary_key=True),
    Column("repeat", BigInteger, primary_key=True),
    Column("key", Text, nullable=False),
    # Why it was asked: the state that the rule left the answer in, or "audit".
    Column("role", Text, nullable=False),
    Column("verdict", AnyText, nullable=False),
    Column("created", Text, nullable=False),
)

calibrations = Table(
    "calibrations",
    metadata,
    Column("id", BigId, Identity(), primary_key=True),
    Column("version", Text, nullable=False),
    Column("figures", AnyText, nullable=False),
    Column("created", Text, nullable=False),
    Index("ix_calibrations_version", "version"),
)

# What the people of a suite share in the viewer: filters under a name, and sets of cases. They belong to no run.
saved_filters = Table(
    "saved_filters",
    metadata,
    Column("suite", AnyText, primary_key=True),
    Column("name", AnyText, primary_key=True),
    Column("query", AnyText, nullable=False),
    Column("created", Text, nullable=False),
)

set_cases = Table(
    "set_cases",
    metadata,
    Column("suite", AnyText, primary_key=True),
    Column("name", AnyText, primary_key=True),
    Column("case_id", AnyText, primary_key=True),
    Column("created", Text, nullable=False),
)

# What each connection to a server has committed: see karat.store.database.commits. A file needs none of it.
writers = Table(
    "writers",
    metadata,
    Column("writer", Text, primary_key=True),
    Column("serial", BigInteger, nullable=False),
    Column("seen", Double, nullable=False),
)


def copied_tables() -> list[Table]:
    """The tables that move with a store, each after those it refers to: all but ``writers``, which is about connections
    to one server."""
    return [table for table in metadata.sorted_tables if table is not writers]


# Alembic's own table, as Alembic makes it.
version_metadata = MetaData(naming_convention={"pk": "%(table_name)s_pkc"})
alembic_version = Table("alembic_version", version_metadata, Column("version_num", String(32), primary_key=True))
