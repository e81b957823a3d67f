"""`python -m miniedit_frr` is the same as `miniedit-frr`."""

from miniedit_frr.cli import main

if __name__ == "__main__":
    main()
