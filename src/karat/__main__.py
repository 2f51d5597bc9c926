"""``karat`` and ``python -m karat``: where the program starts.

Loading the verbs takes a moment, in which somebody may press Ctrl-C or a library may fail; so both are looked after
before that.
"""

from karat.cli.exit_codes import reporting_crashes, starting_up


def main() -> None:
    """The console script."""
    with reporting_crashes():
        with starting_up():
            from karat.cli.main import main as run_verb
        run_verb()


if __name__ == "__main__":
    main()
