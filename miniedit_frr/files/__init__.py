"""Drawings in files: the File menu, and drafts of what is not saved yet."""
