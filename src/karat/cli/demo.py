"""``karat demo``: the main job of every suite on examples that come with it, in a folder to look around in."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer


def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the example project and its reports.")] = Path(
        "karat-demo"
    ),
) -> None:
    """Run the example project, print its table, write its reports (Excel and HTML), and say where to look.

    Run it again as often as you like: the project is created once, and every call adds a run. A suite whose optional packages are not
    installed is skipped.
    """
    from karat.cli.examples import copy_example, suites_with_example
    from karat.cli.printing import stdout
    from karat.cli.project import open_store_for, work_to_do
    from karat.cli.run import job_for, run_job
    from karat.cli.showing import Outputs, origin_of, show
    from karat.cli.verbosity import quiet
    from karat.core.problems import UserError
    from karat.runs.runner import check_extras

    for suite in suites_with_example():
        place = folder / suite
        config = place / "karat.yaml"
        if not config.is_file():
            copy_example(suite, place)
        with open_store_for(config, None) as store:
            for work in work_to_do("run", config=config, suite=None, cases=None):
                job = job_for(work)
                try:
                    check_extras(job.suite, job.cases, job.options)
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
    words = f"look into {folder}/ and change what you like; then: cd {place} && karat run"
    stdout().print(f"\n{words}", markup=False, soft_wrap=True)
