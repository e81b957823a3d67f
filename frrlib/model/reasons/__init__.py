"""Why each kind of problem is one, and what to do about it: texts for `miniedit-frr check --why` and docs/checks.md."""
