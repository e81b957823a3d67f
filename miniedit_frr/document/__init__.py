"""The document: the one gate for edits of a topology, with undo."""
