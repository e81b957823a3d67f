"""`python -m miniedit_frr` is the same as `miniedit-frr`."""

import sys


def main() -> None:
    """The console script. Ctrl-C ends it in order also while it is still being loaded and put together."""
    try:
        from miniedit_frr.cli.main import main as begin

        begin()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
