"""Drawings in files: the File menu, and drafts of unsaved work."""
