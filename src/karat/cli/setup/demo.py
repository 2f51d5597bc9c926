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

    You can repeat it: the projects are created once, and each call adds a run. A suite is skipped if its optional
    packages are not installed.
    """
    from karat.cli.measure.run import run_job
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import Outputs
    from karat.cli.printing.results import show, store_flags
    from karat.core.problems import UserError
    from karat.runs.scores.run_scoring import check_setup
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.inputs.work import work_to_do
    from karat.verbs.run import plan_work
    from karat.verbs.runs import origin_of
    from karat.verbs.setup.init import copy_example, suites_with_example

    for suite in suites_with_example():
        place = folder / suite
        config = place / "karat.yaml"
        if not config.is_file():
            copy_example(suite, place)
        with open_store_here(None, config, create=True) as store:
            for work in work_to_do("run", config=config, suite=None, cases=None):
                job = plan_work(work)
                try:
                    check_setup(job.suite, job.cases, job.options)
                except UserError as error:
                    stdout().print(f"{suite}: skipped. {error.message}", style="yellow", markup=False, soft_wrap=True)
                    stdout().print(error.hint, style="yellow", markup=False, soft_wrap=True)
                    continue
                result = run_job(store, job, None)
                files = Outputs(xlsx=place / "report.xlsx", html=place / "report.html")
                again = shlex.join(["karat", "run", "--config", str(config)])
                origin = origin_of(store, result, store_flags(config, None), again)
                show(result, files, saved=[f"run {result.run.id} in {place / '.karat'}"], origin=origin)
    if quiet():
        return
    place = folder / "data_query"
    words = f"The examples are in {folder}/. Change them and try again: cd {place} && karat run"
    stdout().print(f"\n{words}", markup=False, soft_wrap=True)
