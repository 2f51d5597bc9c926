"""Code that imports what its environment does not have: the error names the environment and the package to add."""

from __future__ import annotations

import re

import msgspec

from karat.sandbox import Outcome

PACKAGES = {
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "PIL": "pillow",
    "cv2": "opencv-python",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "skimage": "scikit-image",
    "Crypto": "pycryptodome",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "wordcloud": "wordcloud",
    "mpl_toolkits": "matplotlib",
    "Levenshtein": "levenshtein",
    "flask_mail": "flask-mail",
    "flask_login": "flask-login",
}
"""Modules whose package has another name."""
_MISSING = re.compile(r"No module named '([\w.]+)'")


def with_missing_package(outcome: Outcome, environment: str) -> Outcome:
    """An import that failed says in which environment, and what to add to it."""
    raised = outcome.error
    if raised is None or raised.class_ != "ModuleNotFoundError":
        return outcome
    found = _MISSING.search(raised.message)
    if found is None:
        return outcome
    module, _, below = found[1].partition(".")
    package = PACKAGES.get(module, module)
    place = f'the environment "{environment}"' if environment else "the Python that runs the code"
    if below:  # Python looks for the module above it first, and names that one if it is not there
        missing, todo = found[1], f"{module} is there; another version of {package} or another package may have it"
    else:
        todo = f"add {package} to its packages" if environment else f"install {package}, or name an environment with it"
        missing = package
    error = msgspec.structs.replace(raised, message=f"{raised.message} ({place} has no {missing}: {todo})")
    return msgspec.structs.replace(outcome, error=error)
