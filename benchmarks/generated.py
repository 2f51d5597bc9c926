"""Cases like real ones, made by a seeded generator: 1–3 datasets, 2–6 dimensions in each, 1–5 terms in each
dimension."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

DATASETS = (
    "IMF.RES:WEO",
    "IMF.STA:CPI",
    "BIS:WS_CBPOL",
    "ECB:EXR",
    "WB:WDI",
    "ESTAT:NAMA_10_GDP",
    "OECD.SDD.NAD:DSD_NAMAIN1",
)
DIMENSIONS = ("INDICATOR", "COUNTRY", "FREQUENCY", "UNIT", "SECTOR", "TYPE_OF_TRANSFORMATION")
SUBJECTS = (
    "Gross domestic product",
    "Consumer prices",
    "Government debt",
    "Exports of goods",
    "Policy rate",
    "Employment",
    "Population",
)
FORMS = (
    "Current prices, US dollar",
    "Constant prices, Percent change",
    "Percent of GDP",
    "Index, 2015 = 100",
    "Per capita",
    "Total",
)
AREAS = (
    "Mexico",
    "Norway",
    "Viet Nam",
    "Korea, Republic of",
    "Côte d'Ivoire",
    "Türkiye, Republic of",
    "Chile",
    "South Africa",
)

Object = dict[str, Any]


def cases(count: int, seed: int = 1) -> Iterator[Object]:
    """Plain case objects, in the shape of a case file."""
    random = Random(seed)
    for number in range(count):
        area, subject = random.choice(AREAS), random.choice(SUBJECTS)
        yield {
            "id": f"{random.getrandbits(64):016x}-{number:06d}",
            "name": f"{subject} {area} {number}".lower().replace(" ", "_"),
            "tags": random.sample(("imf", "weo", "bis", "ecb", "multi", "synonym", "critical"), random.randint(1, 3)),
            "comments": "",
            "conversation": [
                {
                    "role": "user",
                    "content": f"Could you show me {subject.lower()} in {area}, from {random.randint(1990, 2020)} on?",
                    "target": {"indicator_selection": _selection(random)},
                }
            ],
        }


def _selection(random: Random) -> list[Object]:
    return [
        {
            "dataset_id": dataset,
            "dimensions": [
                {"dimension_name": name, "values": [_term(random, name) for _ in range(random.randint(1, 5))]}
                for name in random.sample(DIMENSIONS, random.randint(2, 6))
            ],
        }
        for dataset in random.sample(DATASETS, random.randint(1, 3))
    ]


def _term(random: Random, dimension: str) -> dict[str, str]:
    number = random.randint(1, 400)
    if dimension == "COUNTRY":
        return {"id": f"C{number:03d}", "name": f"{AREAS[number % len(AREAS)]} {number}"}
    return {
        "id": f"{dimension[:3]}_{number}",
        "name": f"{SUBJECTS[number % len(SUBJECTS)]}, {FORMS[number % len(FORMS)]}",
    }


def prediction(case: Object, random: Random) -> bytes:
    """An own-form answer to a case: half of them right, the others with a term left out, added or renamed."""
    parts: list[Object] = []
    right = random.random() < 0.5
    for part in case["conversation"][0]["target"]["indicator_selection"]:
        dimensions = []
        for dimension in part["dimensions"]:
            values = list(dimension["values"])
            if not right and random.random() < 0.4:
                change = random.randint(0, 2)
                if change == 0:
                    values.pop()
                elif change == 1:
                    values.append(_term(random, dimension["dimension_name"]))
                else:
                    values[0] = {"id": values[0]["id"], "name": f"{values[0]['name']} (old)"}
            dimensions.append({"dimension_name": dimension["dimension_name"], "values": values})
        parts.append({"dataset_id": f"{part['dataset_id']}(9.0.0)", "dimensions": dimensions})
    return msgspec.json.encode({"id": case["id"], "indicator_selection": parts, "latency": 1.5, "tokens": 900})


def as_yaml(case: Object) -> str:
    """The case as people write it: block style, a key a line."""
    turn = case["conversation"][0]
    lines = [f"id: {case['id']}", f"name: {case['name']}", "tags:"]
    lines += [f"- {tag}" for tag in case["tags"]]
    lines += ["comments: ''", "conversation:", f"- role: {turn['role']}", f"  content: {turn['content']}", "  target:"]
    lines.append("    indicator_selection:")
    for part in turn["target"]["indicator_selection"]:
        lines += [f"    - dataset_id: {part['dataset_id']}", "      dimensions:"]
        for dimension in part["dimensions"]:
            lines += [f"      - dimension_name: {dimension['dimension_name']}", "        values:"]
            for term in dimension["values"]:
                lines += [f"        - id: {term['id']}", f"          name: {term['name']}"]
    return "\n".join(lines) + "\n"
