"""Why each kind of problem matters and how to fix it, for `miniedit-frr check --why` and docs/checks.md."""
