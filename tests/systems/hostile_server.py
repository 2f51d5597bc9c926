"""A real HTTP server on loopback that misbehaves on purpose, by path. It counts what it is asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

Answer = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Exchange:
    """One request, and the raw connection to answer it on."""

    server: HostileServer
    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    writer: asyncio.StreamWriter
    count: int
    """Which request to this path this is, from 1."""

    def json(self) -> Any:
        return json.loads(self.body)

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def send(self, status: str, body: bytes, kind: str = "application/json", *headers: str) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
        await self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    async def events(self, *events: Any, done: bool = True, cut: bool = False) -> None:
        """A stream of server-sent events in chunks; ``cut`` breaks it off in the middle of a chunk."""
        await self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        texts = [f"data: {json.dumps(event)}\n\n" for event in events] + (["data: [DONE]\n\n"] if done else [])
        for text in texts:
            data = text.encode()
            # Two chunks an event: borders of chunks are not borders of events.
            for part in (data[: len(data) // 2], data[len(data) // 2 :]):
                await self.raw(f"{len(part):x}\r\n".encode() + part + b"\r\n")
        await self.raw(b"ff\r\nhalf" if cut else b"0\r\n\r\n")
        if cut:
            self.writer.close()


@dataclass
class HostileServer:
    """The running server: its address, its answers by path, and what it saw."""

    answers: dict[str, Answer]
    port: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    seen: list[Exchange] = field(default_factory=list)
    now: int = 0
    most: int = 0
    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    def url(self, path: str = "") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    def add(self, path: str, answer: Answer) -> str:
        self.answers[path] = answer
        return self.url(path)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing() and await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client has gone, or the server goes
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        method, target, _ = first.split(" ")
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        path, _, query = target.partition("?")
        self.calls[path] += 1
        exchange = Exchange(self, method, path, query, headers, body, writer, self.calls[path])
        self.seen.append(exchange)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            answer = self.answers.get(path)
            if answer is None:
                await exchange.send("404 Not Found", b'{"detail": "no such path"}')
            else:
                await answer(exchange)
        finally:
            self.now -= 1
        return not writer.is_closing()


async def good(exchange: Exchange) -> None:
    asked = exchange.json()
    await exchange.send(
        "200 OK", json.dumps({"answer": {"id": asked.get("id"), "n": len(asked.get("messages", []))}}).encode()
    )


async def slow(exchange: Exchange) -> None:
    await asyncio.sleep(0.02)
    await good(exchange)


async def busy_twice(exchange: Exchange) -> None:
    if exchange.count <= 2:
        await exchange.send(
            "429 Too Many Requests", b'{"error": {"message": "slow down"}}', "application/json", "Retry-After: 7"
        )
    else:
        await good(exchange)


async def always_500(exchange: Exchange) -> None:
    await exchange.send("500 Internal Server Error", b"the engine is on fire", "text/plain")


async def garbage(exchange: Exchange) -> None:
    await exchange.send("200 OK", b"\x00\xff\xfe{{{ not json")


async def not_http(exchange: Exchange) -> None:
    await exchange.raw(b"SSH-2.0-this is no web server\r\n\r\n")
    exchange.writer.close()


async def half(exchange: Exchange) -> None:
    await exchange.raw(
        b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"answer": "ha'
    )
    exchange.writer.close()


async def silent(exchange: Exchange) -> None:
    await exchange.server.let_go.wait()


async def html(exchange: Exchange) -> None:
    await exchange.send("200 OK", b"<!doctype html><title>Log in</title>", "text/html; charset=utf-8")


async def hang_up(exchange: Exchange) -> None:
    exchange.writer.close()


async def refuse(exchange: Exchange) -> None:
    await exchange.send("403 Forbidden", b'{"error": {"message": "this key may not"}}')


ANSWERS: dict[str, Answer] = {
    "/good": good,
    "/slow": slow,
    "/busy": busy_twice,
    "/500": always_500,
    "/garbage": garbage,
    "/not-http": not_http,
    "/half": half,
    "/silent": silent,
    "/html": html,
    "/hang-up": hang_up,
    "/refuse": refuse,
}


def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    """The server on a thread of its own, on a free port of loopback, stopped at the end."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")  # whatever proxy this machine uses
    server = HostileServer(dict(ANSWERS))
    loop = asyncio.new_event_loop()
    ready = threading.Event()
    listener: list[asyncio.Server] = []

    async def start() -> None:
        listener.append(await asyncio.start_server(server.handle, "127.0.0.1", 0))
        server.port = listener[0].sockets[0].getsockname()[1]
        ready.set()

    async def stop() -> None:
        listener[0].close()
        server.let_go.set()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def work() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(start())
        loop.run_forever()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
