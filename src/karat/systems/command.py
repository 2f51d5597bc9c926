"""A command: one process per call, JSON on its standard input, JSON on its standard output.

It reads ``{"id", "turn", "repeat", "messages", "question"}`` and writes its answer. No shell is involved. Each
process leads a group of its own, and the whole group is gone when the call is over, however it ended.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import msgspec

from karat.core.json_types import JsonObject
from karat.core.problems import UserError
from karat.core.secrets.masking import Secrets
from karat.core.suite import Suite
from karat.core.system import CallFailed, PromptedConfig, Request, Response, System, SystemType
from karat.systems.history import assistant_message, request_fields
from karat.systems.redaction import environment_secrets

MAX_OUTPUT = 64 * 1024 * 1024
EXAMPLE = '{"answer": 42} or "a text in quotes"'
ERROR_TAIL = 64 * 1024
SHOWN_TAIL = 600
GRACE = 1.0
"""Seconds that the output may stay open after the process has ended: something it left behind may hold it for ever."""


class CommandConfig(PromptedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which command, where, and with what environment."""

    command: str | list[str]
    """A command line, split as a shell would split it, or a list of its words."""
    cwd: str = ""
    """The folder to run it in; by default the current one. In karat.yaml it is relative to that file."""
    env: list[str] | None = None
    """Names of the environment variables to pass on besides PATH; by default all."""
    reply_path: str = ""
    """The part of the answer that is the assistant's text in the history of later turns; by default the whole
    answer."""

    @property
    def secret_hint(self) -> str:
        """A command can read the environment itself."""
        return "Put it into an environment variable: the command inherits the environment and can read it there."


class _Talk(asyncio.SubprocessProtocol):
    """What a process says, as far as it is kept, and when it is over."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.output = bytearray()
        self.errors = bytearray()
        self.halved = False
        """Whether the errors begin in the middle, perhaps of a secret."""
        self.over: asyncio.Future[None] = loop.create_future()
        self.exited: asyncio.Future[None] = loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.errors += data
            self.halved |= len(self.errors) > ERROR_TAIL
            del self.errors[:-ERROR_TAIL]
        elif len(self.output) <= MAX_OUTPUT:
            self.output += data
            if len(self.output) > MAX_OUTPUT:
                self._end()

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)
        asyncio.get_running_loop().call_later(GRACE, self._end)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (the signature is asyncio's)
        self._end()

    def _end(self) -> None:
        if not self.over.done():
            self.over.set_result(None)


class CommandSystem(System):
    """A command that can be run."""

    def __init__(self, config: CommandConfig) -> None:
        self._words = _words(config.command)
        self._cwd = config.cwd or None
        if config.cwd and not Path(config.cwd).is_dir():
            raise UserError(f'the cwd of the command is not a folder: "{config.cwd}"')
        _check_program(self._words[0], config.cwd)
        self._environment = None
        if config.env is not None:
            self._environment = {name: os.environ[name] for name in ["PATH", *config.env] if name in os.environ}
        self._reply_path = config.reply_path
        self._secrets = Secrets(environment_secrets())

    async def call(self, request: Request) -> Response:
        """Run the command once."""
        talk, status = await self._run(msgspec.json.encode(request_fields(request)))
        output = self._secrets.body(bytes(talk.output).strip().removeprefix(b"\xef\xbb\xbf"))
        if len(talk.output) > MAX_OUTPUT:
            raise CallFailed(
                "bad_response", f"the command wrote more than {MAX_OUTPUT // 2**20} MiB", body=output[:ERROR_TAIL]
            )
        said = self._tail(talk)
        if status != 0:
            raise CallFailed(
                "command_failed", f"the command {_ended(status)}" + (f": {said}" if said else ""), body=output
            )
        try:
            msgspec.json.decode(output)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            shown = self._secrets.beginning(output, ERROR_TAIL)[:300]
            message = "the command wrote nothing on its standard output, where JSON was expected"
            if output:
                message = f"the output of the command is not JSON, such as {EXAMPLE} ({error}): {shown}"
            message += f"; on its standard error: {said}" if said else ""
            raise CallFailed("bad_response", message, body=output) from None
        return Response(output)

    def reply(self, body: bytes) -> JsonObject:
        """The assistant message that a stored answer stands for."""
        return assistant_message(body, self._reply_path)

    async def _run(self, payload: bytes) -> tuple[_Talk, int]:
        transport, talk = await self._start()
        try:
            stdin = transport.get_pipe_transport(0)
            if isinstance(stdin, asyncio.WriteTransport):
                stdin.write(payload)
                stdin.write_eof()
            await talk.over
        finally:
            # Also after a good end: what the command left running must not outlive the call.
            status = await _end(transport, talk)
        return talk, -1 if status is None else status

    async def _start(self) -> tuple[asyncio.SubprocessTransport, _Talk]:
        """The running command. A call that is cancelled meanwhile waits until it runs, and then ends it.

        asyncio's own way to cancel a start kills the process alone, and then waits for its pipes to close, which
        whatever the command has started by then holds open.
        """
        starting = asyncio.ensure_future(
            asyncio.get_running_loop().subprocess_exec(
                _Talk, *self._words, cwd=self._cwd, env=self._environment, start_new_session=True
            )
        )
        cancelled: asyncio.CancelledError | None = None
        while not starting.done():
            try:
                await asyncio.wait((starting,))
            except asyncio.CancelledError as error:
                cancelled = error
        try:
            transport, talk = starting.result()
        except OSError as error:
            if cancelled is not None:
                raise cancelled from None
            raise CallFailed("command_failed", f"the command cannot start: {error.strerror or error}") from None
        if cancelled is not None:
            await _end(transport, talk)
            raise cancelled
        return transport, talk

    def _tail(self, talk: _Talk) -> str:
        errors = bytes(talk.errors)
        text = (self._secrets.ending(errors) if talk.halved else self._secrets.beginning(errors, ERROR_TAIL)).strip()
        return f"…{text[-SHOWN_TAIL:]}" if len(text) > SHOWN_TAIL else text


async def _end(transport: asyncio.SubprocessTransport, talk: _Talk) -> int | None:
    """End the command with all it has started; its exit status."""
    try:
        _kill_group(transport.get_pid())
        await talk.exited
        return transport.get_returncode()
    finally:
        transport.close()


def _kill_group(pid: int) -> None:
    """End every process of the group that this process led."""
    with suppress(ProcessLookupError, PermissionError):  # nobody is left
        os.killpg(pid, signal.SIGKILL)


def _ended(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def _words(command: str | list[str]) -> list[str]:
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise UserError(
            f"the command cannot be split into words: {error}", hint="Give it as a list of words."
        ) from None
    if not words:
        raise UserError("the command is empty", hint='Such as "python bot.py".')
    return words


def _check_program(program: str, cwd: str) -> None:
    found = shutil.which(str(Path(cwd).absolute() / program) if os.sep in program else program)
    if found is None:
        hint = "Is it executable?" if (Path(cwd) / program).is_file() else "Is it installed, and is its folder in PATH?"
        raise UserError(f'there is no program "{program}" to run', hint=hint)


def open_command(config: CommandConfig, suite: Suite) -> CommandSystem:  # noqa: ARG001 (the protocol's signature)
    """A command that can be run; UserError when it is not there."""
    return CommandSystem(config)


system = SystemType(
    "command",
    "a command: JSON on its standard input, JSON on its standard output",
    CommandConfig,
    open_command,
    paths=("cwd",),
)
