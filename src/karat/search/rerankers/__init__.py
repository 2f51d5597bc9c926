"""Rerankers by name: ``python:module:function``, ``rerank:MODEL@URL`` and ``cross-encoder:FOLDER``."""

from __future__ import annotations

from karat.core.problems import UserError, did_you_mean
from karat.search.rerankers import cross_encoder, endpoint, function
from karat.search.rerankers.reranker import Reranker

FORMS = (
    f"{function.PREFIX}MODULE:FUNCTION",
    f"{endpoint.PREFIX}MODEL@http://localhost:8080/v1",
    f"{cross_encoder.PREFIX}FOLDER",
)
_OPEN = {
    function.PREFIX: function.reranker,
    endpoint.PREFIX: endpoint.reranker,
    cross_encoder.PREFIX: cross_encoder.reranker,
}


def load_reranker(name: str, *, trusted: bool = True) -> Reranker:
    """The reranker of this name. UserError for an unknown one.

    ``trusted=False``: the name is from a file that somebody else may have written, and all rerankers are refused: they
    run code, send texts to an address, or read a folder.
    """
    for prefix, open_reranker in _OPEN.items():
        if name.startswith(prefix):
            if not trusted:
                raise UserError(
                    f'the reranker "{name}" is named only in a file, which is not allowed to request one',
                    hint="If you trust it, name it on the command line (--models) or in Python.",
                )
            return open_reranker(name)
    close = did_you_mean(name.partition(":")[0] + ":", list(_OPEN))
    raise UserError(f'there is no reranker "{name}"', hint=f"{close} A reranker is {', '.join(FORMS)}.".strip())
