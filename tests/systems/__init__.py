"""The systems on which the project is tested, each newly installed: `python -m tests.systems`."""
