"""Runs inside an emulator's environment: starts it, fills a shop, runs the given queries on this project's engine.

    python emulated_session.py fakesnow|bqemulator FOLDER < steps.json

The last line of what it prints is a JSON list with one result for each step.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from karat.core.problems import UserError
from karat.engines.protocol import EngineError


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def started(name: str, port: int, log: Path) -> subprocess.Popen[bytes]:
    tool = str(Path(sys.executable).parent / name)
    more = ["start", "--rest-port", str(port), "--grpc-port", str(free_port()), "--project", "test", "--ephemeral"]
    arguments = ["-s", "-p", str(port)] if name == "fakesnow" else more
    with log.open("wb") as output:
        process = subprocess.Popen([tool, *arguments], stdout=output, stderr=subprocess.STDOUT)
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return process
        except OSError:
            assert process.poll() is None, log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)
    process.kill()
    raise AssertionError(f"{name} did not start: {log.read_text(errors='replace')[-3000:]}")


def snowflake_shop(port: int) -> dict[str, Any]:
    connect = import_module("snowflake.connector").connect
    place = {"account": "fakesnow", "host": "localhost", "port": port, "protocol": "http"}
    with connect(user="maker", password="maker", **place) as connection:
        for statement in (
            "CREATE DATABASE shop",
            "CREATE SCHEMA IF NOT EXISTS shop.public",
            "CREATE TABLE shop.public.goods (id INT, name VARCHAR, price FLOAT, day DATE, cost NUMBER(10, 2), sold "
            "BOOLEAN)",
            "INSERT INTO shop.public.goods VALUES (1, 'tea', 2.5, '2024-01-31', 1.5, true), (2, 'café', 0.1, NULL, "
            "NULL, NULL)",
        ):
            connection.cursor().execute(statement)
    return {"engine": "snowflake", "database": "SHOP", "schema": "PUBLIC", **place}


def bigquery_shop(port: int) -> dict[str, Any]:
    client_of = import_module("google.cloud.bigquery").Client
    endpoint = f"http://127.0.0.1:{port}"
    anonymous = import_module("google.auth.credentials").AnonymousCredentials()
    client = client_of(project="test", credentials=anonymous, client_options={"api_endpoint": endpoint})
    client.create_dataset("shop")
    client.query(
        "CREATE TABLE shop.goods (id INT64, name STRING, price FLOAT64, day DATE, cost NUMERIC, sold BOOL)"
    ).result()
    values = "(1, 'tea', 2.5, DATE '2024-01-31', 1.5, TRUE), (2, 'café', 0.1, NULL, NULL, NULL)"
    client.query(f"INSERT INTO shop.goods VALUES {values}").result()
    return {"engine": "bigquery", "project": "test", "dataset": "test.shop", "api_endpoint": endpoint}


def ran(engine: Any, step: dict[str, Any]) -> dict[str, Any]:
    run = engine.run if step.get("guard", True) else engine.unguarded
    begun = time.monotonic()
    try:
        table = run(step["sql"], timeout=step.get("timeout", 30), row_limit=step.get("row_limit", 10))
        found: dict[str, Any] = msgspec.to_builtins(table)
    except EngineError as error:
        found = {"kind": error.kind, "message": error.message}
    return found | {"wall": time.monotonic() - begun, "fingerprint": engine.fingerprint()}


def main(name: str, folder: Path) -> None:
    asked = json.load(sys.stdin)
    port = free_port()
    emulator = started(name, port, folder / "emulator.log") if asked["steps"] else None
    try:
        fill = snowflake_shop if name == "fakesnow" else bigquery_shop
        settings = fill(port) if asked["steps"] else {"engine": "bigquery", "project": "test"}
        if asked["credentials"]:
            (folder / f"{settings['engine']}_credential.json").write_text(json.dumps(asked["credentials"]))
        kind = import_module(f"karat.engines.{settings['engine']}").engine
        try:
            engine = kind.open(msgspec.convert(settings, kind.config), folder)
        except UserError as error:
            print(json.dumps([{"user_error": str(error)}]))
            return
        print(json.dumps([ran(engine, step) for step in asked["steps"]]))
        engine.close()
    finally:
        if emulator is not None:
            emulator.kill()
            emulator.wait()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
