"""Dialogs: forms made from tables of fields, for every setting of a topology."""
