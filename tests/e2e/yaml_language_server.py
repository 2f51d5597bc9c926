"""A real YAML language server (yaml-language-server of npm), spoken to as an editor does."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

VERSION = "1.25.0"
CACHE = Path.home() / ".cache" / "karat-tests" / f"yaml-language-server-{VERSION}"


def installed() -> tuple[Path | None, str]:
    """(the program, why there is none)."""
    program = CACHE / "node_modules" / "yaml-language-server" / "bin" / "yaml-language-server"
    if program.is_file():
        return program, ""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        return None, "npm or node is missing"
    CACHE.mkdir(parents=True, exist_ok=True)
    words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(CACHE), f"yaml-language-server@{VERSION}"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None, "npm took longer than 120 s"
    if done.returncode or not program.is_file():
        return None, f"npm cannot install yaml-language-server: {done.stderr.strip()[-200:]}"
    return program, ""


class Server:
    """The server, which is asked one thing after the other."""

    def __init__(self, program: Path) -> None:
        node = shutil.which("node") or "node"
        words = [node, str(program), "--stdio"]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        self.told: dict[str, list[Any]] = {}

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    def tell(self, method: str, params: Any) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == number and "method" not in message:
                return message.get("result")
            self._heard(message)

    def diagnostics(self, uri: str) -> list[str]:
        """What the server marks in a file, once it has looked at it."""
        while uri not in self.told:
            self._heard(self._read())
        return [one["message"] for one in self.told.pop(uri)]

    def _heard(self, message: Any) -> None:
        if message.get("method") == "textDocument/publishDiagnostics":
            self.told[message["params"]["uri"]] = message["params"]["diagnostics"]
        elif "id" in message and "method" in message:  # the server asks for settings
            asked = message["params"].get("items", []) if message["method"] == "workspace/configuration" else []
            result = [SETTINGS.get(item.get("section", ""), {}) for item in asked] if asked else None
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def _send(self, message: Any) -> None:
        data = json.dumps(message).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _read(self) -> Any:
        assert self._process.stdout is not None
        length = 0
        while (line := self._process.stdout.readline().strip()) != b"":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise EOFError("the language server has ended")
        return json.loads(self._process.stdout.read(length))


SETTINGS = {"yaml": {"completion": True, "validate": True, "schemaStore": {"enable": False}}}
