"""The first lines in the chosen interpreter, given to it with -c: read the server's modules from the host, then become
it."""

import sys

sys.path[:] = [place for place in sys.path if place]

import json
import os
import struct
import types


def exactly(size: int) -> bytes:
    """This many bytes from the host."""
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def package(name: str) -> types.ModuleType:
    """The package of this name, created when its first module comes."""
    if name not in sys.modules:
        made = types.ModuleType(name)
        made.__path__ = []
        sys.modules[name] = made
        above, _, own = name.rpartition(".")
        if above:
            setattr(package(above), own, made)
    return sys.modules[name]


def begin() -> None:
    """Build the modules one by one. From ``privileges`` on, this process is an unprivileged one; from ``packages`` on,
    it has the environment's packages."""
    settings = json.loads(exactly(struct.unpack("<I", exactly(4))[0]))
    control = None
    for name, text in settings.pop("sources"):
        module = types.ModuleType("box." + name)
        module.__package__, _, own = module.__name__.rpartition(".")
        sys.modules[module.__name__] = module
        setattr(package(module.__package__), own, module)
        exec(compile(text, "<box." + name + ">", "exec"), module.__dict__)  # noqa: S102 (the host's own modules)
        if name == "isolation.privileges":
            control = module.enter(settings)
        elif name == "environment.packages":
            module.enter(settings)
    sys.modules["box.main"].main(settings, control)


if __name__ == "__main__":
    begin()
