"""``environments`` of karat.yaml: their names checked, and handed to the options of suites that run code in them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from yaml.nodes import MappingNode, Node

from karat.core.suite import SuiteOptions
from karat.core.yaml.structs import Findings
from karat.environments import Environment
from karat.environments.records import wrong_name

FIELD = "environments"


def check_names(root: Node | None, findings: Findings) -> None:
    """Each is a word of the command line, and a key of the lock file."""
    for key, node in root.value if isinstance(root, MappingNode) else ():
        if key.value == FIELD and isinstance(node, MappingNode):
            for name, _ in node.value:
                if wrong := wrong_name(str(name.value)):
                    findings.add(
                        name, f'"{str(name.value)[:80]}" cannot be the name of an environment', f"Use {wrong}."
                    )


def takes_environments(options: SuiteOptions) -> bool:
    """Whether the suite has a place for environments, and none are given."""
    return FIELD in options.__struct_fields__ and not getattr(options, FIELD)


def with_environments(options: SuiteOptions, environments: Mapping[str, Environment]) -> SuiteOptions:
    """The options with the environments of the project, where they are taken."""
    if not environments or not takes_environments(options):
        return options
    return msgspec.structs.replace(options, **{FIELD: dict(environments)})
