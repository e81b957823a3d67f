"""Dialogs: forms made from tables of fields, for everything that a drawing says."""
