"""``karat schema``: the JSON Schemas of the files that people write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A schema: karat (for karat.yaml), SUITE.cases or SUITE.predictions. Without one: list them."
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option("--write", metavar="FOLDER", help="Write all schemas to this folder, for example .karat/schemas."),
    ] = None,
) -> None:
    """Print the JSON Schema of karat.yaml, of case files or of recorded predictions; or write all of them to a folder.

    An editor with a YAML language server (VS Code with the YAML extension, Neovim, JetBrains) completes keys and marks
    typos in a file whose first line names its schema:

    # yaml-language-server: $schema=.karat/schemas/karat.schema.json

    karat init writes that line and the schemas. The schemas contain the suites and systems of installed plug-ins: write
    them again after installing one, and after cloning a project, because .karat is not in version control.

    karat schema --write .karat/schemas
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import PRINTED, write_data
    from karat.verbs.setup.schema import schema_named, schemas, write_schemas, written

    if write is not None:
        files = write_schemas(write)
        stdout().print(f"wrote {len(files)} schemas to {write}", markup=False, soft_wrap=True)
    elif name is not None:
        write_data(written(schema_named(name)), PRINTED)
    else:
        for known, found in schemas().items():
            stdout().print(f"{known}  {found['title']}", markup=False, soft_wrap=True)
