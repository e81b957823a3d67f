"""Routing protocols and policies as values, a module for each."""
