"""The File menu, drafts of unsaved work, and marks of open files."""
