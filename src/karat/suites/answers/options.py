"""The options of the suite, as they are in ``karat.yaml`` under ``options`` or on the command line after
``--option``."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.core.json_types import JsonObject
from karat.core.plugins import names
from karat.core.problems import did_you_mean
from karat.core.suite import SuiteOptions
from karat.suites.answers.records import Gold
from karat.tables.options import CompareOptions, Normalise, WholeNumbers

Nulls = Literal["equal", "zero"]
TRANSPILED = ("postgres", "mysql", "sqlite", "duckdb", "tsql", "bigquery", "snowflake", "oracle")
"""The dialects that SQL can be translated from."""


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where SQL runs. Passwords are in the environment or in a credential file, never here."""

    engine: str
    """``sqlite``, ``duckdb``, ``postgresql``, ``mysql``, ``bigquery``, ``snowflake``, or one of a plug-in."""
    database: str = ""
    """A file, or the name of a database. ``{id}`` in it is replaced by the instance id, ``{db}`` by the database of its
    row."""
    url_env: str = ""
    """The environment variable that contains the SQLAlchemy URL, for PostgreSQL and MySQL."""
    credential: str = ""
    """The credential file, for BigQuery and Snowflake; by default, the client's usual environment."""
    db_schema: str = msgspec.field(default="", name="schema")
    """The schema that table names without one belong to."""
    settings: JsonObject | None = None
    """Further settings, as the engine names them."""

    def __post_init__(self) -> None:
        known = names("karat.engines")
        if self.engine not in known:
            raise ValueError(f'there is no engine "{self.engine}". {did_you_mean(self.engine, known)}'.rstrip())


class Options(SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How answers are compared with gold, and where SQL runs."""

    nulls: Nulls | None = None
    """spider2 profile: whether a null equals only a null, or counts as 0. By default, this depends on the kind of
    gold."""
    rel_tol: float = 1e-4
    """strict profile: the relative tolerance: numbers that are not both whole are equal within this share of the
    larger."""
    abs_tol: float = 1e-9
    """strict profile: the absolute tolerance: such numbers are also equal within this distance."""
    whole_numbers: WholeNumbers = "exact"
    """strict profile: ``exact``: two whole numbers must be identical; ``tolerance``: they may differ like other
    numbers."""
    normalise: Normalise = Normalise()
    """strict profile: the differences in notation that are accepted as equal."""
    allow_shape: bool = False
    """strict profile: pass one wide row for a long table of the same values, and the reverse."""
    max_bytes: int = 1024**3
    """A submitted file with more bytes is refused, with a reason."""
    as_of: str = ""
    """The date or snapshot of the data that the answers come from. Gold that is true for another one is reported."""
    mode: Literal["results", "sql"] = "results"
    """What to judge if an instance has both a result and SQL."""
    engines: dict[str, Engine] = msgspec.field(default_factory=dict)
    """Prefix of the instance id → engine; the longest prefix that fits counts, and ``""`` fits every id."""
    timeout: float = 60.0
    """Seconds after which a query is stopped."""
    row_limit: int = 1_000_000
    """A result with more rows is refused, with a reason."""

    databases: str = ""
    """Gold SQL: where the databases are. A folder, a file, a URL, or a pattern with ``{db}``."""
    test_suite: str = ""
    """Gold SQL: the folder of Spider's test suite, with a folder of SQLite files for each database."""
    query_timeout: float = 30.0
    """Gold SQL: seconds after which a query is stopped."""
    extra_columns: Literal["allow", "deny"] = "allow"
    """Gold SQL, strict profile: whether an answer may have more columns than gold."""
    duplicates: Literal["count", "ignore"] = "count"
    """Gold SQL, strict profile: whether it matters how often a row occurs."""
    counterexamples: bool = False
    """Gold SQL: look for generated rows on which a passing answer and gold differ (SQLite, up to 2 s per answer)."""
    lucky: Literal["keep", "fail"] = "keep"
    """Gold SQL, strict profile: whether a pass that such rows refute stays a pass."""

    timing_runs: int = 0
    """Gold SQL: run gold and each answer that matches it N times more, for ``bird_rves`` and ``fair_rves``; the
    benchmark runs them 100 times. 0: not at all."""
    transpile: str = ""
    """Gold SQL: translate queries that were written for another kind of database: ``auto``, or the name of their
    dialect, such as ``postgres``. Empty: never."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.transpile not in ("", "auto") and self.transpile not in TRANSPILED:
            near = did_you_mean(self.transpile, ("auto", *TRANSPILED))
            raise ValueError(f'transpile is "{self.transpile}", which is no dialect. {near}'.rstrip())
        for name in ("rel_tol", "abs_tol"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1")
        if self.timing_runs < 0:
            raise ValueError("timing_runs must be at least 0")
        for name in ("max_bytes", "timeout", "row_limit", "query_timeout"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0")

    def nulls_for(self, gold: Gold) -> Nulls:
        """How the spider2 profile takes nulls for this gold: as set, else zero in the flat family, equal elsewhere."""
        return self.nulls or ("zero" if gold.family == "flat" else "equal")

    def compare_options(self) -> CompareOptions:
        """What the strict profile takes as equal, in the words of the tables."""
        switches = msgspec.structs.asdict(self.normalise)
        return CompareOptions(
            self.rel_tol, self.abs_tol, allow_shape=self.allow_shape, whole_numbers=self.whole_numbers, **switches
        )

    def engine_for(self, instance_id: str) -> Engine | None:
        """The engine of the longest prefix that fits."""
        fitting = [prefix for prefix in self.engines if instance_id.startswith(prefix)]
        return self.engines[max(fitting, key=len)] if fitting else None

    def runs_sql(self, instance_id: str) -> bool:
        """Whether there is a database for the SQL of an instance: an engine of its own, or one of ``databases``."""
        return bool(self.databases) or self.engine_for(instance_id) is not None
