"""``karat structures``: what is in structure files, file by file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.json_types import JsonObject
from karat.core.remote.paths import local_path
from karat.suites.data_query.structures.codelists import Codelists
from karat.suites.data_query.structures.extensions import extended
from karat.suites.data_query.structures.files import ReadFile, joined, refuse_unusable, survey
from karat.suites.data_query.structures.languages import languages
from karat.suites.data_query.structures.records import Ref


class Listed:
    """What was read, and why the rest was not."""

    def __init__(self, files: Sequence[ReadFile]) -> None:
        self.files = files
        codelists = Codelists(joined(files))
        self.rows = [_row(one, codelists) for one in files]

    def refuse(self) -> None:
        """UserError where a file that was named cannot be used, or none at all can."""
        refuse_unusable(self.files)


def list_structures(paths: Sequence[str | Path]) -> Listed:
    """Read every file; a folder stands for the files in it. Nothing is raised for a file that cannot be used."""
    return Listed(survey([local_path(path) for path in paths]))


def _row(one: ReadFile, codelists: Codelists) -> JsonObject:
    held = one.contents
    whole = extended(held.codelists, codelists.referred)
    return {
        "file": one.file,
        "status": one.status,
        "problems": list(one.problems),
        "codelists": [
            {
                **_identity(own.ref),
                "own_codes": len(own.codes),
                "codes": len(full.codes),
                "partial": full.partial,
                "languages": languages(full),
            }
            for own, full in zip(held.codelists, whole, strict=True)
        ],
        "structures": [
            {
                **_identity(structure.ref),
                "dimensions": [
                    {
                        "id": dimension.id,
                        "position": place,
                        "codelist": _shown(codelists.enumeration(dimension)),
                        "time": dimension.time,
                    }
                    for place, dimension in enumerate(structure.dimensions, start=1)
                ],
            }
            for structure in held.structures
        ],
        "dataflows": [{**_identity(flow.ref), "structure": _shown(flow.structure)} for flow in held.dataflows],
        "constraints": [
            {
                **_identity(constraint.ref),
                "role": constraint.role,
                "attached": [str(ref) for _, ref in constraint.attached],
                "regions": len(constraint.regions),
                "keys": len(constraint.keys),
            }
            for constraint in held.constraints
        ],
    }


def _identity(ref: Ref) -> JsonObject:
    return {"agency": ref.agency, "id": ref.id, "version": ref.version}


def _shown(ref: Ref | None) -> str | None:
    return None if ref is None else str(ref)
