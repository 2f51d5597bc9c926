"""``python -m tools.reference``: writes the pages of ``docs/reference/`` again."""

from __future__ import annotations

from pathlib import Path

from tools.reference.pages import pages

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"


def main() -> None:
    """All pages; what is no page any more goes."""
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for file in FOLDER.glob("*.md"):
        if file.name not in made:
            file.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
