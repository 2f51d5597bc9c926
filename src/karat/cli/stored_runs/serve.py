"""``karat serve``: the viewer in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.shared import ConfigOption, StoreOption

if TYPE_CHECKING:
    import socket
    from pathlib import Path

    from karat.store.store import Store
    from karat.web.live.resuming import Resuming


def serve(
    host: Annotated[
        str,
        typer.Option(
            "--host", help="The address to listen on. Any address other than this machine's own needs a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", help="The port to listen on; 0 picks a free port.", min=0, max=65535)
    ] = 8765,
    token_env: Annotated[
        str | None,
        typer.Option("--token-env", metavar="NAME", help="The environment variable that contains the sign-in token."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="HOST[:PORT]", help="Another host name for the viewer. Repeatable."),
    ] = None,
    behind_proxy: Annotated[
        bool,
        typer.Option(
            "--behind-proxy",
            help="A proxy that ends TLS is in front: trust its X-Forwarded-Proto, so that cookies get the Secure flag.",
        ),
    ] = False,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the viewer in the browser.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Browse, compare and review runs in a browser: karat serve --open

    By default it listens only on this machine. Stop it with Ctrl-C.
    """
    from karat.cli.printing.consoles import stdout
    from karat.core.installed.extras import install_command
    from karat.core.problems import UserError
    from karat.verbs.inputs.projects import open_store_here, project_here

    try:
        import uvicorn

        from karat.web.app import create_app
    except ImportError as error:
        raise UserError("the viewer's packages are not installed", hint=install_command("serve")) from error
    listening = _listen(host, port)
    port = listening.getsockname()[1]
    opened = open_store_here(store, config)
    opened.patience.seconds = 0.0  # a page says at once that the store cannot be reached
    project = None if store else project_here(config)
    app = create_app(
        opened,
        host=host,
        port=port,
        token=_token(token_env),
        allow_hosts=allow_host or (),
        behind_proxy=behind_proxy,
        resuming=_resuming(opened, config),
        project=project.name if project else "",
        judge=project.judge if project else None,
    )
    ticket = app.state.viewer.sessions.ticket
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/" + (f"login?ticket={ticket}" if ticket else "")
    console = stdout()
    console.print(f"karat serve  {opened.shown}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"  {address}", markup=False, highlight=False, soft_wrap=True)
    console.print("Press Ctrl-C to stop." + (" The link works for one sign-in." if ticket else ""), markup=False)
    if open_browser:
        import threading
        import webbrowser

        threading.Timer(0.5, webbrowser.open, [address]).start()
    # No access log: the address of the first request holds the ticket.
    # What a proxy says of the caller counts only with --behind-proxy, and only the viewer's own guard reads it.
    settings = uvicorn.Config(
        app, log_level="warning", access_log=False, ws="none", server_header=False, proxy_headers=False
    )
    uvicorn.Server(settings).run(sockets=[listening])


def _resuming(store: Store, config: Path | None) -> Resuming:
    """How a run is resumed from its page: as in the folder that the viewer was started in. Runs of a store that other
    machines use may need what only those have, so they are resumed there."""
    import sys
    from pathlib import Path

    from karat.web.live.resuming import Resuming

    if store.can_share or store.read_only or not sys.executable:
        return Resuming()
    where = ["--store", store.shown] + (["--config", str(config)] if config is not None else [])
    return Resuming([sys.executable, "-m", "karat", "run", *where, "--resume"], Path.cwd())


def _listen(host: str, port: int) -> socket.socket:
    import socket

    from karat.core.problems import UserError

    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen()  # the address is printed next: who connects at once waits for the server
    except OSError as error:
        found.close()
        raise UserError(
            f"cannot listen on {host}:{port}: {error.strerror or error}",
            hint="Choose another port with --port; 0 picks a free port.",
        ) from error
    return found


def _token(name: str | None) -> str | None:
    import os

    from karat.core.problems import UserError

    if name is None:
        return None
    token = os.environ.get(name, "").strip()
    if not token:
        raise UserError(f"the environment variable {name} is not set or is empty", hint=f"export {name}=…")
    return token
