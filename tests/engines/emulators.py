"""Environments of their own for the two emulators: their pins conflict with each other and with this project's DuckDB.

Each is made once, in a folder of the repository that git ignores, and used again while its list of packages is the
same. It has this environment behind its own packages, pip included, so that only what is missing or of another version
is installed: the whole of both takes over a minute of CPU.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "fakesnow": ["fakesnow[server]==0.12.*", "snowflake-connector-python<5", "sqlglot", "msgspec", "rapidfuzz"],
    "bqemulator": [
        "bqemulator==1.4.*",
        "duckdb==1.5.5",
        "duckdb-extension-spatial==1.5.5",
        "google-cloud-bigquery",
        "numpy",
        "sqlglot",
        "msgspec",
        "rapidfuzz",
    ],
}
INSTALL_SPATIAL = """
import pathlib, duckdb, duckdb_extension_spatial
file = next(pathlib.Path(duckdb_extension_spatial.__file__).parent.rglob("spatial.duckdb_extension"))
duckdb.execute(f"INSTALL '{file}'")
"""
OWN_PACKAGES = "import sysconfig; print(sysconfig.get_path('purelib'))"


def environment(name: str) -> Path:
    """The Python of the emulator's environment, made when it is not there or was made for other packages."""
    folder = ROOT / f".venv-{name}"
    mark = folder / "karat-packages.json"
    behind = sysconfig.get_path("purelib")
    wanted = json.dumps([sys.version, PACKAGES[name], behind, (ROOT / "requirements.lock").read_text()])
    python = folder / "bin" / "python"
    if not mark.is_file() or mark.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        own = subprocess.check_output([str(python), "-c", OWN_PACKAGES], text=True).strip()
        Path(own, "behind.pth").write_text(f"{behind}\n")
        subprocess.run([str(python), "-m", "pip", "install", "-q", "--no-compile", *PACKAGES[name]], check=True)
        if (
            name == "bqemulator"
        ):  # it installs this extension by itself, from the network, unless it finds it in its home
            subprocess.run([str(python), "-c", INSTALL_SPATIAL], check=True, env=_variables(folder))
        mark.write_text(wanted)
    return python


def _variables(folder: Path) -> dict[str, str]:
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT / "src")}


def session(name: str, folder: Path, steps: list[dict[str, Any]], credentials: dict[str, Any]) -> list[dict[str, Any]]:
    """Run queries one after the other on an engine of this project against a fresh emulator; what each gave."""
    python = environment(name)
    done = subprocess.run(
        [str(python), str(Path(__file__).with_name("emulated_session.py")), name, str(folder)],
        input=json.dumps({"steps": steps, "credentials": credentials}),
        capture_output=True,
        text=True,
        timeout=240,
        env=_variables(python.parent.parent),
    )
    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found
