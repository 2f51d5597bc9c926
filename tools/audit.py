"""``make audit``: pip-audit over the lock. Exit code 0: nothing known; 1: vulnerabilities; 3: the data could not be
had, so nothing was checked."""

from __future__ import annotations

import json
import subprocess
import sys

NOT_CHECKED = 3
MOST_SHOWN = 10


def main(program: str, lock: str) -> int:
    """Run it, and say plainly what came out."""
    command = [
        program,
        "--requirement",
        lock,
        "--no-deps",
        "--disable-pip",
        "--format",
        "json",
        "--progress-spinner",
        "off",
        "--timeout",
        "10",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        found = json.loads(done.stdout)
    except (OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        said = done.stderr.strip().splitlines()[-1:] if isinstance(error, json.JSONDecodeError) else [str(error)]
        print(f"audit: NOT CHECKED. The vulnerability data could not be read: {''.join(said)[:300]}")
        print("audit: run it again where the package index or OSV can be reached.")
        return NOT_CHECKED
    packages = found["dependencies"]
    skipped = [one for one in packages if "skip_reason" in one]
    bad = [one for one in packages if one.get("vulns")]
    for one in bad:
        for problem in one["vulns"]:
            fixed = ", ".join(problem.get("fix_versions", [])) or "no version yet"
            print(f"audit: {one['name']} {one['version']}: {problem['id']}, fixed in {fixed}")
    if skipped and len(skipped) == len(packages):
        print(f"audit: NOT CHECKED. There was no data for any of {len(packages)} packages: {skipped[0]['skip_reason']}")
        return NOT_CHECKED
    for one in skipped[:MOST_SHOWN]:
        print(f"audit: {one['name']} was not checked: {one['skip_reason']}")
    if len(skipped) > MOST_SHOWN:
        print(f"audit: {len(skipped) - MOST_SHOWN} more were not checked")
    print(f"audit: {len(packages) - len(skipped)} packages checked, {len(bad)} with known vulnerabilities")
    return 1 if bad else NOT_CHECKED if skipped else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
