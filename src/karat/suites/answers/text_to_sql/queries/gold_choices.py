"""Several golds in one text, as defog writes them: parted by ``;``, and with ``{a, b}`` for any choice of columns.

``SELECT {name, id} FROM t GROUP BY {}`` stands for three queries: by name, by id, by both. What stands in the last
``{}`` follows the choice.
"""

from __future__ import annotations

from itertools import combinations

MOST_CHOICES = 64


class BadChoices(ValueError):
    """Why a gold with choices cannot be used."""


def queries_in(text: str) -> tuple[str, ...]:
    """Every query that the text stands for, in the order in which they are tried. Raises :class:`BadChoices`."""
    found: list[str] = []
    for part in text.split(";"):
        if part.strip():
            found += _chosen(part.strip(), text)
        if len(found) > MOST_CHOICES:
            raise BadChoices(f"the gold stands for more than {MOST_CHOICES} queries; at most {MOST_CHOICES} are tried")
    return tuple(dict.fromkeys(found))


def _chosen(query: str, text: str) -> list[str]:
    start = query.find("{")
    if start < 0:
        return [query]
    end = query.find("}", start)
    if end < 0:
        raise BadChoices(f"the {{ at column {text.find(query) + start + 1} of the gold does not close")
    columns = [column.strip() for column in query[start + 1 : end].split(",") if column.strip()]
    if not columns:
        raise BadChoices(f"there is no column in the {{}} at column {text.find(query) + start + 1} of the gold")
    if 2 ** len(columns) - 1 > MOST_CHOICES:
        raise BadChoices(
            f"{{…}} with {len(columns)} columns stands for {2 ** len(columns) - 1:,} queries; at most {MOST_CHOICES} "
            "are tried"
        )
    found: list[str] = []
    for count in range(1, len(columns) + 1):
        for choice in combinations(columns, count):
            listed = ", ".join(choice)
            rest = query[end + 1 :].replace("GROUP BY {}", f"GROUP BY {listed}")
            found += _chosen(query[:start] + listed + rest, text)
            if len(found) > MOST_CHOICES:
                return found
    return found
