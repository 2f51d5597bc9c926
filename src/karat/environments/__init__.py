"""Named Python environments of a project: what ``environments:`` in karat.yaml says, built once, found again, locked.

    environments:
      pandas15: {python: "3.11", packages: [pandas==1.5.3, numpy==1.26.4], wheels: wheels/}
      theirs: {path: ../their-venv}

``build`` makes one, ``interpreter`` says which interpreter a name means. Nothing is built unless somebody asks for it.
"""

from karat.environments.interpreter import python_of
from karat.environments.records import Environment, Locked, LockedPackage

__all__ = ["Environment", "Locked", "LockedPackage", "python_of"]
