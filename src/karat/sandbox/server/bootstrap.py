"""The first lines in the chosen interpreter, given to it with -c: read the server's modules from the host, then become
it.

Packages of the environment may change whatever Python's own modules hold: ``json.dumps``, ``time.monotonic``,
``builtins.len``. The server's modules do not use those. They have builtins and a standard library of their own, taken
before anything of the environment runs, and are not in ``sys.modules``.
"""

from __future__ import annotations

import sys

sys.path[:] = [place for place in sys.path if place]

import builtins
import importlib
import importlib.util
import os
import struct
import types
from collections.abc import Callable, Mapping
from typing import Any  # Any: modules that are made here, whose attributes no type knows

READ_ANEW = ("json", "json.scanner", "json.decoder", "json.encoder", "ast")
"""Modules whose functions call one another through names that anyone may change: the server reads them again, for
itself. Of the others it keeps what they held at the start."""
SHARED = ("sys", "builtins")
"""What the server itself changes for the code that it runs, such as the standard streams."""
ONLY_TREE = 0x400

own: dict[str, Any] = {}
"""The modules of the server and those of its standard library, by name."""
own_builtins = dict(vars(builtins))
find_elsewhere = builtins.__import__


def exactly(size: int) -> bytes:
    """This many bytes from the host."""
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def imported(
    name: str,
    names: Mapping[str, Any] | None = None,
    local_names: Mapping[str, Any] | None = None,
    wanted: tuple[str, ...] | None = (),
    level: int = 0,
    own: dict[str, Any] = own,
    elsewhere: Callable[..., Any] = find_elsewhere,
) -> Any:
    """``import`` in the server's modules: their own library first, else packages as everyone gets them."""
    if level and names:
        above = names["__package__"]
        for _ in (None,) * (level - 1):
            above = above.rpartition(".")[0]
        name = above + "." + name if name else above
    found = name if wanted else name.partition(".")[0]
    if found in own:
        return own[found]
    return elsewhere(name, names, local_names, wanted, 0)


own_builtins["__import__"] = imported


def read_anew() -> None:
    """The first modules of the server's own library."""
    for name in READ_ANEW:
        above, _, last = name.rpartition(".")
        own[name] = made = types.ModuleType(name)
        made.__dict__.update(__package__=above or name, __builtins__=own_builtins)
        if above:
            setattr(own[above], last, made)
    for name in (*READ_ANEW[1:], READ_ANEW[0]):  # a package after its parts
        spec: Any = importlib.util.find_spec(name)
        exec(spec.loader.get_code(name), own[name].__dict__)  # noqa: S102 (Python's own modules)


def keep(name: str) -> None:
    """What a module of the standard library holds now, for the server alone; nothing where there is none of that
    name."""
    if name in own or name.partition(".")[0] in SHARED:
        return
    try:
        real = importlib.import_module(name)
    except ImportError:  # a package of the environment, which is not there yet
        return
    own[name] = types.ModuleType(name)
    own[name].__dict__.update(vars(real))


def compiled(name: str, text: str) -> types.CodeType:
    """A module of the server, ready to be run, and the library that it needs."""
    tree: Any = compile(text, "<box." + name + ">", "exec", ONLY_TREE, True)
    for node in tree.body:
        if type(node).__name__ == "Import":
            needed = [one.name for one in node.names]
        elif type(node).__name__ == "ImportFrom" and not node.level:
            needed = [node.module]
        else:
            continue
        for one in needed:
            keep(one.partition(".")[0])
            keep(one)
    code: types.CodeType = compile(tree, "<box." + name + ">", "exec", 0, True)
    return code


def package(
    name: str,
    own: dict[str, Any] = own,
    new: type[types.ModuleType] = types.ModuleType,
    put: Callable[..., None] = setattr,
) -> types.ModuleType:
    """The package of this name, created when its first module comes."""
    found: types.ModuleType | None = own.get(name)
    if found is None:
        own[name] = found = new(name)
        above, _, last = name.rpartition(".")
        if above:
            put(package(above), last, found)
    return found


def begin(
    own: dict[str, Any] = own,
    new: type[types.ModuleType] = types.ModuleType,
    put: Callable[..., None] = setattr,
    run: Callable[..., None] = exec,
) -> None:
    """Build the modules one by one. From ``privileges`` on, this process is an unprivileged one; from ``packages`` on,
    it has the environment's packages, which may change all that is not bound to a name here before."""
    read_anew()
    settings = own["json"].loads(exactly(struct.unpack("<I", exactly(4))[0]))
    control = None
    for name, code in [(name, compiled(name, text)) for name, text in settings.pop("sources")]:
        module = new("box." + name)
        above, _, last = module.__name__.rpartition(".")
        module.__dict__.update(__package__=above, __builtins__=own_builtins)
        own[module.__name__] = module
        put(package(above), last, module)
        run(code, module.__dict__)
        if name == "isolation.privileges":
            control = module.enter(settings)
        elif name == "environment.packages":
            module.enter(settings)
    own["box.main"].main(settings, control)


if __name__ == "__main__":
    begin()
