"""Subjects of checks. A module declares the kinds of problems of its subject, the rules that find them, and fixes."""
