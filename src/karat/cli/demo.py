"""``karat demo``: the main job of every suite on examples that come with it, in a folder to look around in."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer


def demo(
    folder: Annotated[Path, typer.Argument(help="Folder for the example projects and their reports.")] = Path(
        "karat-demo"
    ),
) -> None:
    """Create and run an example project for each suite, print the results, and write Excel and HTML reports.

    You can repeat it: the projects are created once, and each call adds a run. A suite is skipped if its optional packages are not
    installed.
    """
    from karat.cli.examples import copy_example, suites_with_example
    from karat.cli.printing import stdout
    from karat.cli.project import open_store_for, work_to_do
    from karat.cli.run import job_for, run_job
    from karat.cli.showing import Outputs, origin_of, show
    from karat.cli.verbosity import quiet
    from karat.core.problems import UserError
    from karat.runs.runner import check_setup

    for suite in suites_with_example():
        place = folder / suite
        config = place / "karat.yaml"
        if not config.is_file():
            copy_example(suite, place)
        with open_store_for(config, None) as store:
            for work in work_to_do("run", config=config, suite=None, cases=None):
                job = job_for(work)
                try:
                    check_setup(job.suite, job.cases, job.options)
                except UserError as error:
                    stdout().print(f"{suite}: skipped. {error.message}", style="yellow", markup=False, soft_wrap=True)
                    stdout().print(error.hint, style="yellow", markup=False, soft_wrap=True)
                    continue
                result = run_job(store, job, None)
                files = Outputs(xlsx=place / "report.xlsx", html=place / "report.html")
                origin = origin_of(store, result, config, None, shlex.join(["karat", "run", "--config", str(config)]))
                show(result, work.suite, files, saved=[f"run {result.run.id} in {place / '.karat'}"], origin=origin)
    if quiet():
        return
    place = folder / "data_query"
    words = f"The examples are in {folder}/. Change them and try again: cd {place} && karat run"
    stdout().print(f"\n{words}", markup=False, soft_wrap=True)
