"""The error of this room."""


class ArchiveError(Exception):
    """A file of an archive is missing, refused or malformed. The message has the reason."""
