"""The server: pandas imported once, one fork for each snippet, nothing of a snippet left after it."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence

from . import page_copies, scratch
from .child import Isolation
from .environment import packages
from .environment.libraries import numpy, pandas
from .environment.warm_up import warm_up, warm_up_drawing, warm_up_libraries
from .forking import Forked, fork
from .frames import Closed, Head, begin, frame, read_exactly, read_head, write_all
from .isolation import landlock, seccomp
from .isolation.kernel import Places
from .isolation.private_memory import PrivateMemory
from .isolation.privileges import Settings
from .results import written_files
from .sessions.sessions import Session, children
from .tables import FILE, Tables
from .watching import Watch

KEPT_FDS = 256
SEVERAL_PROCESSORS = len(os.sched_getaffinity(0)) > 1
"""Whether the next child can be made ready without taking time from the one that runs."""


class Server:
    """One snippet at a time, until the host hangs up."""

    def __init__(self, settings: Settings, control: tuple[int, int], usual: Sequence[page_copies.Stretch]) -> None:
        self.settings = settings
        self.requests, self.replies = control
        self.work, self.shelf, self.kept = packages.folders(settings)
        os.environ["MPLCONFIGDIR"] = f"{self.work}/matplotlib"  # emptied after every snippet
        os.environ["HOME"] = f"{self.work}/home"  # likewise; some libraries are not imported without one
        self.isolation = self._isolation(usual)
        os.environ["HOME"] = self.isolation.folder  # altair asks for one when it is imported
        self.tables = Tables(self.shelf, safe=self.isolation.rules is not None and self.isolation.filter is not None)
        self.spare: Forked | None = None
        self.own_space = scratch.is_own(self.work, settings["scratch_bytes"])
        self.alone = bool(settings["own_pids"]) and os.getpid() in (1, 2)
        self.session: Session | None = None

    def _isolation(self, usual: Sequence[page_copies.Stretch]) -> Isolation:
        """The rules for every child; the server has its own by now, see ``packages``."""
        rules = None
        version = self.settings["landlock"]
        if version:
            own = [(self.shelf, landlock.LOOK), (self.work, landlock.CHANGE)]
            rules = landlock.Rules([*packages.readable(self.settings), *own], version)
        program = seccomp.build(seccomp.machine()) if self.settings["seccomp"] else None
        return Isolation(rules, program, f"{self.work}/here", KEPT_FDS, Places(usual))

    def serve(self) -> None:
        """Answer requests, each with one frame. From here on nobody reads what the server itself might say."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 2)
        os.close(nothing)
        write_all(self.replies, frame({"ready": True, **versions()}))
        while True:
            head, size = read_head(self.requests)
            if head["do"] == "table":
                self._load(head, read_exactly(self.requests, size))
                continue
            if head["do"] == "drawing":
                self._prepare_drawing()
                continue
            if head["do"] == "session":
                self._begin_session(head)
                continue
            if head["do"] == "end":
                self._end_session()
                write_all(self.replies, frame({}))
                continue
            if head["do"] == "import":
                self._import(head["names"])
                continue
            code = PrivateMemory(size)
            while code.used < size:
                if not code.read(self.requests, size - code.used):
                    raise Closed
            if head["do"] == "step":
                self._step(head, code)
            else:
                self._run(head, code)

    def _load(self, head: Head, body: bytes) -> None:
        error = ""
        try:
            self.tables.add(head["digest"], head["kind"], body, head["keep"])
        except Exception as problem:  # whatever a reader says about a file
            error = f"{type(problem).__name__}: {problem}"[:500]
        gc.collect()
        gc.freeze()
        self._dismiss()  # it has the tables of before
        write_all(self.replies, frame({"error": error}))

    def _prepare_drawing(self) -> None:
        warm_up_drawing()
        self._dismiss()  # it has no matplotlib yet
        write_all(self.replies, frame({}))

    def _import(self, names: Sequence[str]) -> None:
        warm_up_libraries(names)
        self._dismiss()  # it has not imported them
        write_all(self.replies, frame({}))

    def _run(self, head: Head, code: PrivateMemory) -> None:
        missing = self.tables.missing([table["digest"] for table in head["tables"]])
        if missing:
            write_all(self.replies, frame({"need": missing}))
            return
        self._set_out(head)
        if self.spare is not None and not self.spare.waits():
            self._dismiss()
        child, self.spare = self.spare or self._fork(), None
        child.send(head, code)
        if SEVERAL_PROCESSORS:
            self._prepare()
        how = {"counts": bool(head["counter"]), "timed": head["timed"], "own_space": self.own_space}
        watch = Watch(child.pid, child.reading, head["limits"], self.work, **how)
        try:
            watch.let_go(self.requests, lambda: child.release(code))
            facts = watch.until_the_end(self.requests, self._prepare, self._kill_the_rest)
            given = {name for table in head["tables"] for name in table["files"]}
            left = written_files.collect(self.isolation.folder, head.get("files", ()), given)
        finally:
            child.close()
            watch.close()
            scratch.empty(self.work)
        parts = [*watch.parts(), *(content.view() for content in left.contents)]
        write_all(self.replies, begin({"need": [], **facts, "files": left.entries}, [len(part) for part in parts]))
        for part in parts:
            write_all(self.replies, part)

    def _begin_session(self, head: Head) -> None:
        """Whether steps are forked depends on what keeps a forked process in: the filters, and a namespace that ends
        with the server."""
        missing = self.tables.missing([table["digest"] for table in head["tables"]])
        if missing:
            write_all(self.replies, frame({"need": missing}))
            return
        self._end_session()
        session = Session(
            head,
            self.tables,
            self.isolation,
            (self.work, self.kept),
            lambda: self._set_out(head),
            own_space=self.own_space,
        )
        session.strangers.update(children())
        inside = self.alone and self.isolation.filter is not None and self.isolation.rules is not None
        trouble = session.start(gated=inside and bool(head["fork"]))
        if trouble and session.forks:  # a kernel without the gate: steps are run again instead
            trouble = session.start(gated=False)
        if not trouble:
            self.session = session
        write_all(self.replies, frame({"need": [], "forks": session.forks, "trouble": trouble}))

    def _step(self, head: Head, code: PrivateMemory) -> None:
        if self.session is None:
            write_all(self.replies, frame({"lost": True}))
            return
        facts, watch, left = self.session.step(head, code, self.requests)
        parts = [*watch.parts(), *(content.view() for content in left.contents)] if watch is not None else []
        if watch is not None:
            facts["stopped"] = watch.stopped
        write_all(self.replies, begin({**facts, "files": left.entries}, [len(part) for part in parts]))
        for part in parts:
            write_all(self.replies, part)

    def _end_session(self) -> None:
        if self.session is not None:
            self.session.end()
            self.session = None

    def _fork(self) -> Forked:
        return fork(self.tables, self.isolation)

    def _dismiss(self) -> None:
        if self.spare is not None:
            self.spare.dismiss()
            self.spare = None

    def _prepare(self) -> None:
        """The next child, beside this one, or on a single processor once this one has answered: it would be timed with
        it.

        Only where children cannot start processes (else all is killed) and cannot look into one that is being made.
        """
        if self.isolation.filter is not None and self.isolation.rules is not None and self.spare is None:
            self.spare = self._fork()

    def _set_out(self, head: Head) -> None:
        """A fresh folder with the tables' files. A CSV of what was none is made only for code that speaks of one."""
        scratch.empty(self.work)
        os.mkdir(self.isolation.folder)
        for table in head["tables"]:
            if table["kind"] == FILE:
                self.tables.put(table["digest"], FILE, f"{self.isolation.folder}/{table['files'][0]}")
                continue
            for name in table["files"]:
                ending = name.rpartition(".")[2]
                if ending == table["kind"] or head["mentions_csv"]:
                    self.tables.put(table["digest"], ending, f"{self.isolation.folder}/{name}")

    def _kill_the_rest(self) -> None:
        """Whatever the child started: everything else in a namespace of our own, else all that came back to us as
        orphans."""
        kept = self.spare.pid if self.spare is not None else 0
        while True:
            if self.alone and not kept:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(-1, signal.SIGKILL)
            for pid in children():
                if pid != kept:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
            if set(children()) <= {kept}:
                return


def versions() -> dict[str, str]:
    """What the results depend on."""
    found = {name: str(getattr(module, "__version__", "")) for name, module in (("pandas", pandas), ("numpy", numpy))}
    return {"python": sys.version.split()[0], **found}


def main(settings: Settings, control: tuple[int, int]) -> None:
    """From an unprivileged process with nothing open but the two ends to the host."""
    runs = warm_up()
    page_copies.enlarge()
    usual = page_copies.learn(runs) if SEVERAL_PROCESSORS else []
    try:
        Server(settings, control, usual).serve()
    except (Closed, BrokenPipeError):
        os._exit(0)
